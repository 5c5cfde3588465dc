// SPDX-License-Identifier: Apache-2.0
// LU factorization of a sparse matrix of dense blocks, without pivoting. In each step one block
// of the diagonal is factored, then a task for each block right of and below it, then, after a
// wait, one for each block that these two update: few tasks, and fewer in every step. After the
// kernel of the Barcelona OpenMP Tasks Suite (Duran et al., ICPP 2009), our own matrix and code.
// Usage: sparselu [--blocks 50] [--size 100] [--variant tied|untied|serial]
//                 [--generator single|for] [--threads N]
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../common/bench.h"
#include "../common/cutoff.h"

enum { MAX_BLOCKS = 400, RESIDUAL_VECTORS = 3 };
enum variant { TIED, UNTIED, SERIAL };
static const char *const variant_names[] = {"tied", "untied", "serial"};
enum generator { SINGLE, FOR };
static const char *const generator_names[] = {"single", "for"};

// A square of blocks, each of `size` rows in one piece or, where all is zero, absent. A block
// that becomes nonzero on the way is there from the start, and has been written: the first read of
// a page that was not has the system map one that all share, and the first write then interrupts
// each other CPU that runs a thread of the process, which took a third of the time on two.
typedef struct {
    long blocks, size; // in a row of blocks; rows in a block
    double *values, **block;
    size_t count; // of values
} matrix;

static double *block_at(const matrix *m, long row, long column) {
    return m->block[row * m->blocks + column];
}

static uint64_t scramble(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// Random in [0, 1), the same for the same place.
static double random_at(long row, long column, long columns) {
    uint64_t bits = scramble((uint64_t)(row * columns + column + 1) * 0x9e3779b97f4a7c15u);
    return (double)(bits >> 11) * 0x1p-53;
}

static int nonzero_at_first(const matrix *m, long row, long column, double density) {
    return row == column || random_at(row, column, m->blocks) < density;
}

// The matrix to factor: random in [-1, 1), and a diagonal that needs no pivoting.
static double entry(const matrix *m, long row, long column) {
    long rows = m->blocks * m->size;
    return row == column ? (double)rows : 2.0 * random_at(row, column, rows) - 1.0;
}

static void fill(const matrix *m, long row, long column) {
    double *block = block_at(m, row, column);
    for (long i = 0; i < m->size; i++)
        for (long j = 0; j < m->size; j++)
            block[i * m->size + j] = entry(m, row * m->size + i, column * m->size + j);
}

// What the factorization will touch: the symbolic step of a sparse solver.
static void add_fill_in(char *present, long blocks) {
    for (long k = 0; k < blocks; k++)
        for (long i = k + 1; i < blocks; i++)
            for (long j = k + 1; j < blocks; j++)
                present[i * blocks + j] |= present[i * blocks + k] & present[k * blocks + j];
}

static matrix new_matrix(long blocks, long size, double density) {
    static char present[MAX_BLOCKS * MAX_BLOCKS];
    matrix m = {blocks, size, NULL, NULL, 0};
    long squares = blocks * blocks, used = 0;
    for (long s = 0; s < squares; s++)
        present[s] = (char)nonzero_at_first(&m, s / blocks, s % blocks, density);
    add_fill_in(present, blocks);
    for (long s = 0; s < squares; s++)
        used += present[s];
    m.count = (size_t)(used * size * size);
    m.values = malloc(m.count * sizeof *m.values);
    m.block = calloc((size_t)squares, sizeof *m.block);
    if (m.values == NULL || m.block == NULL)
        bench_fail("no memory for %ld blocks of %ld rows", used, size);
    for (long s = 0, next = 0; s < squares; s++) {
        if (!present[s])
            continue;
        m.block[s] = m.values + next++ * size * size;
        if (nonzero_at_first(&m, s / blocks, s % blocks, density))
            fill(&m, s / blocks, s % blocks);
        else
            memset(m.block[s], 0, (size_t)(size * size) * sizeof *m.values);
    }
    return m;
}

// The kernels, on blocks of n by n, by rows. Never inlined, so that the serial program and the
// tasks run the same instructions and agree to the last bit.
#define KERNEL static __attribute__((noinline, noclone)) void

// target -= factor * source, from `first` on.
static inline void subtract(double *restrict target, const double *restrict source, double factor,
                            long first, long n) {
    for (long j = first; j < n; j++)
        target[j] -= factor * source[j];
}

// a := its factors, L (its diagonal of ones is not stored) and U.
KERNEL lu0(double *a, long n) {
    for (long k = 0; k < n; k++)
        for (long i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
            subtract(a + i * n, a + k * n, a[i * n + k], k + 1, n);
        }
}

// a := L^-1 a, for a block right of the diagonal's
KERNEL fwd(const double *lu, double *a, long n) {
    for (long k = 0; k < n; k++)
        for (long i = k + 1; i < n; i++)
            subtract(a + i * n, a + k * n, lu[i * n + k], 0, n);
}

// a := a U^-1, for a block below the diagonal's
KERNEL bdiv(const double *lu, double *a, long n) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++) {
            a[i * n + k] /= lu[k * n + k];
            subtract(a + i * n, lu + k * n, a[i * n + k], k + 1, n);
        }
}

