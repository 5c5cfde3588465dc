// SPDX-License-Identifier: Apache-2.0
// Fast Fourier transform of complex numbers, recursive, by twos (decimation in time), out of
// place. A task transforms the even or the odd points; the butterflies that join them are divided
// by tasks as well. The fft kernel of the Barcelona OpenMP Tasks Suite (Duran et al., ICPP 2009),
// after Cooley & Tukey, Mathematics of Computation 19, 1965; our own code.
// Usage: fft [--n 2097152] [--variant tied|untied|serial] [--cutoff none|if|final|manual]
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../common/bench.h"
#include "../common/cutoff.h"

enum { LEAF = 16, JOIN_LEAF = 128 }; // points; butterflies
enum variant { TIED, UNTIED, SERIAL };
static const char *const variant_names[] = {"tied", "untied", "serial"};

typedef struct {
    double re, im;
} point;

static bench_cutoff cutoff = {CUTOFF_NONE, 7};
static point *roots; // roots[m / 2 + k] = exp(-2 pi i k / m), for m a power of 2 and 2k < m

static void *allocated(size_t bytes) {
    void *memory = malloc(bytes);
    if (memory == NULL)
        bench_fail("out of memory");
    memset(memory, 0, bytes); // the pages are there before the clock starts
    return memory;
}

static void compute_roots(size_t n) {
    roots = allocated(n * sizeof *roots);
    for (size_t m = 2; m <= n; m *= 2)
        for (size_t k = 0; k < m / 2; k++) {
            double angle = -2.0 * M_PI * (double)k / (double)m;
            roots[m / 2 + k] = (point){cos(angle), sin(angle)};
        }
}

// Butterflies [from, to) of the `half` that make out's two transforms of half the size one. Not
// inlined: the serial program and the tasks then round alike on every machine.
static __attribute__((noinline)) void join_leaf(point *out, size_t half, size_t from, size_t to) {
    const point *root = &roots[half];
    point *upper = out + half;
    for (size_t k = from; k < to; k++) {
        point even = out[k], odd = upper[k], w = root[k];
        point turned = {odd.re * w.re - odd.im * w.im, odd.re * w.im + odd.im * w.re};
        out[k] = (point){even.re + turned.re, even.im + turned.im};
        upper[k] = (point){even.re - turned.re, even.im - turned.im};
    }
}

// A small transform without recursion: the points in bit-reversed order, then joined by size.
static __attribute__((noinline)) void fft_leaf(point *out, const point *in, size_t stride,
                                               size_t n) {
    for (size_t i = 0, reversed = 0; i < n; i++) {
        out[i] = in[reversed * stride];
        size_t bit = n / 2; // add 1 to the mirrored number
        for (; bit > 0 && (reversed & bit) != 0; bit /= 2)
            reversed -= bit;
        reversed += bit;
    }
    for (size_t half = 1; half < n; half *= 2)
        for (size_t block = 0; block < n; block += 2 * half)
            join_leaf(out + block, half, 0, half);
}

static void join_serial(point *out, size_t half, size_t from, size_t to) {
    if (to - from <= JOIN_LEAF) {
        join_leaf(out, half, from, to);
        return;
    }
    size_t middle = from + (to - from) / 2;
    join_serial(out, half, from, middle);
    join_serial(out, half, middle, to);
}

// out := transform of the n points in[0], in[stride], in[2 stride], ...
static void fft_serial(point *out, const point *in, size_t stride, size_t n) {
    if (n <= LEAF) {
        fft_leaf(out, in, stride, n);
        return;
    }
    fft_serial(out, in, 2 * stride, n / 2);
    fft_serial(out + n / 2, in + stride, 2 * stride, n / 2);
    join_serial(out, n / 2, 0, n / 2);
}

#define FFT_TASK(TYING, KIND) BENCH_TASK(TYING CUTOFF_CLAUSES(KIND, cutoff.depth, depth))

// The same with tasks: join_NAME and fft_NAME, at `depth` of the recursion.
#define DEFINE_FFT(NAME, TYING, KIND)                                                              \
    static void join_##NAME(point *out, size_t half, size_t from, size_t to, long depth) {         \
        if (cutoff_serial(KIND, cutoff.depth, depth)) {                                            \
            join_serial(out, half, from, to);                                                      \
            return;                                                                                \
        }                                                                                          \
        if (to - from <= JOIN_LEAF) {                                                              \
            join_leaf(out, half, from, to);                                                        \
            return;                                                                                \
        }                                                                                          \
        size_t middle = from + (to - from) / 2;                                                    \
        FFT_TASK(TYING, KIND)                                                                      \
        join_##NAME(out, half, from, middle, depth + 1);                                           \
        FFT_TASK(TYING, KIND)                                                                      \
        join_##NAME(out, half, middle, to, depth + 1);                                             \
        BENCH_PRAGMA(omp taskwait)                                                                 \
    }                                                                                              \
                                                                                                   \
    static void fft_##NAME(point *out, const point *in, size_t stride, size_t n, long depth) {     \
        if (cutoff_serial(KIND, cutoff.depth, depth)) {                                            \
            fft_serial(out, in, stride, n);                                                        \
            return;                                                                                \
        }                                                                                          \
        if (n <= LEAF) {                                                                           \
            fft_leaf(out, in, stride, n);                                                          \
            return;                                                                                \
        }                                                                                          \
        FFT_TASK(TYING, KIND)                                                                      \
        fft_##NAME(out, in, 2 * stride, n / 2, depth + 1);                                         \
        FFT_TASK(TYING, KIND)                                                                      \
        fft_##NAME(out + n / 2, in + stride, 2 * stride, n / 2, depth + 1);                        \
        BENCH_PRAGMA(omp taskwait)                                                                 \
        join_##NAME(out, n / 2, 0, n / 2, depth);                                                  \
    }

