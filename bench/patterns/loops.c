// SPDX-License-Identifier: Apache-2.0
// Short loops of 1,000 additions, alone in a region and many to a region; unequal iterations; order
// among iterations.
#include "../common/bench.h"
#include "patterns.h"

// LOOP(name, schedule and other clauses): a region with one loop.
#define TEXT(x) #x
#define PRAGMA(x) _Pragma(TEXT(x))
#define LOOP(name, ...)                                                                            \
    static void name(long turns) {                                                                 \
        for (long i = 0; i < turns; i++) {                                                         \
            PRAGMA(omp parallel for __VA_ARGS__)                                                   \
            for (int j = 0; j < ELEMENTS; j++)                                                     \
                elements[j] += 1;                                                                  \
        }                                                                                          \
    }
// A region with one loop after another.
#define LOOPS(name, ...)                                                                           \
    static void name(long turns) {                                                                 \
        PRAGMA(omp parallel)                                                                       \
        for (long i = 0; i < turns; i++) {                                                         \
            PRAGMA(omp for __VA_ARGS__)                                                            \
            for (int j = 0; j < ELEMENTS; j++)                                                     \
                elements[j] += 1;                                                                  \
        }                                                                                          \
    }
// Iterations that do not do the same, `count` of them in so many sizes of half a microsecond.
#define UNEQUAL(name, count, sizes, ...)                                                           \
    static void name(long turns) {                                                                 \
        for (long i = 0; i < turns; i++) {                                                         \
            PRAGMA(omp parallel for __VA_ARGS__)                                                   \
            for (int j = 0; j < count; j++) {                                                      \
                work(0.5 * (j % sizes));                                                           \
                elements[j] += 1;                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

LOOP(guided, schedule(guided))
LOOP(dynamic, schedule(dynamic))
LOOP(dynamic_16, schedule(dynamic, 16))
LOOPS(for_in_region, schedule(static))
LOOPS(for_nowait, schedule(static) nowait)
LOOPS(dynamic_in_region, schedule(dynamic, 8))
UNEQUAL(unequal_static, 8, 8, schedule(static, 1))
UNEQUAL(unequal_dynamic, 64, 8, schedule(dynamic, 1))

static void expect_sum(const char *what, double sum, double expected) {
    if (sum != expected)
        bench_fail("wrong answer: %s is %g, should be %g", what, sum, expected);
}

static void array_reduction(long turns) {
    for (long i = 0; i < turns; i++) {
        double sums[16] = {0};
#pragma omp parallel for reduction(+ : sums[ : 16])
        for (int j = 0; j < ELEMENTS; j++)
            sums[j % 16] += 1;
        expect_sum("an element of an array", sums[15], ELEMENTS / 16);
        count_one();
    }
}

static void several_reductions(long turns) {
    for (long i = 0; i < turns; i++) {
        double sum = 0, squares = 0, greatest = 0;
#pragma omp parallel for reduction(+ : sum, squares) reduction(max : greatest)
        for (int j = 0; j < ELEMENTS; j++) {
            sum += j;
            squares += (double)j * j;
            greatest = j > greatest ? j : greatest;
        }
        expect_sum("a sum", sum, ELEMENTS * (ELEMENTS - 1) / 2.0);
        expect_sum("a maximum", greatest, ELEMENTS - 1);
        expect_sum("a sum of squares", squares,
                   (ELEMENTS - 1.0) * ELEMENTS * (2 * ELEMENTS - 1.0) / 6);
        count_one();
    }
}

static void reduction_in_region(long turns) {
    double sum = 0;
#pragma omp parallel
    for (long i = 0; i < turns; i++) {
#pragma omp for reduction(+ : sum)
        for (int j = 0; j < ELEMENTS; j++)
            sum += 1;
    }
    elements[0] += sum;
}

// The part in order adds to one element, so that a turn too early would lose something.
static void ordered_static(long turns) {
    for (long i = 0; i < turns; i++) {
#pragma omp parallel for ordered schedule(static, 1)
        for (int j = 0; j < 100; j++) {
#pragma omp ordered
            elements[0] += 1;
        }
    }
}

static void ordered_dynamic(long turns) {
    for (long i = 0; i < turns; i++) {
#pragma omp parallel for ordered schedule(dynamic, 4)
        for (int j = 0; j < 100; j++) {
#pragma omp ordered
            elements[0] += 1;
        }
    }
}

static void doacross(long turns) {
    for (long i = 0; i < turns; i++) {
#pragma omp parallel for ordered(1) schedule(static, 1)
        for (int j = 0; j < 100; j++) {
#pragma omp ordered depend(sink : j - 1)
            elements[0] += 1;
#pragma omp ordered depend(source)
        }
    }
}

const pattern loop_patterns[] = {
    {"guided", guided, ELEMENTS, 0},
    {"dynamic", dynamic, ELEMENTS, 0},
    {"dynamic_16", dynamic_16, ELEMENTS, 0},
    {"for_in_region", for_in_region, ELEMENTS, 0},
    {"for_nowait", for_nowait, ELEMENTS, 0},
    {"dynamic_in_region", dynamic_in_region, ELEMENTS, 0},
    {"unequal_static", unequal_static, 8, 0},
    {"unequal_dynamic", unequal_dynamic, 64, 0},
    {"array_reduction", array_reduction, 1, 0},
    {"several_reductions", several_reductions, 1, 0},
    {"reduction_in_region", reduction_in_region, ELEMENTS, 0},
    {"ordered_static_1", ordered_static, 100, 0},
    {"ordered_dynamic_4", ordered_dynamic, 100, 0},
};
const size_t loop_count = sizeof loop_patterns / sizeof loop_patterns[0];

// By itself: libiomp5 is killed in gcc's doacross loops of one thread.
const pattern doacross_patterns[] = {{"doacross", doacross, 100, 0}};
const size_t doacross_count = 1;
