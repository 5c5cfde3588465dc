// SPDX-License-Identifier: Apache-2.0
// Times the patterns described in patterns.h: for each the median over the repetitions of the time
// of a turn, in microseconds. What it is without a runtime is not taken off: compare runtimes.
// Usage: patterns [--pattern NAME] [--repetitions 7] [--test-us 2000] [--threads N]
#include "patterns.h"

#include <omp.h>
#include <string.h>

#include "../common/bench.h"
#include "../common/delay.h"

enum { MAX_REPETITIONS = 1000, MAX_PATTERNS = 64, MAX_THREADS = 1024, CACHE_LINE = 64 };
enum { WARM_UPS = 20 }; // threads are made in the first run, and what a runtime learns in the next

int team_size;
double elements[ELEMENTS];
static struct {
    long count;
    char other_line[CACHE_LINE - sizeof(long)];
} counted[MAX_THREADS];
static double turns_in_us; // of bench_delay()
static long checked;

void count_one_of(int number) { counted[number].count++; }
void count_one(void) { count_one_of(omp_get_thread_num()); }
void work(double microseconds) { bench_delay((long)(microseconds * turns_in_us)); }

// All that was counted since the last call.
static long collect(void) {
    long total = 0;
    for (int i = 0; i < MAX_THREADS; i++) {
        total += counted[i].count;
        counted[i].count = 0;
    }
    for (int i = 0; i < ELEMENTS; i++) {
        total += (long)elements[i];
        elements[i] = 0;
    }
    return total;
}

static double seconds_of(const pattern *p, long turns) {
    const double start = bench_seconds();
    p->run(turns);
    const double seconds = bench_seconds() - start;
    const long found = collect(), expected = turns * (p->once + p->each_thread * team_size);
    if (found != expected)
        bench_fail("wrong answer: %s counted %ld, should be %ld", p->name, found, expected);
    checked += found;
    return seconds;
}

static double measure(const pattern *p, long repetitions, double test_seconds) {
    double times[MAX_REPETITIONS];
    long turns = 1;
    for (int i = 0; i < WARM_UPS; i++)
        seconds_of(p, turns);
    while (seconds_of(p, turns) < test_seconds && turns < 100000000)
        turns *= 2;
    for (long i = 0; i < repetitions; i++)
        times[i] = 1e6 * seconds_of(p, turns) / (double)turns;
    return bench_median(times, (size_t)repetitions);
}

// All of a group, or one by name.
static size_t choose(const char *name, const pattern **chosen) {
    const struct {
        const char *name;
        const pattern *patterns;
        size_t count;
    } groups[] = {{"regions", region_patterns, region_count},
                  {"loops", loop_patterns, loop_count},
                  {"sync", sync_patterns, sync_count},
                  {"tasks", task_patterns, task_count},
                  {"doacross", doacross_patterns, doacross_count}};
    size_t count = 0;
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        const int whole = strcmp(name, "all") == 0 || strcmp(name, groups[g].name) == 0;
        for (size_t i = 0; i < groups[g].count && count < MAX_PATTERNS; i++)
            if (whole || strcmp(name, groups[g].patterns[i].name) == 0)
                chosen[count++] = &groups[g].patterns[i];
    }
    if (count == 0)
        bench_usage("no pattern is called '%s'; README.md lists them, regions loops sync tasks "
                    "doacross all are groups",
                    name);
    return count;
}

int main(int argc, char **argv) {
    const char *name = "all";
    long repetitions = 7;
    double test_us = 2000.0;
    const bench_option options[] = {
        {"pattern", 0, BENCH_TEXT, &name, 0, 0, "NAME",
         "one pattern, or regions, loops, sync, tasks, doacross, all"},
        {"repetitions", 0, BENCH_INTEGER, &repetitions, 1, MAX_REPETITIONS, "N",
         "measurements of each pattern (7)"},
        {"test-us", 0, BENCH_REAL, &test_us, 10, 1e7, "X", "length of one measurement (2000)"},
    };
    bench_parse(argc, argv, "What small patterns of OpenMP programs take.", options,
                sizeof options / sizeof options[0]);
    const pattern *chosen[MAX_PATTERNS];
    const size_t count = choose(name, chosen);
    double us[MAX_PATTERNS];

    const double start = bench_seconds();
    turns_in_us = bench_delay_turns(1.0);
    team_size = bench_team();
    if (team_size > MAX_THREADS)
        bench_fail("no more than %d threads", MAX_THREADS);
    for (size_t i = 0; i < count; i++)
        us[i] = measure(chosen[i], repetitions, 1e-6 * test_us);

    bench_json_begin("patterns", name, team_size, bench_seconds() - start);
    bench_json_integer("answer", checked);
    bench_json_open("pattern_us");
    for (size_t i = 0; i < count; i++)
        bench_json_real(chosen[i]->name, us[i]);
    bench_json_close();
    bench_json_end();
    return 0;
}
