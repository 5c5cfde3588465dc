// SPDX-License-Identifier: Apache-2.0
// The synchronisation rows: regions, worksharing, barriers, mutual exclusion, ordered, reduction.
// Constructs that exclude each other also bump a plain shared counter, which comes out wrong if
// they ever fail to; ordered checks the order itself.
#include <omp.h>

#include "overheads.h"

static void run_parallel(long reps) {
    for (long j = 0; j < reps; j++) {
#pragma omp parallel
        work();
    }
}

static void run_for(long reps) {
#pragma omp parallel
    for (long j = 0; j < reps; j++) {
#pragma omp for
        for (int i = 0; i < team_size; i++)
            work();
    }
}

static void run_parallel_for(long reps) {
    for (long j = 0; j < reps; j++) {
#pragma omp parallel for
        for (int i = 0; i < team_size; i++)
            work();
    }
}

static void run_barrier(long reps) {
#pragma omp parallel
    for (long j = 0; j < reps; j++) {
        work();
#pragma omp barrier
    }
}

static void run_single(long reps) {
    long inside = 0;
#pragma omp parallel
    for (long j = 0; j < reps; j++) {
#pragma omp single
        {
            work();
            inside++;
        }
    }
    expect_count("single", inside, reps);
}

static void run_critical(long reps) {
    long inside = 0;
#pragma omp parallel
    for (long j = 0; j < reps / team_size; j++) {
#pragma omp critical(overheads_row)
        {
            work();
            inside++;
        }
    }
    expect_count("critical", inside, reps);
}

static void run_lock(long reps) {
    long inside = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
    for (long j = 0; j < reps / team_size; j++) {
        omp_set_lock(&lock);
        work();
        inside++;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    expect_count("lock", inside, reps);
}

static void run_ordered(long reps) {
    long next = 0, in_order = 0;
#pragma omp parallel for ordered schedule(static, 1)
    for (long j = 0; j < reps; j++) {
#pragma omp ordered
        {
            work();
            in_order += next == j;
            next++;
        }
    }
    expect_count("ordered", in_order, reps);
}

// The compiler does this one inline, so it says how the machine fares, not the runtime.
static void run_atomic(long reps) {
    double sum = 0.0;
#pragma omp parallel
    for (long j = 0; j < reps / team_size; j++) {
#pragma omp atomic
        sum += 1.0;
    }
    count_works((long)sum); // what was counted here is updates
}

// Too wide for the hardware: gcc asks the runtime (GOMP_atomic_start).
static void run_atomic_wide(long reps) {
    long double sum = 0.0L;
#pragma omp parallel
    for (long j = 0; j < reps / team_size; j++) {
#pragma omp atomic
        sum += 1.0L;
    }
    count_works((long)sum);
}

static void run_reduction(long reps) {
    long sum = 0;
    for (long j = 0; j < reps; j++) {
#pragma omp parallel reduction(+ : sum)
        {
            work();
            sum++;
        }
    }
    expect_count("reduction", sum, reps * team_size);
}

const construct sync_constructs[] = {
    {"parallel", run_parallel, 1, 1, EVERY_THREAD, PLAIN_WORK, 0, NULL},
    {"for", run_for, 1, 1, EVERY_THREAD, PLAIN_WORK, 0, NULL},
    {"parallel_for", run_parallel_for, 1, 1, EVERY_THREAD, PLAIN_WORK, 0, NULL},
    {"barrier", run_barrier, 1, 1, EVERY_THREAD, PLAIN_WORK, 0, NULL},
    {"single", run_single, 1, 1, WHOLE_TEAM, PLAIN_WORK, 0, NULL},
    {"critical", run_critical, 1, 1, WHOLE_TEAM, PLAIN_WORK, 0, NULL},
    {"lock", run_lock, 1, 1, WHOLE_TEAM, PLAIN_WORK, 0, NULL},
    {"ordered", run_ordered, 1, 1, WHOLE_TEAM, PLAIN_WORK, 0, NULL},
    {"atomic", run_atomic, 1, 1, WHOLE_TEAM, PLAIN_UPDATE, 0, NULL},
    {"atomic_wide", run_atomic_wide, 1, 1, WHOLE_TEAM, PLAIN_UPDATE, 0, NULL},
    {"reduction", run_reduction, 1, 1, EVERY_THREAD, PLAIN_WORK, 0, NULL},
};
const size_t sync_count = sizeof sync_constructs / sizeof sync_constructs[0];