// c := c - a b
KERNEL bmod(const double *a, const double *b, double *c, long n) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            subtract(c + i * n, b + k * n, a[i * n + k], 0, n);
}

static void factor_serial(const matrix *m) {
    long n = m->size;
    for (long k = 0; k < m->blocks; k++) {
        double *kk = block_at(m, k, k);
        lu0(kk, n);
        for (long j = k + 1; j < m->blocks; j++)
            if (block_at(m, k, j) != NULL)
                fwd(kk, block_at(m, k, j), n);
        for (long i = k + 1; i < m->blocks; i++)
            if (block_at(m, i, k) != NULL)
                bdiv(kk, block_at(m, i, k), n);
        for (long i = k + 1; i < m->blocks; i++)
            for (long j = k + 1; j < m->blocks; j++)
                if (block_at(m, i, k) != NULL && block_at(m, k, j) != NULL)
                    bmod(block_at(m, i, k), block_at(m, k, j), block_at(m, i, j), n);
    }
}

// The same with tasks. `once`, `loop` and `wait` are the constructs of one of the two forms: all
// threads share the loops that create tasks and meet at barriers, or one creates them and waits.
#define FACTOR(name, tying, once, loop, wait)                                                      \
    static void name(const matrix *m) {                                                            \
        for (long k = 0; k < m->blocks; k++) {                                                     \
            once lu0(block_at(m, k, k), m->size);                                                  \
            loop for (long j = k + 1; j < m->blocks; j++) if (block_at(m, k, j) != NULL) {         \
                BENCH_TASK(tying firstprivate(m, k, j))                                            \
                fwd(block_at(m, k, k), block_at(m, k, j), m->size);                                \
            }                                                                                      \
            loop for (long i = k + 1; i < m->blocks; i++) if (block_at(m, i, k) != NULL) {         \
                BENCH_TASK(tying firstprivate(m, k, i))                                            \
                bdiv(block_at(m, k, k), block_at(m, i, k), m->size);                               \
            }                                                                                      \
            wait loop for (long i = k + 1; i < m->blocks;                                          \
                           i++) for (long j = k + 1; j < m->blocks;                                \
                                     j++) if (block_at(m, i, k) != NULL &&                         \
                                              block_at(m, k, j) != NULL) {                         \
                BENCH_TASK(tying firstprivate(m, k, i, j))                                         \
                bmod(block_at(m, i, k), block_at(m, k, j), block_at(m, i, j), m->size);            \
            }                                                                                      \
            wait                                                                                   \
        }                                                                                          \
    }

#define ONCE BENCH_PRAGMA(omp single)
#define SHARED BENCH_PRAGMA(omp for nowait)
#define MEET BENCH_PRAGMA(omp barrier)
#define WAIT BENCH_PRAGMA(omp taskwait)

FACTOR(factor_single_tied, , , , WAIT)
FACTOR(factor_single_untied, untied, , , WAIT)
FACTOR(factor_for_tied, , ONCE, SHARED, MEET)
FACTOR(factor_for_untied, untied, ONCE, SHARED, MEET)

static double run(enum variant variant, enum generator generator, const matrix *m) {
    double start = bench_seconds();
    if (variant == SERIAL) {
        factor_serial(m);
    } else if (generator == FOR) {
#pragma omp parallel
        (variant == TIED ? factor_for_tied : factor_for_untied)(m);
    } else {
#pragma omp parallel
#pragma omp single
        (variant == TIED ? factor_single_tied : factor_single_untied)(m);
    }
    return bench_seconds() - start;
}

static long count_tasks(const matrix *m) {
    long tasks = 0;
    for (long k = 0; k < m->blocks; k++) {
        long right = 0, below = 0;
        for (long i = k + 1; i < m->blocks; i++) {
            right += block_at(m, k, i) != NULL;
            below += block_at(m, i, k) != NULL;
        }
        tasks += right + below + right * below;
    }
    return tasks;
}

