// SPDX-License-Identifier: Apache-2.0
// Small parallel loops one after another, as in a solver whose vectors are short: what a region
// takes, with as many threads as CPUs and with more. The work is the same for any number of
// threads. With --elements 0 the regions are empty. With --inside they lie inside a region of one
// thread, as where a region with an if clause calls a library. Every element is checked.
#include <stdlib.h>

#include "../common/bench.h"

static long elements = 1000, regions = 100000;
static long schedule = 0;
static int inside;

// As many turns for each thread: none is more.
static void empty_regions(long count, long* parts) {
    long all = 0;
    for (long i = 0; i < count; i++) {
#pragma omp parallel
        {
#pragma omp atomic
            all++;
        }
    }
    *parts = all;
}

static void loops(long count, double* x, const double* y) {
    for (long i = 0; i < count; i++) {
#pragma omp parallel for schedule(static)
        for (long j = 0; j < elements; j++)
            x[j] = x[j] + y[j];
    }
}

static void scheduled_loops(long count, double* x, const double* y) {
    for (long i = 0; i < count; i++) {
#pragma omp parallel for schedule(runtime)
        for (long j = 0; j < elements; j++)
            x[j] = x[j] + y[j];
    }
}

// Returns the seconds; *parts is written where the regions are empty.
static double run(double* x, const double* y, long* parts) {
    const long before = regions / 10 + 1; // the threads are there, and what they do is known
    for (int measured = 0;; measured++) {
        const double start = bench_seconds();
        const long count = measured ? regions : before;
        if (elements == 0)
            empty_regions(count, parts);
        else if (schedule)
            scheduled_loops(count, x, y);
        else
            loops(count, x, y);
        if (measured)
            return bench_seconds() - start;
    }
}

int main(int argc, char** argv) {
    const bench_option options[] = {
        {"elements", 'e', BENCH_INTEGER, &elements, 0, 100000000, "N",
         "of the vectors, 0: empty regions (1000)"},
        {"regions", 'r', BENCH_INTEGER, &regions, 1, 1e9, "N", "one after another (100000)"},
        {"schedule", 's', BENCH_CHOICE, &schedule, 0, 0, "static|runtime",
         "runtime: what OMP_SCHEDULE says (static)"},
        {"inside", 'i', BENCH_FLAG, &inside, 0, 0, NULL,
         "all inside a region of one thread"},
    };
    bench_parse(argc, argv, "Small parallel loops one after another.", options,
                sizeof options / sizeof options[0]);
    const int team = bench_team();
    double* x = calloc((size_t)elements + 1, sizeof *x);
    double* y = calloc((size_t)elements + 1, sizeof *y);
    if (!x || !y)
        bench_fail("regions: no memory for %ld elements", elements);
    for (long j = 0; j < elements; j++)
        y[j] = (double)(j % 7);
    long answer = 0, wanted = elements;
    double seconds;
    if (inside) {
#pragma omp parallel num_threads(1)
        seconds = run(x, y, &answer);
    } else {
        seconds = run(x, y, &answer);
    }
    const long all = regions + regions / 10 + 1;
    for (long j = 0; j < elements; j++)
        answer += x[j] == (double)all * y[j];
    if (elements == 0)
        wanted = regions * team;
    if (answer != wanted)
        bench_fail("regions: %ld parts or elements are right, not %ld", answer, wanted);
    free(x);
    free(y);
    bench_json_begin("regions", elements == 0 ? "empty" : "loop", team, seconds);
    bench_json_integer("answer", answer);
    bench_json_integer("elements", elements);
    bench_json_integer("inside", inside);
    bench_json_text("schedule", schedule ? "runtime" : "static");
    bench_json_real("us_per_region", seconds * 1e6 / (double)regions);
    bench_json_end();
    return 0;
}
