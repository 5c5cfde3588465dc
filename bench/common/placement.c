// SPDX-License-Identifier: Apache-2.0
// Allocation over locality domains and hints for tasks, as far as the runtime has them
// (placement.h). Nothing here is linked with Heddle: the dynamic linker is asked.
#define _GNU_SOURCE
#include "placement.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../../include/heddle.h" // for its enumerators: its functions are looked up
#include "bench.h"

const char *const bench_touch_names[] = {"same", "primary"};
const char *const bench_memory_names[] = {"malloc", "block", "cyclic"};
const char *const bench_hint_names[] = {"none",  "clause", "thread", "data",
                                        "close", "spread", "primary"};

static bench_hint hint;
static int (*hint_thread)(int thread);
static int (*hint_data)(const void *data, size_t bytes);
static int (*hint_group)(int policy, int tasks);
static atomic_int refused; // hints

static void *looked_up(const char *name) {
    void *function = dlsym(RTLD_DEFAULT, name);
    if (function == NULL)
        bench_lacks("the runtime lacks %s()", name);
    return function;
}

void *bench_allocate(bench_memory memory, size_t bytes, size_t cyclic) {
    enum { PAGE = 4096 };
    void *array = NULL;
    if (memory == MEMORY_BLOCK) {
        void *(*allocate)(size_t) = looked_up("omp_locality_domain_allocate_bloc1d");
        array = allocate(bytes);
    } else if (memory == MEMORY_CYCLIC) {
        void *(*allocate)(size_t, size_t) = looked_up("omp_locality_domain_allocate_bloc1dcyclic");
        array = allocate(bytes, cyclic);
    } else {
        array = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
    }
    if (array == NULL)
        bench_fail("out of memory");
    return array;
}

void bench_release(bench_memory memory, void *array) {
    if (memory == MEMORY_MALLOC) {
        free(array);
        return;
    }
    void (*release)(void *) = looked_up("omp_locality_domain_free");
    release(array);
}

void bench_use_hint(bench_hint chosen) {
    hint = chosen;
    if (hint == HINT_THREAD)
        hint_thread = looked_up("heddle_affinity_thread");
    else if (hint == HINT_DATA)
        hint_data = looked_up("heddle_affinity_data");
    else if (hint != HINT_NONE && hint != HINT_CLAUSE)
        hint_group = looked_up("heddle_taskgroup_affinity");
}

static void count_refusal(int taken) {
    if (taken != 0)
        atomic_fetch_add_explicit(&refused, 1, memory_order_relaxed);
}

void bench_hints_taken(void) {
    int count = atomic_load(&refused);
    if (count != 0)
        bench_fail("the runtime did not take %d hints: are they switched off?", count);
}

void bench_loop_data(const void *first, size_t size) {
    void (*loop_data)(const void *, size_t) = looked_up("heddle_loop_data");
    loop_data(first, size);
}

void bench_hint_task(int thread, const void *data, size_t bytes) {
    if (hint == HINT_THREAD)
        count_refusal(hint_thread(thread));
    else if (hint == HINT_DATA)
        count_refusal(hint_data(data, bytes));
}

void bench_hint_group(int tasks) {
    if (hint == HINT_CLOSE)
        count_refusal(hint_group(HEDDLE_AFFINITY_CLOSE, tasks));
    else if (hint == HINT_SPREAD)
        count_refusal(hint_group(HEDDLE_AFFINITY_SPREAD, tasks));
    else if (hint == HINT_PRIMARY)
        count_refusal(hint_group(HEDDLE_AFFINITY_PRIMARY, tasks));
}
