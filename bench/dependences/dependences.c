// SPDX-License-Identifier: Apache-2.0
// What a task costs when it does next to nothing, by the way it is made: in chains of depend
// clauses, in a wavefront, by a taskloop, or plainly; and what memory a flood of dependent tasks
// takes. One thread makes all tasks. Everything is counted, and the order that the depend clauses
// promise is seen in the results. Usage: dependences [--mode chains|wavefront|...] [--tasks N]
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "../common/bench.h"

enum mode { CHAINS, WAVEFRONT, TASKLOOP, FLAT, FLOOD, DISTINCT };
static const char *const mode_names[] = {"chains", "wavefront", "taskloop",
                                         "flat",   "flood",     "distinct"};
static const long default_tasks[] = {500000, 250000, 1000000, 1000000, 10000000, 10000000};
static const long default_chains[] = {64, 0, 0, 0, 1000, 0}; // the others have none

// What the tasks run by one thread have done, for the modes without an order.
static long tasks_run, numbers_seen;
#pragma omp threadprivate(tasks_run, numbers_seen)

static void count(long number) {
    tasks_run++;
    numbers_seen += number;
}

// Fails unless tasks number 0 to tasks - 1 have run, each once.
static void check_counts(const char *mode, long tasks) {
    long run = 0, numbers = 0;
#pragma omp parallel reduction(+ : run, numbers)
    {
        run += tasks_run;
        numbers += numbers_seen;
    }
    if (run != tasks || numbers != tasks * (tasks - 1) / 2)
        bench_fail("wrong answer: %ld tasks of %s ran, should be %ld, each once", run, mode, tasks);
}

// A chain of tasks. Plain fields: they are right only if its tasks run one by one, in order.
typedef struct {
    long links, out_of_order;
    char apart[48]; // a cache line each
} chain;

static void extend(chain *c, long turn) {
    c->out_of_order += c->links != turn;
    c->links++;
}

static void make_chains(chain *chains, long chain_count, long tasks) {
    for (long turn = 0, made = 0; made < tasks; turn++)
        for (long i = 0; i < chain_count && made < tasks; i++, made++) {
            chain *c = &chains[i];
#pragma omp task depend(inout : c[0])
            extend(c, turn);
        }
}

static double run_chains(const char *mode, long chain_count, long tasks) {
    chain *chains = aligned_alloc(sizeof *chains, (size_t)chain_count * sizeof *chains);
    if (chains == NULL)
        bench_fail("no memory for %ld chains", chain_count);
    for (long i = 0; i < chain_count; i++)
        chains[i] = (chain){0};
    double start = bench_seconds();
#pragma omp parallel
#pragma omp single
    make_chains(chains, chain_count, tasks);
    double seconds = bench_seconds() - start;
    for (long i = 0; i < chain_count; i++) {
        long links = tasks / chain_count + (i < tasks % chain_count);
        if (chains[i].links != links || chains[i].out_of_order != 0)
            bench_fail("wrong answer: %s: chain %ld has %ld links, should be %ld, and %ld are out "
                       "of order",
                       mode, i, chains[i].links, links, chains[i].out_of_order);
    }
    free(chains);
    return seconds;
}

// The sum of the cells above and to the left, which a cell that comes too early misses.
static void make_wavefront(uint64_t *cells, long side) {
    for (long row = 1; row <= side; row++)
        for (long column = 1; column <= side; column++) {
            uint64_t *me = cells + row * (side + 1) + column;
            const uint64_t *up = me - (side + 1), *left = me - 1;
#pragma omp task depend(in : up[0], left[0]) depend(out : me[0])
            *me = *up + *left + 1;
        }
}

static double run_wavefront(long side) {
    uint64_t *cells = calloc((size_t)((side + 1) * (side + 1)), sizeof *cells);
    if (cells == NULL)
        bench_fail("no memory for %ld times %ld cells", side, side);
    double start = bench_seconds();
#pragma omp parallel
#pragma omp single
    make_wavefront(cells, side);
    double seconds = bench_seconds() - start;
    for (long row = 1; row <= side; row++)
        for (long column = 1; column <= side; column++) {
            const uint64_t *me = cells + row * (side + 1) + column;
            if (*me != me[-(side + 1)] + me[-1] + 1)
                bench_fail("wrong answer: cell %ld, %ld of the wavefront missed a neighbour", row,
                           column);
        }
    free(cells);
    return seconds;
}

