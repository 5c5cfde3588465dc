// SPDX-License-Identifier: Apache-2.0
// What the threads of one region do between themselves, and what they ask of the runtime.
#include <omp.h>

#include "../common/bench.h"
#include "patterns.h"

static void copyprivate(long turns) {
#pragma omp parallel
    for (long i = 0; i < turns; i++) {
        long got;
#pragma omp single copyprivate(got)
        got = i;
        if (got == i)
            count_one();
    }
}

static void master_and_barrier(long turns) {
#pragma omp parallel
    for (long i = 0; i < turns; i++) {
#pragma omp master
        count_one();
#pragma omp barrier
    }
}

static void critical(long turns) {
#pragma omp parallel
    for (long i = 0; i < turns; i++) {
#pragma omp critical
        elements[0] += 1;
    }
}

static void test_lock(long turns) {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
    for (long i = 0; i < turns; i++) {
        while (!omp_test_lock(&lock))
            ;
        elements[0] += 1;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
}

static void lock_in_lock(long turns) {
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
#pragma omp parallel
    for (long i = 0; i < turns; i++) {
        omp_set_nest_lock(&lock);
        omp_set_nest_lock(&lock);
        elements[0] += 1;
        omp_unset_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
    }
    omp_destroy_nest_lock(&lock);
}

// As long with the lock as without.
static void lock_half_the_time(long turns) {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
    for (long i = 0; i < turns; i++) {
        omp_set_lock(&lock);
        work(0.1);
        elements[0] += 1;
        omp_unset_lock(&lock);
        work(0.1);
    }
    omp_destroy_lock(&lock);
}

static void allocate(long turns) {
#pragma omp parallel
    for (long i = 0; i < turns; i++) {
        volatile char *block = omp_alloc(64, omp_default_mem_alloc);
        if (block != NULL) {
            *block = 1;
            count_one();
        }
        omp_free((void *)block, omp_default_mem_alloc);
    }
}

static void thread_queries(long turns) {
#pragma omp parallel
    for (long i = 0; i < turns; i++)
        if (omp_get_num_threads() == team_size)
            count_one();
}

static void level_queries(long turns) {
#pragma omp parallel
    for (long i = 0; i < turns; i++)
        if (omp_get_level() == 1 && omp_in_parallel() == (team_size > 1) &&
            omp_get_max_threads() == team_size)
            count_one();
}

const pattern sync_patterns[] = {
    {"copyprivate", copyprivate, 0, 1},
    {"master_and_barrier", master_and_barrier, 1, 0},
    {"critical", critical, 0, 1},
    {"test_lock", test_lock, 0, 1},
    {"lock_in_lock", lock_in_lock, 0, 1},
    {"lock_half_the_time", lock_half_the_time, 0, 1},
    {"allocate", allocate, 0, 1},
    {"thread_queries", thread_queries, 0, 1},
    {"level_queries", level_queries, 0, 1},
};
const size_t sync_count = sizeof sync_patterns / sizeof sync_patterns[0];
