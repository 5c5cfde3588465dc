// SPDX-License-Identifier: Apache-2.0
// Where a program's arrays lie and where its tasks shall run, for programs about locality. What is
// no part of OpenMP is looked up in the runtime that serves the program (heddle.h of Heddle has
// it); one that does not have what was asked for lacks it (bench.h).
#ifndef HEDDLE_BENCH_PLACEMENT_H
#define HEDDLE_BENCH_PLACEMENT_H

#include <stddef.h>

// Who writes an array first and so, with most kernels, decides where its pages are.
typedef enum { TOUCH_SAME, TOUCH_PRIMARY } bench_touch;
#define BENCH_TOUCHES "same|primary"

// malloc, or over the locality domains in one block for each, or in turn by blocks of a size.
typedef enum { MEMORY_MALLOC, MEMORY_BLOCK, MEMORY_CYCLIC } bench_memory;
#define BENCH_MEMORIES "malloc|block|cyclic"

// Hints for tasks: none; OpenMP's affinity clause; the thread or the data of the next task; the
// policy of a taskgroup or taskloop. All but the first two are Heddle's own.
typedef enum {
    HINT_NONE,
    HINT_CLAUSE,
    HINT_THREAD,
    HINT_DATA,
    HINT_CLOSE,
    HINT_SPREAD,
    HINT_PRIMARY
} bench_hint;
#define BENCH_HINTS "none|clause|thread|data|close|spread|primary"
extern const char *const bench_hint_names[], *const bench_memory_names[],
                                                 *const bench_touch_names[];

// Memory that nothing has written yet, page-aligned; `cyclic` is the size of MEMORY_CYCLIC's
// blocks. Fails where there is none.
void *bench_allocate(bench_memory memory, size_t bytes, size_t cyclic);
void bench_release(bench_memory memory, void *array);

// To be called before the others: looks up what the hint needs.
void bench_use_hint(bench_hint hint);

// Fails if the runtime did not take a hint so far: it has them, but they are off.
void bench_hints_taken(void);

// Before parallel regions: iteration i of their first loops works on what is at first + i * size.
void bench_loop_data(const void *first, size_t size);

// Before a task that shall run on that thread, or where these bytes are: does what the hint asks.
void bench_hint_task(int thread, const void *data, size_t bytes);

// Before a taskgroup or taskloop of so many tasks.
void bench_hint_group(int tasks);

#endif
