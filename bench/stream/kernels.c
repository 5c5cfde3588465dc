// SPDX-License-Identifier: Apache-2.0
// Every kernel of STREAM as a loop with schedule(runtime), as one with the compiler's
// schedule(static), as a taskloop, as a task for each block, and without OpenMP. One thread makes
// all tasks, and they may have hints (placement.h). Each is its own function, written by a macro:
// the schedule and the statement are the compiler's to see.
#include "kernels.h"

#include "../common/placement.h"

stream_arrays stream;
const double stream_factor = 0.5;

#define ARRAYS                                                                                     \
    double *const a = stream.a, *const b = stream.b, *const c = stream.c;                          \
    const long n = stream.n;                                                                       \
    (void)a, (void)b, (void)c

// The kernel NAME does `statement` to element i of all arrays; `target` is what it writes.
#define KERNEL(NAME, target, statement)                                                            \
    static void NAME##_range(long from, long to) {                                                 \
        double *restrict const a = stream.a, *restrict const b = stream.b,                         \
                               *restrict const c = stream.c;                                       \
        (void)a, (void)b, (void)c;                                                                 \
        for (long i = from; i < to; i++)                                                           \
            statement;                                                                             \
    }                                                                                              \
    static void NAME##_loop(void) {                                                                \
        ARRAYS;                                                                                    \
        STREAM_PRAGMA(omp parallel for schedule(runtime))                                          \
        for (long i = 0; i < n; i++)                                                               \
            statement;                                                                             \
    }                                                                                              \
    static void NAME##_static(void) {                                                              \
        ARRAYS;                                                                                    \
        STREAM_PRAGMA(omp parallel for schedule(static))                                           \
        for (long i = 0; i < n; i++)                                                               \
            statement;                                                                             \
    }                                                                                              \
    static void NAME##_taskloop(void) {                                                            \
        ARRAYS;                                                                                    \
        const int tasks = (int)stream.tasks;                                                       \
        STREAM_PRAGMA(omp parallel)                                                                \
        STREAM_PRAGMA(omp single) {                                                                \
            bench_hint_group(tasks);                                                               \
            STREAM_PRAGMA(omp taskloop num_tasks(tasks))                                           \
            for (long i = 0; i < n; i++)                                                           \
                statement;                                                                         \
        }                                                                                          \
    }                                                                                              \
    static void NAME##_blocks(void) {                                                              \
        ARRAYS;                                                                                    \
        const long tasks = stream.tasks;                                                           \
        bench_hint_group((int)tasks);                                                              \
        STREAM_PRAGMA(omp taskgroup)                                                               \
        for (long k = 0; k < tasks; k++) {                                                         \
            const long from = n * k / tasks, to = n * (k + 1) / tasks;                             \
            bench_hint_task((int)(k * stream.threads / tasks), &target[from],                      \
                            (size_t)(to - from) * sizeof(double));                                 \
            if (stream.clause) {                                                                   \
                STREAM_TASK_WITH_AFFINITY(target, from, to)                                        \
                NAME##_range(from, to);                                                            \
            } else {                                                                               \
                STREAM_PRAGMA(omp task)                                                            \
                NAME##_range(from, to);                                                            \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void NAME##_task(void) {                                                                \
        STREAM_PRAGMA(omp parallel)                                                                \
        STREAM_PRAGMA(omp single)                                                                  \
        NAME##_blocks();                                                                           \
    }                                                                                              \
    static void NAME##_serial(void) { NAME##_range(0, stream.n); }

KERNEL(fill, a, (a[i] = stream_first(i), b[i] = 2.0, c[i] = 0.0))
KERNEL(copy, c, c[i] = a[i])
KERNEL(scale, b, b[i] = stream_factor * c[i])
KERNEL(add, c, c[i] = a[i] + b[i])
KERNEL(triad, a, a[i] = b[i] + stream_factor * c[i])

#define IN_ALL_FORMS(NAME) {NAME##_loop, NAME##_static, NAME##_taskloop, NAME##_task, NAME##_serial}

void (*const stream_kernels[KERNELS][FORMS])(void) = {IN_ALL_FORMS(fill), IN_ALL_FORMS(copy),
                                                      IN_ALL_FORMS(scale), IN_ALL_FORMS(add),
                                                      IN_ALL_FORMS(triad)};
