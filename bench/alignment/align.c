// SPDX-License-Identifier: Apache-2.0
// Global alignment in linear space (Myers & Miller, CABIOS 4(1), 1988, with Gotoh's recurrences,
// J. Mol. Biol. 162, 1982): the first half of `a` is aligned from the left and the second from the
// right, which tells where the best path crosses the middle; then both parts the same way. Two
// residues score by Dayhoff's six classes, a gap of k residues costs OPEN + k * EXTEND.
#include "align.h"

enum { OPEN = 10, EXTEND = 1, IDENTICAL = 6, SAME_CLASS = 2, DIFFERENT = -2 };
enum { NEVER = -(1 << 28) }; // a score that no path has, far from overflow

// Of the 20 amino acids in the order of their letters, ACDEFGHIKLMNPQRSTVWY.
static const char dayhoff_class[AMINO_ACIDS + 1] = "acnnfahlhllnanhaalff";

static signed char pair_score[AMINO_ACIDS][AMINO_ACIDS];

void align_prepare(void) {
    for (int i = 0; i < AMINO_ACIDS; i++)
        for (int j = 0; j < AMINO_ACIDS; j++)
            pair_score[i][j] = i == j                                 ? IDENTICAL
                               : dayhoff_class[i] == dayhoff_class[j] ? SAME_CLASS
                                                                      : DIFFERENT;
}

// The last row of a pass over a part of the matrix, by the number of residues of b: the best score
// of a's residues against so many, and the best of those alignments that end in a gap in b.
typedef struct {
    int best[MAX_LENGTH + 1], gap[MAX_LENGTH + 1];
} row;

// A sequence in the order of a pass: step 1, or -1 from its last residue backwards.
typedef struct {
    const unsigned char *first;
    int step;
} reading;

typedef enum { START, PAIR, GAP_IN_A, GAP_IN_B } column;

// An alignment in the making: its columns are counted one run after another.
typedef struct {
    alignment *result;
    column last; // the kind of the last one
    row forward, backward;
} trace;

static int larger(int x, int y) {
    return x > y ? x : y;
}

static int gap_score(int length) {
    return length == 0 ? 0 : -OPEN - length * EXTEND;
}

// Aligns m residues of a with every number of residues of b up to n. To open a gap in b at the very
// beginning costs `open`.
static void pass(row *to, reading a, int m, reading b, int n, int open) {
    for (int j = 0; j <= n; j++) {
        to->best[j] = gap_score(j);
        to->gap[j] = NEVER;
    }
    for (int i = 1; i <= m; i++) {
        const signed char *scores = pair_score[a.first[(i - 1) * a.step]];
        int diagonal = to->best[0], gap_in_a = NEVER;
        int left = to->best[0] = to->gap[0] = -open - i * EXTEND;
        for (int j = 1; j <= n; j++) {
            gap_in_a = larger(gap_in_a, left - OPEN) - EXTEND;
            int gap_in_b = larger(to->gap[j], to->best[j] - OPEN) - EXTEND;
            int paired = diagonal + scores[b.first[(j - 1) * b.step]];
            diagonal = to->best[j];
            to->gap[j] = gap_in_b;
            left = to->best[j] = larger(paired, larger(gap_in_b, gap_in_a));
        }
    }
}

static void put_gap(trace *t, column kind, int length) {
    if (length == 0)
        return;
    t->result->score -= (t->last == kind ? 0 : OPEN) + length * EXTEND;
    t->result->columns += length;
    t->last = kind;
}

static void put_pair(trace *t, unsigned char x, unsigned char y) {
    t->result->score += pair_score[x][y];
    t->result->columns++;
    t->result->identities += x == y;
    t->last = PAIR;
}

// trace_part for a single residue of a: paired with the best of b's, or in a gap at either end.
static int trace_one(trace *t, unsigned char x, const unsigned char *b, int n, int open_before,
                     int open_after) {
    int gap_first = open_before <= open_after;
    int best = gap_score(n) - (gap_first ? open_before : open_after) - EXTEND, partner = -1;
    for (int j = 0; j < n; j++) {
        int score = gap_score(j) + pair_score[x][b[j]] + gap_score(n - 1 - j);
        if (score > best) {
            best = score;
            partner = j;
        }
    }
    if (partner >= 0) {
        put_gap(t, GAP_IN_A, partner);
        put_pair(t, x, b[partner]);
        put_gap(t, GAP_IN_A, n - 1 - partner);
    } else {
        put_gap(t, GAP_IN_B, gap_first);
        put_gap(t, GAP_IN_A, n);
        put_gap(t, GAP_IN_B, !gap_first);
    }
    return best;
}

// Appends a best alignment of these residues and returns its score. To open a gap in b at the
// beginning or the end costs open_before or open_after: nothing where one goes on beyond it.
static int trace_part(trace *t, const unsigned char *a, int m, const unsigned char *b, int n,
                      int open_before, int open_after) {
    if (m == 0) {
        put_gap(t, GAP_IN_A, n);
        return gap_score(n);
    }
    if (m == 1)
        return trace_one(t, *a, b, n, open_before, open_after);

    int middle = m / 2;
    pass(&t->forward, (reading){a, 1}, middle, (reading){b, 1}, n, open_before);
    pass(&t->backward, (reading){a + m - 1, -1}, m - middle, (reading){b + n - 1, -1}, n,
         open_after);
    int best = NEVER, split = 0, in_gap = 0;
    for (int j = 0; j <= n; j++) {
        int apart = t->forward.best[j] + t->backward.best[n - j];
        int across = t->forward.gap[j] + t->backward.gap[n - j] + OPEN; // one gap, opened once
        if (larger(apart, across) > best) {
            best = larger(apart, across);
            split = j;
            in_gap = across > apart;
        }
    }
    int open = in_gap ? 0 : OPEN;
    trace_part(t, a, middle - in_gap, b, split, open_before, open);
    put_gap(t, GAP_IN_B, 2 * in_gap);
    trace_part(t, a + middle + in_gap, m - middle - in_gap, b + split, n - split, open, open_after);
    return best;
}

alignment align(const protein *a, const protein *b) {
    alignment result = {0};
    trace t; // without its rows, which every pass fills in first
    t.result = &result;
    t.last = START;
    result.optimum = trace_part(&t, a->residue, a->length, b->residue, b->length, OPEN, OPEN);
    return result;
}