// Loops of at most `length` iterations, one after another: a taskloop ends when its tasks have.
static void make_taskloops(long length, long tasks) {
    for (long first = 0; first < tasks; first += length) {
        long last = first + length < tasks ? first + length : tasks;
#pragma omp taskloop grainsize(1)
        for (long i = first; i < last; i++)
            count(i);
    }
}

static double run_taskloop(long length, long tasks) {
    double start = bench_seconds();
#pragma omp parallel
#pragma omp single
    make_taskloops(length, tasks);
    return bench_seconds() - start;
}

static void make_flat(long tasks) {
    for (long i = 0; i < tasks; i++) {
#pragma omp task
        count(i);
    }
#pragma omp taskwait
}

static double run_flat(long tasks) {
    double start = bench_seconds();
#pragma omp parallel
#pragma omp single
    make_flat(tasks);
    return bench_seconds() - start;
}

static void make_distinct(const long *locations, long tasks) {
    (void)locations; // to gcc a depend clause is no use
    for (long i = 0; i < tasks; i++) {
#pragma omp task depend(out : locations[i])
        count(i);
    }
}

// A location for each task, given by its address only and never touched: what memory this takes
// is the runtime's.
static double run_distinct(long tasks) {
    long *locations = calloc((size_t)tasks, sizeof *locations);
    if (locations == NULL)
        bench_fail("no addresses for %ld locations", tasks);
    double start = bench_seconds();
#pragma omp parallel
#pragma omp single
    make_distinct(locations, tasks);
    double seconds = bench_seconds() - start;
    free(locations);
    return seconds;
}

static double run(enum mode mode, long tasks, long chain_count, long length) {
    switch (mode) {
    case WAVEFRONT:
        return run_wavefront(lround(sqrt((double)tasks)));
    case TASKLOOP:
        return run_taskloop(length, tasks);
    case FLAT:
        return run_flat(tasks);
    case DISTINCT:
        return run_distinct(tasks);
    case CHAINS:
    case FLOOD:
        break;
    }
    return run_chains(mode_names[mode], chain_count, tasks);
}

int main(int argc, char **argv) {
    long mode = CHAINS, tasks = -1, chain_count = -1, length = 64;
    const bench_option options[] = {
        {"mode", 0, BENCH_CHOICE, &mode, 0, 0, "chains|wavefront|taskloop|flat|flood|distinct",
         "which tasks (chains); flood: ten million in chains, distinct: a location for each"},
        {"tasks", 0, BENCH_INTEGER, &tasks, 1, 1e9, "N",
         "tasks in all, in a wavefront a square number (250000 to 10000000)"},
        {"chains", 0, BENCH_INTEGER, &chain_count, 1, 1e6, "N",
         "chains, in the modes that have them (64; flood: 1000)"},
        {"length", 0, BENCH_INTEGER, &length, 1, 1e9, "N", "iterations of a taskloop (64)"},
    };
    bench_parse(argc, argv, "What one tiny task costs, by the way it is made and ordered.", options,
                sizeof options / sizeof options[0]);
    tasks = tasks < 0 ? default_tasks[mode] : tasks;
    chain_count = chain_count < 0 ? default_chains[mode] : chain_count;
    if (mode == WAVEFRONT) {
        long side = lround(sqrt((double)tasks));
        if (side * side != tasks)
            bench_usage("the --tasks of a wavefront must be a square number, not %ld", tasks);
    }

    int threads = bench_team();
    long rss_before = bench_peak_rss_kib();
    double seconds = run((enum mode)mode, tasks, chain_count, length);
    long rss_after = bench_peak_rss_kib();
    if (mode == TASKLOOP || mode == FLAT || mode == DISTINCT)
        check_counts(mode_names[mode], tasks);

    bench_json_begin("dependences", mode_names[mode], threads, seconds);
    bench_json_integer("answer", tasks);
    bench_json_integer("tasks", tasks);
    if (mode == CHAINS || mode == FLOOD)
        bench_json_integer("chains", chain_count);
    if (mode == TASKLOOP)
        bench_json_integer("length", length);
    bench_json_real("ns_per_task", 1e9 * seconds / (double)tasks);
    bench_json_integer("peak_rss_kib", rss_after);
    bench_json_integer("rss_growth_kib", rss_after - rss_before);
    bench_json_end();
    return 0;
}
