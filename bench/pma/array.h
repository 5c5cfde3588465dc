// SPDX-License-Identifier: Apache-2.0
// A Packed Memory Array: particles in order, in segments that are never full for long, so that one
// is inserted by moving few (Bender, Demaine & Farach-Colton, FOCS 2000; for moving particles
// Durand, Raffin & Faure, VRIPHYS 2012). Our own code.
#ifndef HEDDLE_BENCH_PMA_ARRAY_H
#define HEDDLE_BENCH_PMA_ARRAY_H

#include <stdint.h>

#include "particles.h"

enum { SEGMENT = 32 }; // slots; the particles of a segment are at its beginning

typedef struct {
    long segments; // a power of two
    int height;    // its logarithm
    particle *slots;
    int *used;        // slots of each segment
    uint64_t *fence;  // of each segment: nothing in it comes before; the first one's is 0
    particle *window; // as many slots again, for rebalancing
} pma;

// Segments for so many particles, one or more, so that no more than half of the slots are used.
long pma_segments(long particles);

// Fills the array with particles in order, evenly.
void pma_fill(pma *array, const particle *sorted, long count);

// Inserts particles that come in order.
void pma_insert(pma *array, const particle *sorted, long count);

// Evens out what removals have left too thin.
void pma_even_out(pma *array);

#endif
