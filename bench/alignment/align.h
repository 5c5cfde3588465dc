// SPDX-License-Identifier: Apache-2.0
// A best global alignment of two proteins under affine gap costs, in linear space.
#ifndef HEDDLE_BENCH_ALIGN_H
#define HEDDLE_BENCH_ALIGN_H

enum { AMINO_ACIDS = 20, MAX_LENGTH = 1000 };

typedef struct {
    int length;
    unsigned char residue[MAX_LENGTH]; // each below AMINO_ACIDS
} protein;

typedef struct {
    int optimum;    // the best score there is, by the first two passes
    int score;      // that of the alignment found, by its columns
    int columns;    // its length
    int identities; // columns of equal residues
} alignment;

// Fills the table of scores; call it before the first align.
void align_prepare(void);

// Reads the table and the two proteins, and nothing else that threads share.
alignment align(const protein *a, const protein *b);

#endif
