// SPDX-License-Identifier: Apache-2.0
// Allocation over locality domains and hints for tasks, as far as the runtime has them
// (placement.h). Nothing here is linked with Heddle: the dynamic linker is asked.
#define _GNU_SOURCE
#include "placement.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "bench.h"

const char *const bench_touch_names[] = {"same", "primary"};
const char *const bench_memory_names[] = {"malloc", "block", "cyclic"};
const char *const bench_hint_names[] = {"none",  "clause", "thread", "data",
                                        "close", "spread", "primary"};

static bench_hint hint;
static void (*hint_thread)(int thread);
static void (*hint_data)(const void *data, size_t bytes);
static void (*hint_group)(int policy, int tasks);

// The numbers of omp_proc_bind_t, which heddle_taskgroup_affinity() takes.
enum { POLICY_PRIMARY = 2, POLICY_CLOSE = 3, POLICY_SPREAD = 4 };

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

void bench_hint_task(int thread, const void *data, size_t bytes) {
    if (hint == HINT_THREAD)
        hint_thread(thread);
    else if (hint == HINT_DATA)
        hint_data(data, bytes);
}

void bench_hint_group(int tasks) {
    if (hint == HINT_CLOSE)
        hint_group(POLICY_CLOSE, tasks);
    else if (hint == HINT_SPREAD)
        hint_group(POLICY_SPREAD, tasks);
    else if (hint == HINT_PRIMARY)
        hint_group(POLICY_PRIMARY, tasks);
}
