// SPDX-License-Identifier: Apache-2.0
// Strassen's multiplication of square matrices (Numerische Mathematik 13, 1969): seven products
// of half the size, each a task that adds up its own operands, and a leaf multiplied as usual.
// After the kernel of the Barcelona OpenMP Tasks Suite (Duran et al., ICPP 2009), our own code.
// Usage: strassen [--size 1024] [--leaf 32] [--variant tied|untied|serial] [--cutoff KIND]
//                 [--depth 2] [--threads N]
#include <float.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../common/bench.h"
#include "../common/cutoff.h"

enum { PRODUCTS = 7, RESIDUAL_VECTORS = 3, PIECE = 1 << 20, LARGE_BLOCK = 32 << 20 };
enum variant { TIED, UNTIED, SERIAL };
static const char *const variant_names[] = {"tied", "untied", "serial"};

static long leaf = 32; // rows
static bench_cutoff cutoff = {CUTOFF_NONE, 2};

// A square part of a matrix by rows.
typedef struct {
    double *values;
    long stride; // values from one row to the next
} view;

enum quadrant { TOP_LEFT, TOP_RIGHT, BOTTOM_LEFT, BOTTOM_RIGHT };

static view quadrant(view m, long half, enum quadrant q) {
    return (view){m.values + q / 2 * half * m.stride + q % 2 * half, m.stride};
}

// A product's operand: a quadrant, to which another is added (sign 1, -1) or none (0).
typedef struct {
    enum quadrant first;
    int sign;
    enum quadrant second;
} operand;

static const struct {
    operand left, right;
} products[PRODUCTS] = {
    {{TOP_LEFT, 1, BOTTOM_RIGHT}, {TOP_LEFT, 1, BOTTOM_RIGHT}},
    {{BOTTOM_LEFT, 1, BOTTOM_RIGHT}, {TOP_LEFT, 0, 0}},
    {{TOP_LEFT, 0, 0}, {TOP_RIGHT, -1, BOTTOM_RIGHT}},
    {{BOTTOM_RIGHT, 0, 0}, {BOTTOM_LEFT, -1, TOP_LEFT}},
    {{TOP_LEFT, 1, TOP_RIGHT}, {BOTTOM_RIGHT, 0, 0}},
    {{BOTTOM_LEFT, -1, TOP_LEFT}, {TOP_LEFT, 1, TOP_RIGHT}},
    {{TOP_RIGHT, -1, BOTTOM_RIGHT}, {BOTTOM_LEFT, 1, BOTTOM_RIGHT}},
};

static double *new_values(long count) {
    double *values = malloc((size_t)count * sizeof *values);
    if (values == NULL)
        bench_fail("no memory for %ld numbers", count);
    return values;
}

// Lets this thread's heap hold, and keep, what one multiplication needs at a time, so that no
// page faults are measured: nine quarters of a matrix, and a quarter of that in each level below.
static void warm_heap(long n) {
    size_t pieces = 0, limit = (size_t)(3 * n * n) * sizeof(double) / PIECE + 1;
    void **piece = malloc(limit * sizeof *piece);
    while (piece != NULL && pieces < limit && (piece[pieces] = malloc(PIECE)) != NULL)
        memset(piece[pieces++], 1, PIECE);
    while (pieces > 0)
        free(piece[--pieces]);
    free(piece);
}

// The kernels are never inlined, so that the serial program and the tasks run the same
// instructions and agree to the last bit.
#define KERNEL static __attribute__((noinline, noclone))

// c := a b, row by row
KERNEL void multiply_leaf(view c, view a, view b, long n) {
    for (long i = 0; i < n; i++) {
        double *restrict row = c.values + i * c.stride;
        memset(row, 0, (size_t)n * sizeof *row);
        for (long k = 0; k < n; k++) {
            const double *restrict other = b.values + k * b.stride;
            double factor = a.values[i * a.stride + k];
            for (long j = 0; j < n; j++)
                row[j] += factor * other[j];
        }
    }
}

