// SPDX-License-Identifier: Apache-2.0
// Producers and consumers of small tasks: the synthetic benchmark of Agathos, Kallimanis and
// Dimakopoulos, "Speeding Up OpenMP Tasking" (Euro-Par 2012), figure 4. Producers create tasks of
// random length, the other threads go straight to the end of the region and help run them.
// Usage: prodcons [--producers 1] [--maxload 128] [--tasks N] [--mode throughput|flood]
#include <omp.h>
#include <stddef.h>
#include <stdint.h>

#include "../common/bench.h"

enum mode { THROUGHPUT, FLOOD };
static const char *const mode_names[] = {"throughput", "flood"};
static const long default_tasks[] = {2000000, 16000000}, default_maxload[] = {128, 16};

// What the tasks run by one thread have done.
static long tasks_run, iterations_run;
#pragma omp threadprivate(tasks_run, iterations_run)

// The random load of task number i: any thread can tell it, so the total can be checked.
static long load_of(long i, long maxload) {
    uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (long)(((x >> 32) * (uint64_t)(maxload + 1)) >> 32);
}

static void random_work(long i, long maxload) {
    long load = load_of(i, maxload);
    volatile long iteration; // volatile, so that the loop stays
    for (iteration = 0; iteration < load; iteration++)
        ;
    tasks_run++;
    iterations_run += iteration;
}

static void produce(long first, long last, long maxload) {
    for (long i = first; i < last; i++) {
#pragma omp task firstprivate(i, maxload)
        random_work(i, maxload);
    }
}

static double run(long tasks, long producers, long maxload) {
    double start = bench_seconds();
#pragma omp parallel
    {
        long me = omp_get_thread_num();
        if (me < producers)
            produce(tasks * me / producers, tasks * (me + 1) / producers, maxload);
    }
    return bench_seconds() - start;
}

static double run_serial(long tasks, long maxload) {
    double start = bench_seconds();
    for (long i = 0; i < tasks; i++)
        random_work(i, maxload);
    return bench_seconds() - start;
}

typedef struct {
    long tasks, iterations, fewest, most; // fewest and most tasks run by one thread
} tally;

// Adds up what all threads have done and clears it for the next run.
static tally collect(void) {
    tally all = {0, 0, -1, 0};
#pragma omp parallel
#pragma omp critical(prodcons_tally)
    {
        all.tasks += tasks_run;
        all.iterations += iterations_run;
        if (all.fewest < 0 || tasks_run < all.fewest)
            all.fewest = tasks_run;
        if (tasks_run > all.most)
            all.most = tasks_run;
        tasks_run = iterations_run = 0;
    }
    return all;
}

static void check(tally done, long tasks, long maxload) {
    long iterations = 0;
    for (long i = 0; i < tasks; i++)
        iterations += load_of(i, maxload);
    if (done.tasks != tasks)
        bench_fail("wrong answer: %ld tasks ran, should be %ld", done.tasks, tasks);
    if (done.iterations != iterations)
        bench_fail("wrong answer: the tasks did %ld iterations, should be %ld", done.iterations,
                   iterations);
}

int main(int argc, char **argv) {
    long mode = THROUGHPUT, producers = 1, tasks = -1, maxload = -1;
    int no_reference = 0;
    const bench_option options[] = {
        {"mode", 0, BENCH_CHOICE, &mode, 0, 0, "throughput|flood",
         "flood: 16 million tiny tasks, to see the memory they take (throughput)"},
        {"producers", 0, BENCH_INTEGER, &producers, 1, 65536, "N", "threads that create tasks (1)"},
        {"maxload", 0, BENCH_INTEGER, &maxload, 0, 100000000, "N",
         "most iterations of a task (128; flood: 16)"},
        {"tasks", 0, BENCH_INTEGER, &tasks, 1, 1e12, "N",
         "tasks in all (2000000; flood: 16000000)"},
        {"no-reference", 0, BENCH_FLAG, &no_reference, 0, 0, NULL,
         "do not time the serial program as well"},
    };
    bench_parse(argc, argv, "Some threads create small tasks, all threads run them.", options,
                sizeof options / sizeof options[0]);
    tasks = tasks < 0 ? default_tasks[mode] : tasks;
    maxload = maxload < 0 ? default_maxload[mode] : maxload;

    double serial_seconds = no_reference ? 0.0 : run_serial(tasks, maxload);
    int threads = bench_team();
    if (producers > threads)
        bench_usage("%ld producers need as many threads, there are %d", producers, threads);
    collect(); // clears what the serial run has left
    long rss_before = bench_peak_rss_kib();
    double seconds = run(tasks, producers, maxload);
    long rss_after = bench_peak_rss_kib();
    tally done = collect();
    check(done, tasks, maxload);

    bench_json_begin("prodcons", mode_names[mode], threads, seconds);
    bench_json_integer("answer", done.iterations);
    bench_json_integer("tasks", tasks);
    bench_json_integer("producers", producers);
    bench_json_integer("maxload", maxload);
    bench_json_real("million_tasks_per_second", 1e-6 * (double)tasks / seconds);
    bench_json_real("ns_per_task_effective", 1e9 * seconds / (double)tasks);
    bench_json_real("least_share", (double)done.fewest / (double)tasks);
    bench_json_real("largest_share", (double)done.most / (double)tasks);
    bench_json_integer("peak_rss_kib", rss_after);
    bench_json_integer("rss_growth_kib", rss_after - rss_before);
    if (!no_reference)
        bench_json_serial(serial_seconds, seconds);
    bench_json_end();
    return 0;
}
