// SPDX-License-Identifier: Apache-2.0
// Tiled Cholesky factorization A = L L^T: four kinds of tasks on tiles, ordered by nothing but
// their depend clauses. The classic use of task dependences (Buttari et al., Parallel Computing
// 35(1), 2009); small tiles make the runtime the bottleneck, large ones the parallelism. Plain C
// kernels, no BLAS. Usage: cholesky [--size 2048] [--tile 64] [--variant tasks|serial]
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../common/bench.h"

enum variant { TASKS, SERIAL };
static const char *const variant_names[] = {"tasks", "serial"};
enum { RESIDUAL_VECTORS = 3 };

// The lower half of a symmetric matrix, in square tiles that each lie in one piece, by columns.
typedef struct {
    long size, tile, tiles; // rows, rows in a tile, rows of tiles
    double *values;
} matrix;

static size_t value_count(const matrix *m) {
    return (size_t)(m->tiles * (m->tiles + 1) / 2 * m->tile * m->tile);
}

static double *tile_at(const matrix *m, long row, long column) {
    return m->values + (row * (row + 1) / 2 + column) * m->tile * m->tile;
}

static double value_at(const matrix *m, long row, long column) {
    const double *tile = tile_at(m, row / m->tile, column / m->tile);
    return tile[row % m->tile + column % m->tile * m->tile];
}

