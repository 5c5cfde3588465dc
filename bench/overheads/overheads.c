// SPDX-License-Identifier: Apache-2.0
// Measures the construct overheads described in overheads.h (EPCC method) and prints, for every
// construct, the median over the repetitions of (time - reference time) / count, in microseconds.
// The reference is timed right beside each test, so that drift of a busy machine cancels.
// Usage: overheads [--construct NAME] [--repetitions 20] [--delay-us 0.1] [--threads N]
#include "overheads.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "../common/bench.h"
#include "../common/delay.h"

enum { MAX_REPETITIONS = 1000, MAX_CONSTRUCTS = 96, MAX_THREADS = 1024, CACHE_LINE = 64 };
enum { WARM_UPS = 20 }; // threads are made in the first run, and what a runtime learns in the next

int team_size;
// Of each thread of the team since the last look.
static struct {
    long count;
    char other_line[CACHE_LINE - sizeof(long)];
} works_done[MAX_THREADS];
static long delay_length; // turns of bench_delay() in one piece of work

typedef struct {
    double overhead_us, deviation_us; // median, and median distance from it
} result;

static long works_checked;

void work(void) {
    bench_delay(delay_length);
    count_works(1);
}

void count_works(long count) { works_done[omp_get_thread_num()].count += count; }

void expect_count(const char *what, long found, long expected) {
    if (found != expected)
        bench_fail("wrong answer: %s counted %ld, should be %ld", what, found, expected);
}

// All work since the last call, by all threads.
static long collect_works(void) {
    long total = 0;
    for (int i = 0; i < team_size; i++) {
        total += works_done[i].count;
        works_done[i].count = 0;
    }
    return total;
}

static double reference_time(const construct *c, long reps) {
    double start = bench_seconds();
    if (c->reference == PLAIN_UPDATE) {
        double sum = 0.0;
        for (long j = 0; j < reps; j++) {
            sum += 1.0;
            __asm__ volatile("" : "+m"(sum)); // an update in memory, as the atomic's
        }
    } else {
        for (long j = 0; j < reps * c->works; j++)
            work();
    }
    double seconds = bench_seconds() - start;
    works_done[0].count = 0;
    return seconds;
}

static double test_time(const construct *c, long reps) {
    double start = bench_seconds();
    c->run(reps);
    double seconds = bench_seconds() - start;
    long works = reps * c->works * (c->share == EVERY_THREAD ? team_size : 1);
    expect_count(c->name, collect_works(), works);
    works_checked += works;
    return seconds;
}

// Enough repetitions for one test to last about test_seconds; a multiple of the team's size.
static long calibrate_reps(const construct *c, double test_seconds) {
    long reps = team_size;
    for (int i = 0; i < WARM_UPS; i++)
        test_time(c, reps);
    while (test_time(c, reps) < test_seconds && reps < 100000000)
        reps *= 2;
    return reps;
}

static result measure(const construct *c, long repetitions, double test_seconds) {
    double overheads[MAX_REPETITIONS], distances[MAX_REPETITIONS];
    if (c->prepare != NULL)
        c->prepare();
    long reps = calibrate_reps(c, test_seconds);
    for (long i = 0; i < repetitions; i++) {
        double reference = reference_time(c, reps);
        double test = test_time(c, reps);
        overheads[i] = 1e6 * (test - reference) / (double)(reps * c->units);
    }
    result found = {.overhead_us = bench_median(overheads, (size_t)repetitions)};
    for (long i = 0; i < repetitions; i++)
        distances[i] = fabs(overheads[i] - found.overhead_us);
    found.deviation_us = bench_median(distances, (size_t)repetitions);
    return found;
}

// The constructs asked for: all, a group (sync, loops, adaptive, tasks, tasks45) or one by name.
// The schedule adaptive, which no compiler and not every runtime knows, is not part of all.
static size_t choose(const char *name, const construct **chosen) {
    const struct {
        const char *name;
        const construct *constructs;
        size_t count;
        int in_all;
    } groups[] = {{"sync", sync_constructs, sync_count, 1},
                  {"loops", loop_constructs, loop_count, 1},
                  {"adaptive", adaptive_constructs, adaptive_count, 0},
                  {"tasks", task_constructs, task_count, 1},
                  {"tasks45", task45_constructs, task45_count, 1}};
    size_t count = 0;
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        int whole =
            (strcmp(name, "all") == 0 && groups[g].in_all) || strcmp(name, groups[g].name) == 0;
        for (size_t i = 0; i < groups[g].count && count < MAX_CONSTRUCTS; i++)
            if (whole || strcmp(name, groups[g].constructs[i].name) == 0)
                chosen[count++] = &groups[g].constructs[i];
    }
    if (count == 0)
        bench_usage("no construct is called '%s'; README.md lists them, all sync loops "
                    "adaptive tasks are groups",
                    name);
    return count;
}

int main(int argc, char **argv) {
    const char *name = "all";
    long repetitions = 20;
    double delay_us = 0.1, test_us = 1000.0;
    const bench_option options[] = {
        {"construct", 0, BENCH_TEXT, &name, 0, 0, "NAME",
         "one construct, or sync, loops, adaptive, tasks, tasks45, all"},
        {"repetitions", 0, BENCH_INTEGER, &repetitions, 1, MAX_REPETITIONS, "N",
         "measurements of each construct (20)"},
        {"delay-us", 0, BENCH_REAL, &delay_us, 0, 1000, "X", "length of a piece of work (0.1)"},
        {"test-us", 0, BENCH_REAL, &test_us, 10, 1e7, "X", "length of one measurement (1000)"},
    };
    bench_parse(argc, argv, "Overheads of OpenMP constructs by the EPCC method.", options,
                sizeof options / sizeof options[0]);
    const construct *chosen[MAX_CONSTRUCTS];
    size_t count = choose(name, chosen);
    result results[MAX_CONSTRUCTS];

    double start = bench_seconds();
    delay_length = lround(bench_delay_turns(delay_us));
    team_size = bench_team();
    if (team_size > MAX_THREADS)
        bench_fail("no more than %d threads", MAX_THREADS);
    for (size_t i = 0; i < count; i++)
        results[i] = measure(chosen[i], repetitions, 1e-6 * test_us);

    bench_json_begin("overheads", name, team_size, bench_seconds() - start);
    bench_json_integer("answer", works_checked);
    bench_json_real("delay_us", delay_us);
    bench_json_open("overhead_us");
    for (size_t i = 0; i < count; i++)
        bench_json_real(chosen[i]->name, results[i].overhead_us);
    bench_json_close();
    bench_json_open("deviation_us");
    for (size_t i = 0; i < count; i++)
        bench_json_real(chosen[i]->name, results[i].deviation_us);
    bench_json_close();
    bench_json_open("ns_per_chunk");
    for (size_t i = 0; i < count; i++)
        if (chosen[i]->chunks != 0)
            bench_json_real(chosen[i]->name, 1e3 * results[i].overhead_us / chosen[i]->chunks);
    bench_json_close();
    bench_json_end();
    return 0;
}
