// SPDX-License-Identifier: Apache-2.0
// The four kernels of STREAM and what fills their arrays, each in every form (kernels.c).
#ifndef HEDDLE_BENCH_STREAM_KERNELS_H
#define HEDDLE_BENCH_STREAM_KERNELS_H

// Names, in the order of enum form, as a choice of bench_option.
#define STREAM_FORMS "loop|static|taskloop|task|serial"
enum form { LOOP, STATIC_LOOP, TASKLOOP, TASK, SERIAL, FORMS };

enum kernel { FILL, COPY, SCALE, ADD, TRIAD, KERNELS };

// What all kernels work on. `tasks` is the number of tasks that a kernel is divided into.
typedef struct {
    double *a, *b, *c;
    long n, tasks;
    int threads, clause; // clause: tasks have OpenMP's affinity clause
} stream_arrays;

extern stream_arrays stream;
extern const double stream_factor;
extern void (*const stream_kernels[KERNELS][FORMS])(void);

// What element i of `a` is filled with.
static inline double stream_first(long i) { return 1.0 + (double)(i % 1024) / 1024.0; }

#define STREAM_PRAGMA(text) _Pragma(#text)

// OpenMP 5.0's affinity clause; gcc knows it from 12 on.
#if defined __clang__ || __GNUC__ >= 12
#define STREAM_TASK_WITH_AFFINITY(array, from, to)                                                 \
    STREAM_PRAGMA(omp task affinity(array [from:to - from]))
#else
#define STREAM_TASK_WITH_AFFINITY(array, from, to) STREAM_PRAGMA(omp task)
#endif

#endif
