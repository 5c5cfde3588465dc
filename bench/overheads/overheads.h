// SPDX-License-Identifier: Apache-2.0
// Construct overheads after the EPCC OpenMP microbenchmarks (Bull, EWOMP 1999; Bull, Reid and
// McDonnell, IWOMP 2012): the time of a construct around a known piece of work, less the time of
// the work alone. Every piece of work is counted, so a lost or doubled one is noticed.
#ifndef HEDDLE_BENCH_OVERHEADS_H
#define HEDDLE_BENCH_OVERHEADS_H

#include <stddef.h>

// A construct under test. run(reps) executes it `reps` times; `reps` is a multiple of the team's
// size. One repetition ideally takes as long as `works` pieces of work on one thread, and its
// overhead is divided by `units` (the tasks made, where one repetition makes several).
typedef struct {
    const char *name;
    void (*run)(long reps);
    long works, units;
    enum { EVERY_THREAD, WHOLE_TEAM } share; // works are done by each thread, or by all together
    enum { PLAIN_WORK, PLAIN_UPDATE } reference;
    long chunks;           // of a loop, a thread's share of them; 0 where nobody knows beforehand
    void (*prepare)(void); // if there is one, called before the construct's first run
} construct;

extern const construct sync_constructs[], loop_constructs[], adaptive_constructs[],
    task_constructs[], task45_constructs[];
extern const size_t sync_count, loop_count, adaptive_count, task_count, task45_count;

// Iterations of a scheduled loop, per thread.
enum { LOOP_ITERATIONS = 1024 };

extern int team_size;

// Counts pieces of work done by this thread. By number and not in thread-local storage, with which
// a runtime may have to treat a program's threads in another way than most programs'.
void count_works(long count);

// One piece of work. Out of line on purpose: every row and every reference must run the very
// same loop, because copies of it, aligned differently, differ in speed by up to two.
void work(void);

// Fails with the construct's name unless found == expected.
void expect_count(const char *what, long found, long expected);

#endif
