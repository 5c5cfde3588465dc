// SPDX-License-Identifier: Apache-2.0
// All solutions of the n-queens problem, one task per placement tried, usually without
// cut-off. After the kernel of the Barcelona OpenMP Tasks Suite (Duran et al., ICPP 2009);
// solution counts are checked against the known sequence (OEIS A000170).
// Usage: nqueens [--n 11] [--variant tied|untied|serial] [--cutoff KIND] [--depth 3] [--threads N]
#include <stddef.h>
#include <stdlib.h>

#include "../common/bench.h"
#include "../common/cutoff.h"

enum { MAX_QUEENS = 16 };
enum variant { TIED, UNTIED, SERIAL };
static const char *const variant_names[] = {"tied", "untied", "serial"};

static bench_cutoff cutoff = {CUTOFF_NONE, 3};

static const long known_solutions[MAX_QUEENS + 1] = {
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};

typedef struct {
    signed char column[MAX_QUEENS]; // of the queen in each row placed so far
} board;

static int attacked(const board *queens, int row, int column) {
    for (int r = 0; r < row; r++) {
        int distance = abs(queens->column[r] - column);
        if (distance == 0 || distance == row - r)
            return 1;
    }
    return 0;
}

static board placed(const board *queens, int row, int column) {
    board next = *queens;
    next.column[row] = (signed char)column;
    return next;
}

static long sum(const long *values, int count) {
    long total = 0;
    for (int i = 0; i < count; i++)
        total += values[i];
    return total;
}

static long solve_serial(const board *queens, int n, int row) {
    if (row == n)
        return 1;
    long found[MAX_QUEENS] = {0};
    for (int column = 0; column < n; column++) {
        if (!attacked(queens, row, column)) {
            board next = placed(queens, row, column);
            found[column] = solve_serial(&next, n, row + 1);
        }
    }
    return sum(found, n);
}

// A cut-off's depth is the number of queens placed.
#define SOLVE(NAME, tying, kind)                                                                   \
    static long solve_##NAME(const board *queens, int n, int row) {                                \
        if (row == n)                                                                              \
            return 1;                                                                              \
        if (cutoff_serial(kind, cutoff.depth, row))                                                \
            return solve_serial(queens, n, row);                                                   \
        long found[MAX_QUEENS] = {0};                                                              \
        for (int column = 0; column < n; column++) {                                               \
            BENCH_TASK(tying firstprivate(queens, n, row, column) shared(found)                    \
                           CUTOFF_CLAUSES(kind, cutoff.depth, row))                                \
            if (!attacked(queens, row, column)) {                                                  \
                board next = placed(queens, row, column);                                          \
                found[column] = solve_##NAME(&next, n, row + 1);                                   \
            }                                                                                      \
        }                                                                                          \
        BENCH_PRAGMA(omp taskwait)                                                                 \
        return sum(found, n);                                                                      \
    }

CUTOFF_FORMS(SOLVE)

static long (*const solve[2][CUTOFF_KINDS])(const board *queens, int n,
                                            int row) = CUTOFF_TABLE(solve);

static long run(enum variant variant, int n) {
    const board empty = {{0}};
    long solutions = 0;
    if (variant == SERIAL)
        return solve_serial(&empty, n, 0);
#pragma omp parallel
#pragma omp single
    solutions = solve[variant][cutoff.kind](&empty, n, 0);
    return solutions;
}

static void check(const char *which, long n, long solutions) {
    if (solutions != known_solutions[n])
        bench_fail("wrong %s answer: %ld solutions for %ld queens, should be %ld", which,
                   solutions, n, known_solutions[n]);
}

int main(int argc, char **argv) {
    long n = 11, variant = TIED;
    int no_reference = 0;
    const bench_option options[] = {
        {"n", 'n', BENCH_INTEGER, &n, 1, MAX_QUEENS, "N", "queens, and size of the board (11)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "tied|untied|serial", "which program (tied)"},
        BENCH_CUTOFF_OPTIONS(cutoff),
        {"no-reference", 0, BENCH_FLAG, &no_reference, 0, 0, NULL,
         "do not time the serial program as well"},
    };
    bench_parse(argc, argv, "Counts all solutions of n queens, one task per placement tried.",
                options, sizeof options / sizeof options[0]);

    int reference = variant != SERIAL && !no_reference;
    double serial_seconds = 0.0;
    if (reference) {
        double start = bench_seconds();
        long solutions = run(SERIAL, (int)n);
        serial_seconds = bench_seconds() - start;
        check("serial", n, solutions);
    }
    int threads = variant == SERIAL ? 1 : bench_team();
    double start = bench_seconds();
    long solutions = run((enum variant)variant, (int)n);
    double seconds = bench_seconds() - start;
    check(variant_names[variant], n, solutions);

    bench_json_begin("nqueens", variant_names[variant], threads, seconds);
    bench_json_integer("answer", solutions);
    bench_json_integer("n", n);
    bench_json_cutoff(cutoff);
    if (reference)
        bench_json_serial(serial_seconds, seconds);
    bench_json_end();
    return 0;
}