static uint64_t scramble(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// The matrix to factor: off the diagonal random in [-1, 1), on it large enough that the matrix
// is positive definite.
static double entry(long size, long row, long column) {
    if (row == column)
        return (double)size;
    long low = row < column ? row : column, high = row < column ? column : row;
    uint64_t bits = scramble((uint64_t)(high * size + low) * 0x9e3779b97f4a7c15u);
    return (double)(bits >> 11) * 0x1p-52 - 1.0;
}

static void fill(const matrix *m) {
    for (long row = 0; row < m->tiles; row++)
        for (long column = 0; column <= row; column++) {
            double *tile = tile_at(m, row, column);
            for (long j = 0; j < m->tile; j++)
                for (long i = 0; i < m->tile; i++)
                    tile[i + j * m->tile] = entry(m->size, row * m->tile + i, column * m->tile + j);
        }
}

static matrix new_matrix(long size, long tile) {
    matrix m = {size, tile, size / tile, NULL};
    m.values = malloc(value_count(&m) * sizeof *m.values);
    if (m.values == NULL)
        bench_fail("no memory for a matrix of %ld rows", size);
    fill(&m);
    return m;
}

// The kernels, on tiles of n by n. Never inlined, so that the serial program and the tasks run
// the same instructions and agree to the last bit.
#define KERNEL static __attribute__((noinline, noclone)) void

// target -= factor * source, from `first` on.
static inline void subtract(double *restrict target, const double *restrict source, double factor,
                            long first, long n) {
    for (long i = first; i < n; i++)
        target[i] -= factor * source[i];
}

// a := the factor L of a. What is not positive definite becomes NaN, which the check finds.
KERNEL potrf(double *a, long n) {
    for (long k = 0; k < n; k++) {
        double *column = a + k * n;
        column[k] = sqrt(column[k]);
        for (long i = k + 1; i < n; i++)
            column[i] /= column[k];
        for (long j = k + 1; j < n; j++)
            subtract(a + j * n, column, column[j], j, n);
    }
}

// a := a L^-T
KERNEL trsm(const double *l, double *a, long n) {
    for (long k = 0; k < n; k++) {
        double *column = a + k * n;
        for (long i = 0; i < n; i++)
            column[i] /= l[k + k * n];
        for (long j = k + 1; j < n; j++)
            subtract(a + j * n, column, l[j + k * n], 0, n);
    }
}

// c := c - a a^T, the lower half
KERNEL syrk(const double *a, double *c, long n) {
    for (long j = 0; j < n; j++)
        for (long k = 0; k < n; k++)
            subtract(c + j * n, a + k * n, a[j + k * n], j, n);
}

// c := c - a b^T
KERNEL gemm(const double *a, const double *b, double *c, long n) {
    for (long j = 0; j < n; j++)
        for (long k = 0; k < n; k++)
            subtract(c + j * n, a + k * n, b[j + k * n], 0, n);
}

static void factor_serial(const matrix *m) {
    long n = m->tile;
    for (long k = 0; k < m->tiles; k++) {
        potrf(tile_at(m, k, k), n);
        for (long i = k + 1; i < m->tiles; i++)
            trsm(tile_at(m, k, k), tile_at(m, i, k), n);
        for (long i = k + 1; i < m->tiles; i++) {
            syrk(tile_at(m, i, k), tile_at(m, i, i), n);
            for (long j = k + 1; j < i; j++)
                gemm(tile_at(m, i, k), tile_at(m, j, k), tile_at(m, i, j), n);
        }
    }
}

// A tile's updates are a chain by its inout, so they come in the order of the serial program.
static void factor_tasks(const matrix *m) {
    long n = m->tile;
    for (long k = 0; k < m->tiles; k++) {
        double *kk = tile_at(m, k, k);
#pragma omp task depend(inout : kk[0])
        potrf(kk, n);
        for (long i = k + 1; i < m->tiles; i++) {
            double *ik = tile_at(m, i, k);
#pragma omp task depend(in : kk[0]) depend(inout : ik[0])
            trsm(kk, ik, n);
        }
        for (long i = k + 1; i < m->tiles; i++) {
            double *ik = tile_at(m, i, k), *ii = tile_at(m, i, i);
#pragma omp task depend(in : ik[0]) depend(inout : ii[0])
            syrk(ik, ii, n);
            for (long j = k + 1; j < i; j++) {
                double *jk = tile_at(m, j, k), *ij = tile_at(m, i, j);
#pragma omp task depend(in : ik[0], jk[0]) depend(inout : ij[0])
                gemm(ik, jk, ij, n);
            }
        }
    }
}

static double run(enum variant variant, const matrix *m) {
    double start = bench_seconds();
    if (variant == SERIAL) {
        factor_serial(m);
    } else {
#pragma omp parallel
#pragma omp single
        factor_tasks(m);
    }
    return bench_seconds() - start;
}

// The largest component of A x - L (L^T x) for a few x of random signs, over
// size * epsilon * |A|: in a factorization that is right, rounding leaves this well below 1.
static double residual(const matrix *l) {
    long size = l->size;
    double *x = calloc(2 * (size_t)size, sizeof *x), *y = x + size; // y = L^T x
    double worst = 0.0, norm = 0.0;
    if (x == NULL)
        bench_fail("no memory for the check");
    for (int vector = 0; vector < RESIDUAL_VECTORS; vector++) {
        for (long i = 0; i < size; i++)
            x[i] = scramble((uint64_t)(vector * size + i + 1)) & 1 ? 1.0 : -1.0;
        for (long j = 0; j < size; j++) {
            y[j] = 0.0;
            for (long i = j; i < size; i++)
                y[j] += value_at(l, i, j) * x[i];
        }
        for (long i = 0; i < size; i++) {
            double product = 0.0, sum = 0.0;
            for (long j = 0; j < size; j++) {
                double a = entry(size, i, j);
                product += a * x[j];
                sum += fabs(a);
                if (j <= i)
                    product -= value_at(l, i, j) * y[j];
            }
            norm = fmax(norm, sum);
            worst = isnan(product) ? INFINITY : fmax(worst, fabs(product));
        }
    }
    free(x);
    return worst / ((double)size * DBL_EPSILON * norm);
}

int main(int argc, char **argv) {
    long size = 2048, tile = 64, variant = TASKS;
    int no_reference = 0;
    const bench_option options[] = {
        {"size", 'n', BENCH_INTEGER, &size, 16, 16384, "N",
         "rows of the matrix, a multiple of the tile (2048)"},
        {"tile", 'b', BENCH_INTEGER, &tile, 4, 1024, "B", "rows of a tile (64)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "tasks|serial", "which program (tasks)"},
        {"no-reference", 0, BENCH_FLAG, &no_reference, 0, 0, NULL,
         "do not time the serial program as well; checks the residual only"},
    };
    bench_parse(argc, argv, "Tiled Cholesky factorization, a task per operation on tiles.", options,
                sizeof options / sizeof options[0]);
    if (size % tile != 0)
        bench_usage("--size %ld is no multiple of --tile %ld", size, tile);

    int reference = variant != SERIAL && !no_reference;
    matrix serial = new_matrix(size, tile), m = new_matrix(size, tile);
    double serial_seconds = reference ? run(SERIAL, &serial) : 0.0;
    int threads = variant == SERIAL ? 1 : bench_team();
    double seconds = run((enum variant)variant, &m);

    double error = residual(&m);
    if (!(error < 1.0))
        bench_fail("wrong answer: the residual is %g times what rounding explains", error);
    if (reference && memcmp(m.values, serial.values, value_count(&m) * sizeof *m.values) != 0)
        bench_fail("wrong answer: the factor differs from that of the serial program");

    long t = m.tiles, tasks = t + t * (t - 1) + t * (t - 1) * (t - 2) / 6;
    bench_json_begin("cholesky", variant_names[variant], threads, seconds);
    bench_json_integer("answer", bench_digest(m.values, value_count(&m)));
    bench_json_integer("size", size);
    bench_json_integer("tile", tile);
    bench_json_integer("tasks", tasks);
    bench_json_real("residual", error);
    bench_json_real("gflops", 1e-9 * pow((double)size, 3) / 3.0 / seconds);
    bench_json_real("ns_per_task_effective", 1e9 * seconds / (double)tasks);
    if (reference)
        bench_json_serial(serial_seconds, seconds);
    bench_json_end();
    free(serial.values);
    free(m.values);
    return 0;
}
