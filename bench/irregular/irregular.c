// SPDX-License-Identifier: Apache-2.0
// One loop whose iterations are not equal (loops.h), repeated: schedule(runtime), so that
// OMP_SCHEDULE says how it is shared out. Each iteration adds a number to its own element that
// takes its turns to compute, and that nothing else yields: all elements are compared.
// Usage: irregular [--loop NAME] [--n 100000] [--turns 200] [--repetitions 9] [--variant V]
#include <stdint.h>
#include <stdlib.h>

#include "../common/bench.h"
#include "loops.h"

enum { MAX_REPETITIONS = 1000 };
enum variant { RUNTIME, STATIC, SERIAL };
static const char *const variant_names[] = {"runtime", "static", "serial"};

// A chain of multiplications: about four cycles a turn, without memory.
static inline uint64_t spun(long i, unsigned turns) {
    uint64_t x = (uint64_t)i;
    for (unsigned t = 0; t < turns; t++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x)); // or several turns become one
    }
    return x;
}

static void run(enum variant variant, uint64_t *sums, const unsigned *turns, long n) {
    if (variant == RUNTIME) {
#pragma omp parallel for schedule(runtime)
        for (long i = 0; i < n; i++)
            sums[i] += spun(i, turns[i]);
    } else if (variant == STATIC) {
#pragma omp parallel for schedule(static)
        for (long i = 0; i < n; i++)
            sums[i] += spun(i, turns[i]);
    } else {
        for (long i = 0; i < n; i++)
            sums[i] += spun(i, turns[i]);
    }
}

static void check(const uint64_t *sums, const uint64_t *expected, long n, long repetitions) {
    for (long i = 0; i < n; i++)
        if (sums[i] != expected[i] * (uint64_t)repetitions)
            bench_fail("wrong answer: element %ld is not what %ld executions of its iteration "
                       "leave",
                       i, repetitions);
}

static void *zeroed(long n, size_t size) {
    void *memory = calloc((size_t)n, size);
    if (memory == NULL)
        bench_fail("out of memory");
    return memory;
}

int main(int argc, char **argv) {
    long loop = TRIANGULAR, n = 100000, repetitions = 9, variant = RUNTIME;
    double mean = 200.0;
    const bench_option options[] = {
        {"loop", 0, BENCH_CHOICE, &loop, 0, 0, LOOP_KINDS, "which loop (triangular)"},
        {"n", 'n', BENCH_INTEGER, &n, 1, 1e9, "N", "iterations (100000)"},
        {"turns", 0, BENCH_REAL, &mean, 0, 1e9, "X",
         "work of an iteration on average, a turn is about four cycles (200)"},
        {"repetitions", 0, BENCH_INTEGER, &repetitions, 1, MAX_REPETITIONS, "N",
         "how often the loop is timed, after one that is not (9)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "runtime|static|serial",
         "schedule(runtime), the compiler's schedule(static), no OpenMP (runtime)"},
    };
    bench_parse(argc, argv, "A parallel loop with iterations of unequal work.", options,
                sizeof options / sizeof options[0]);
    static const char *const loops[] = {"regular", "triangular", "decreasing", "random",
                                        "power",   "sorted",     "bursts",     "huge"};

    int threads = variant == SERIAL ? 1 : bench_team();
    const char *schedule = variant == RUNTIME ? bench_schedule() : variant_names[variant];
    unsigned *turns = zeroed(n, sizeof *turns);
    uint64_t *sums = zeroed(n, sizeof *sums), *expected = zeroed(n, sizeof *expected);
    loop_fill((enum loop_kind)loop, turns, n, mean, threads);

    double seconds[MAX_REPETITIONS + 1], serial_seconds[3];
    for (size_t i = 0; i < 3; i++) {
        double start = bench_seconds();
        run(SERIAL, expected, turns, n);
        serial_seconds[i] = bench_seconds() - start;
        if (i < 2)
            for (long e = 0; e < n; e++)
                expected[e] = 0;
    }
    for (long i = 0; i <= repetitions; i++) {
        double start = bench_seconds();
        run((enum variant)variant, sums, turns, n);
        seconds[i] = bench_seconds() - start;
    }
    check(sums, expected, n, repetitions + 1);
    double all_turns = 0.0;
    uint64_t answer = 0;
    for (long i = 0; i < n; i++) {
        all_turns += turns[i];
        answer += expected[i];
    }

    double typical = bench_median(seconds + 1, (size_t)repetitions); // sorts them
    bench_json_begin("irregular", variant_names[variant], threads, typical);
    bench_json_integer("answer", (long long)(answer >> 11));
    bench_json_text("loop", loops[loop]);
    bench_json_text("schedule", schedule);
    bench_json_integer("n", n);
    bench_json_real("turns", all_turns);
    bench_json_integer("repetitions", repetitions);
    bench_json_real("least_seconds", seconds[1]);
    bench_json_real("most_seconds", seconds[repetitions]);
    bench_json_real("ns_per_iteration", 1e9 * typical / (double)n);
    if (variant != SERIAL)
        bench_json_serial(bench_median(serial_seconds, 3), typical);
    bench_json_end();
    free(turns);
    free(sums);
    free(expected);
    return 0;
}
