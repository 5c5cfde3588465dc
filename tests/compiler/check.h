/* SPDX-License-Identifier: Apache-2.0
 * What the programs of this folder share: teams of four, and a count of what is not as expected. */
#ifndef CHECK_H
#define CHECK_H
#include <heddle.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>

enum { THREADS = 4 };

static int failures;

#define expect(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                         \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

/* Returns when *counter is `value`, which other threads bring about. */
static inline void await(const int* counter, int value) {
    while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) != value)
        sched_yield();
}

static inline void count(int* counter) { __atomic_fetch_add(counter, 1, __ATOMIC_ACQ_REL); }

/* A clause in a macro of a header. */
#define TASK_ON(number) _Pragma("omp task affinity(thread: 3) shared(ran)")

#endif