CUTOFF_FORMS(DEFINE_FFT)

typedef void transform(point *out, const point *in, size_t stride, size_t n, long depth);
static transform *const transforms[2][CUTOFF_KINDS] = CUTOFF_TABLE(fft);

static void run(enum variant variant, point *out, const point *in, size_t n) {
    if (variant == SERIAL) {
        fft_serial(out, in, 1, n);
        return;
    }
    transform *fft = transforms[variant][cutoff.kind];
#pragma omp parallel
#pragma omp single
    fft(out, in, 1, n, 0);
}

// Tasks without a cut-off: two for each inner node of the recursion of either kind.
static long tasks_in(size_t n) {
    long tasks = 0, calls = 1;
    for (; n > LEAF; n /= 2, calls *= 2) {
        long leaves = n / 2 > JOIN_LEAF ? (long)(n / 2 / JOIN_LEAF) : 1;
        tasks += calls * (2 + 2 * (leaves - 1));
    }
    return tasks;
}

static void fill(point *in, size_t n) {
    uint64_t state = 0x2545f4914f6cdd1du;
    for (size_t i = 0; i < 2 * n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double value = (double)(state >> 11) * 0x1p-52 - 1.0; // in [-1, 1)
        *(i % 2 == 0 ? &in[i / 2].re : &in[i / 2].im) = value;
    }
}

// Some points of the transform from its definition, and the inverse against the input. Rounding
// errors grow with log n; the input's numbers are below 1 in size, the spectrum's about sqrt n.
static void check_serial(const point *out, const point *in, size_t n) {
    double allowed = 1e-13 * (1.0 + log2((double)n));
    for (size_t sample = 0; sample < 4; sample++) {
        size_t f = sample * 0x9e3779b1u % n;
        double re = 0.0, im = 0.0;
        for (size_t i = 0; i < n; i++) {
            double angle = -2.0 * M_PI * (double)(f * i % n) / (double)n;
            re += in[i].re * cos(angle) - in[i].im * sin(angle);
            im += in[i].re * sin(angle) + in[i].im * cos(angle);
        }
        double error = hypot(out[f].re - re, out[f].im - im) / sqrt((double)n);
        if (!(error <= allowed))
            bench_fail("wrong answer: point %zu of %zu is off by %g", f, n, error);
    }
    // The inverse is the transform with the parts exchanged, before and after, over n.
    point *exchanged = allocated(n * sizeof *exchanged), *back = allocated(n * sizeof *back);
    for (size_t i = 0; i < n; i++)
        exchanged[i] = (point){out[i].im, out[i].re};
    fft_serial(back, exchanged, 1, n);
    for (size_t i = 0; i < n; i++) {
        double error = hypot(back[i].im / (double)n - in[i].re, back[i].re / (double)n - in[i].im);
        if (!(error <= allowed))
            bench_fail("wrong answer: the inverse is off by %g at point %zu", error, i);
    }
    free(exchanged);
    free(back);
}

int main(int argc, char **argv) {
    long n = 2l << 20, variant = TIED;
    const bench_option options[] = {
        {"n", 'n', BENCH_INTEGER, &n, 2, 1l << 26, "N", "points, a power of 2 (2097152)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "tied|untied|serial", "which program (tied)"},
        BENCH_CUTOFF_OPTIONS(cutoff),
    };
    bench_parse(argc, argv, "Recursive Fourier transform, tasks down to 16 points.", options,
                sizeof options / sizeof options[0]);
    if ((n & (n - 1)) != 0)
        bench_usage("--n must be a power of 2, not %ld", n);

    size_t count = (size_t)n, bytes = count * sizeof(point);
    point *in = allocated(bytes), *expected = allocated(bytes), *out = allocated(bytes);
    compute_roots(count);
    fill(in, count);
    double start = bench_seconds();
    run(SERIAL, expected, in, count);
    double serial_seconds = bench_seconds() - start;
    check_serial(expected, in, count);

    int threads = variant == SERIAL ? 1 : bench_team();
    start = bench_seconds();
    run((enum variant)variant, out, in, count);
    double seconds = bench_seconds() - start;
    if (memcmp(out, expected, bytes) != 0)
        bench_fail("wrong %s answer: not the serial program's bits", variant_names[variant]);

    bench_json_begin("fft", variant_names[variant], threads, seconds);
    bench_json_integer("answer", bench_digest(&out[0].re, 2 * count));
    bench_json_integer("n", n);
    if (variant != SERIAL) {
        bench_json_cutoff(cutoff);
        if (cutoff.kind == CUTOFF_NONE)
            bench_json_integer("tasks", tasks_in(count));
        bench_json_serial(serial_seconds, seconds);
    }
    bench_json_end();
    free(in);
    free(expected);
    free(out);
    free(roots);
    return 0;
}