// The operand itself if it is a quadrant, or else the sum, written to `space`.
KERNEL view add_up(view m, long half, operand what, double *restrict space) {
    view first = quadrant(m, half, what.first), second = quadrant(m, half, what.second);
    double sign = what.sign;
    if (what.sign == 0)
        return first;
    for (long i = 0; i < half; i++)
        for (long j = 0; j < half; j++)
            space[i * half + j] =
                first.values[i * first.stride + j] + sign * second.values[i * second.stride + j];
    return (view){space, half};
}

// The four quadrants of c from the seven products, which lie in one piece.
KERNEL void combine(view c, const double *restrict products_done, long half) {
    const double *m[PRODUCTS];
    for (int p = 0; p < PRODUCTS; p++)
        m[p] = products_done + p * half * half;
    for (long i = 0; i < half; i++) {
        double *restrict top = c.values + i * c.stride;
        double *restrict bottom = c.values + (i + half) * c.stride;
        for (long j = 0; j < half; j++) {
            long at = i * half + j;
            top[j] = m[0][at] + m[3][at] - m[4][at] + m[6][at];
            top[j + half] = m[2][at] + m[4][at];
            bottom[j] = m[1][at] + m[3][at];
            bottom[j + half] = m[0][at] - m[1][at] + m[2][at] + m[5][at];
        }
    }
}

static void multiply_serial(view c, view a, view b, long n);

// Product number p of a and b, by the function `multiply`.
#define PRODUCT(multiply, into, a, b, half, p, ...)                                                \
    do {                                                                                           \
        double *space = new_values(2 * (half) * (half));                                           \
        view left = add_up(a, half, products[p].left, space);                                      \
        view right = add_up(b, half, products[p].right, space + (half) * (half));                  \
        multiply((view){into, half}, left, right, half __VA_OPT__(, ) __VA_ARGS__);                \
        free(space);                                                                               \
    } while (0)

static void multiply_serial(view c, view a, view b, long n) {
    if (n <= leaf) {
        multiply_leaf(c, a, b, n);
        return;
    }
    long half = n / 2;
    double *done = new_values(PRODUCTS * half * half);
    for (int p = 0; p < PRODUCTS; p++)
        PRODUCT(multiply_serial, done + p * half * half, a, b, half, p);
    combine(c, done, half);
    free(done);
}

#define MULTIPLY(name, tying)                                                                      \
    static void name(view c, view a, view b, long n, int depth) {                                  \
        if (n <= leaf || cutoff_serial(cutoff.kind, cutoff.depth, depth)) {                        \
            multiply_serial(c, a, b, n);                                                           \
            return;                                                                                \
        }                                                                                          \
        long half = n / 2;                                                                         \
        double *done = new_values(PRODUCTS * half * half);                                         \
        for (int p = 0; p < PRODUCTS; p++) {                                                       \
            BENCH_TASK(tying firstprivate(p, done, a, b, half, depth)                              \
                           CUTOFF_CLAUSES(cutoff.kind, cutoff.depth, depth))                       \
            PRODUCT(name, done + p * half * half, a, b, half, p, depth + 1);                       \
        }                                                                                          \
        BENCH_PRAGMA(omp taskwait)                                                                 \
        combine(c, done, half);                                                                    \
        free(done);                                                                                \
    }

MULTIPLY(multiply_tied, )
MULTIPLY(multiply_untied, untied)

static double run(enum variant variant, view c, view a, view b, long n) {
    double start = bench_seconds();
    if (variant == SERIAL) {
        multiply_serial(c, a, b, n);
    } else {
#pragma omp parallel
#pragma omp single
        (variant == TIED ? multiply_tied : multiply_untied)(c, a, b, n, 0);
    }
    return bench_seconds() - start;
}

static long tasks_below(long n, long depth) {
    if (n <= leaf || cutoff_serial(cutoff.kind, cutoff.depth, depth))
        return 0;
    return PRODUCTS * (1 + tasks_below(n / 2, depth + 1));
}