// y := L (U x)
static void multiply_factors(const matrix *lu, const double *x, double *y) {
    long n = lu->size, rows = lu->blocks * n;
    double *ux = calloc((size_t)rows, sizeof *ux);
    if (ux == NULL)
        bench_fail("no memory for the check");
    for (int lower = 0; lower < 2; lower++) {
        const double *from = lower ? ux : x;
        double *to = lower ? y : ux;
        for (long row = 0; row < rows; row++) {
            double sum = lower ? from[row] : 0.0;
            for (long b = lower ? 0 : row / n; b <= (lower ? row / n : lu->blocks - 1); b++) {
                const double *block = block_at(lu, row / n, b);
                for (long j = 0; block != NULL && j < n; j++)
                    if (lower ? b * n + j < row : b * n + j >= row)
                        sum += block[row % n * n + j] * from[b * n + j];
            }
            to[row] = sum;
        }
    }
    free(ux);
}

// The largest component of A x - L (U x) for a few x of random signs, over
// rows * epsilon * |A|: in a factorization that is right, rounding leaves this well below 1.
static double residual(const matrix *lu, double density) {
    long n = lu->size, rows = lu->blocks * n;
    double *x = calloc(2 * (size_t)rows, sizeof *x), *y = x + rows;
    double worst = 0.0, norm = 0.0;
    if (x == NULL)
        bench_fail("no memory for the check");
    for (int vector = 0; vector < RESIDUAL_VECTORS; vector++) {
        for (long i = 0; i < rows; i++)
            x[i] = scramble((uint64_t)(vector * rows + i + 1)) & 1 ? 1.0 : -1.0;
        multiply_factors(lu, x, y);
        for (long i = 0; i < rows; i++) {
            double difference = -y[i], sum = 0.0;
            for (long b = 0; b < lu->blocks; b++) {
                if (!nonzero_at_first(lu, i / n, b, density))
                    continue;
                for (long j = b * n; j < (b + 1) * n; j++) {
                    difference += entry(lu, i, j) * x[j];
                    sum += fabs(entry(lu, i, j));
                }
            }
            norm = fmax(norm, sum);
            worst = isnan(difference) ? INFINITY : fmax(worst, fabs(difference));
        }
    }
    free(x);
    return worst / ((double)rows * DBL_EPSILON * norm);
}

int main(int argc, char **argv) {
    long blocks = 50, size = 100, variant = TIED, generator = SINGLE;
    double density = 0.045;
    int no_reference = 0;
    const bench_option options[] = {
        {"blocks", 0, BENCH_INTEGER, &blocks, 1, MAX_BLOCKS, "N", "blocks in a row of them (50)"},
        {"size", 'n', BENCH_INTEGER, &size, 1, 1000, "N", "rows of a block (100)"},
        {"density", 0, BENCH_REAL, &density, 0.0, 1.0, "P",
         "fraction of the blocks off the diagonal that is nonzero before filling in (0.045)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "tied|untied|serial", "which program (tied)"},
        {"generator", 0, BENCH_CHOICE, &generator, 0, 0, "single|for",
         "who creates the tasks: one thread, or all in shared loops (single)"},
        {"no-reference", 0, BENCH_FLAG, &no_reference, 0, 0, NULL,
         "do not time the serial program as well; checks the residual only"},
    };
    bench_parse(argc, argv, "LU factorization of a sparse matrix of dense blocks.", options,
                sizeof options / sizeof options[0]);

    int reference = variant != SERIAL && !no_reference;
    double serial_seconds = 0.0;
    matrix m = new_matrix(blocks, size, density), serial = {0};
    if (reference) {
        serial = new_matrix(blocks, size, density);
        serial_seconds = run(SERIAL, SINGLE, &serial);
    }
    int threads = variant == SERIAL ? 1 : bench_team();
    double seconds = run((enum variant)variant, (enum generator)generator, &m);

    double error = residual(&m, density);
    if (!(error < 1.0))
        bench_fail("wrong answer: the residual is %g times what rounding explains", error);
    if (reference && memcmp(m.values, serial.values, m.count * sizeof *m.values) != 0)
        bench_fail("wrong answer: the factors differ from those of the serial program");

    bench_json_begin("sparselu", variant_names[variant], threads, seconds);
    bench_json_integer("answer", bench_digest(m.values, m.count));
    bench_json_integer("blocks", blocks);
    bench_json_integer("size", size);
    bench_json_real("residual", error);
    if (variant != SERIAL) {
        long tasks = count_tasks(&m);
        bench_json_text("generator", generator_names[generator]);
        bench_json_integer("tasks", tasks);
        bench_json_real("ns_per_task_effective", 1e9 * seconds / (double)tasks);
    }
    if (reference)
        bench_json_serial(serial_seconds, seconds);
    bench_json_end();
    free(serial.values);
    free(serial.block);
    free(m.values);
    free(m.block);
    return 0;
}
