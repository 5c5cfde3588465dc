// SPDX-License-Identifier: Apache-2.0
// Small shapes that programs have and that are no row of EPCC's: what one turn of each takes, all
// of it. A pattern counts what it has done; nothing may be lost or done twice. No variable is
// thread-local, with which a runtime may have to treat a program's threads in another way.
#ifndef HEDDLE_BENCH_PATTERNS_H
#define HEDDLE_BENCH_PATTERNS_H

#include <stddef.h>

// run(turns) executes the pattern so often and returns what it has counted by count_one() and in
// `elements`: for each turn `once`, and `each_thread` for every thread of the team.
typedef struct {
    const char *name;
    void (*run)(long turns);
    long once, each_thread;
} pattern;

extern const pattern region_patterns[], loop_patterns[], sync_patterns[], task_patterns[],
    doacross_patterns[];
extern const size_t region_count, loop_count, sync_count, task_count, doacross_count;

// What loops add 1 to. Fewer than a page: they measure the runtime, not the memory.
enum { ELEMENTS = 1000 };
extern double elements[ELEMENTS];

extern int team_size;

// By the calling thread, of a team that is not nested; or for a number below MAX_THREADS.
void count_one(void);
void count_one_of(int number);

// Computes for so many microseconds.
void work(double microseconds);

#endif