static uint64_t scramble(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// Random in [-1, 1).
static view new_matrix(long n, long seed) {
    view m = {new_values(n * n), n};
    for (long i = 0; i < n * n; i++) {
        uint64_t bits = scramble((uint64_t)(seed * n * n + i + 1) * 0x9e3779b97f4a7c15u);
        m.values[i] = (double)(bits >> 11) * 0x1p-52 - 1.0;
    }
    return m;
}

static void apply(view m, const double *x, double *y, long n) {
    for (long i = 0; i < n; i++) {
        y[i] = 0.0;
        for (long j = 0; j < n; j++)
            y[i] += m.values[i * m.stride + j] * x[j];
    }
}

// The largest component of C x - A (B x) for a few x of random signs (Freivalds 1977), over
// n^2 * epsilon * n: in a product that is right, rounding leaves this well below 1.
static double residual(view c, view a, view b, long n) {
    double *x = new_values(4 * n), *bx = x + n, *abx = bx + n, *cx = abx + n, worst = 0.0;
    for (int vector = 0; vector < RESIDUAL_VECTORS; vector++) {
        for (long i = 0; i < n; i++)
            x[i] = scramble((uint64_t)(vector * n + i + 1)) & 1 ? 1.0 : -1.0;
        apply(b, x, bx, n);
        apply(a, bx, abx, n);
        apply(c, x, cx, n);
        for (long i = 0; i < n; i++) {
            double difference = cx[i] - abx[i];
            worst = isnan(difference) ? INFINITY : fmax(worst, fabs(difference));
        }
    }
    free(x);
    return worst / ((double)n * (double)n * (double)n * DBL_EPSILON);
}

int main(int argc, char **argv) {
    long n = 1024, variant = TIED;
    int no_reference = 0;
    const bench_option options[] = {
        {"size", 'n', BENCH_INTEGER, &n, 2, 8192, "N", "rows of the matrices, a power of 2 (1024)"},
        {"leaf", 'l', BENCH_INTEGER, &leaf, 1, 8192, "N",
         "rows up to which matrices are multiplied as usual (32)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "tied|untied|serial", "which program (tied)"},
        BENCH_CUTOFF_OPTIONS(cutoff),
        {"no-reference", 0, BENCH_FLAG, &no_reference, 0, 0, NULL,
         "do not time the serial program as well; checks the residual only"},
    };
    bench_parse(argc, argv, "Strassen's multiplication of square matrices, a task per product.",
                options, sizeof options / sizeof options[0]);
    if ((n & (n - 1)) != 0)
        bench_usage("--size %ld is no power of 2", n);

    mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    warm_heap(n);
    int reference = variant != SERIAL && !no_reference;
    view a = new_matrix(n, 1), b = new_matrix(n, 2), c = new_matrix(n, 3), serial = {NULL, n};
    double serial_seconds = 0.0;
    if (reference) {
        serial = new_matrix(n, 4);
        serial_seconds = run(SERIAL, serial, a, b, n);
    }
    int threads = variant == SERIAL ? 1 : bench_team();
#pragma omp parallel if (variant != SERIAL)
    warm_heap(n);
    double seconds = run((enum variant)variant, c, a, b, n);

    double error = residual(c, a, b, n);
    if (!(error < 1.0))
        bench_fail("wrong answer: the residual is %g times what rounding explains", error);
    if (reference && memcmp(c.values, serial.values, (size_t)(n * n) * sizeof *c.values) != 0)
        bench_fail("wrong answer: the product differs from that of the serial program");

    bench_json_begin("strassen", variant_names[variant], threads, seconds);
    bench_json_integer("answer", bench_digest(c.values, (size_t)(n * n)));
    bench_json_integer("size", n);
    bench_json_integer("leaf", leaf);
    bench_json_real("residual", error);
    if (variant != SERIAL) {
        long tasks = tasks_below(n, 0);
        bench_json_cutoff(cutoff);
        bench_json_integer("tasks", tasks);
        bench_json_real("ns_per_task_effective", 1e9 * seconds / (double)tasks);
    }
    if (reference)
        bench_json_serial(serial_seconds, seconds);
    bench_json_end();
    free(a.values);
    free(b.values);
    free(c.values);
    free(serial.values);
    return 0;
}
