// SPDX-License-Identifier: Apache-2.0
// The task rows: what one task costs when it is made in these ways (EPCC taskbench, and two rows
// of our own: taskloop and depend). A row that makes tasks from one thread makes team_size times
// as many, so that in every row each thread's fair share is `reps` pieces of work.
#include <omp.h>

#include "overheads.h"

enum { TREE_DEPTH = 6, CHAINS = 64 };
enum { TREE_LEAVES = 1 << TREE_DEPTH, TREE_NODES = 2 * TREE_LEAVES - 1 };

static void run_parallel_task(long reps) {
#pragma omp parallel
    for (long j = 0; j < reps; j++) {
#pragma omp task
        work();
    }
}

static void run_master_task(long reps) {
#pragma omp parallel
#pragma omp master
    for (long j = 0; j < reps * team_size; j++) {
#pragma omp task
        work();
    }
}

// The others have work of their own first: the master is left alone with its tasks.
static void run_master_task_busy(long reps) {
#pragma omp parallel
    if (omp_get_thread_num() == 0) {
        for (long j = 0; j < reps; j++) {
#pragma omp task
            work();
        }
    } else {
        for (long j = 0; j < reps; j++)
            work();
    }
}

static void run_undeferred_task(long reps) {
    volatile int deferred = 0; // the compiler must not know
#pragma omp parallel
    for (long j = 0; j < reps; j++) {
#pragma omp task if (deferred)
        work();
    }
}

static void run_taskwait(long reps) {
#pragma omp parallel
    for (long j = 0; j < reps; j++) {
#pragma omp task
        work();
#pragma omp taskwait
    }
}

static void run_task_barrier(long reps) {
#pragma omp parallel
    for (long j = 0; j < reps; j++) {
#pragma omp task
        work();
#pragma omp barrier
    }
}

// A task that makes team_size tasks and waits for them.
static void family(void) {
    for (int i = 0; i < team_size; i++) {
#pragma omp task
        work();
    }
#pragma omp taskwait
}

static void run_nested_task(long reps) {
#pragma omp parallel
    for (long j = 0; j < reps / team_size; j++) {
#pragma omp task
        family();
    }
}

static void run_nested_master_task(long reps) {
#pragma omp parallel
#pragma omp master
    for (long j = 0; j < reps; j++) {
#pragma omp task
        family();
    }
}

// A binary tree of tasks; the work is done in every node, or in the leaves only.
static void tree(int level, int leaves_only) {
    if (level == TREE_DEPTH || !leaves_only)
        work();
    if (level == TREE_DEPTH)
        return;
#pragma omp task
    tree(level + 1, leaves_only);
#pragma omp task
    tree(level + 1, leaves_only);
#pragma omp taskwait
}

static void run_task_tree(long reps) {
#pragma omp parallel
    for (long j = 0; j < reps; j++)
        tree(0, 0);
}

static void run_task_tree_leaves(long reps) {
#pragma omp parallel
    for (long j = 0; j < reps; j++)
        tree(0, 1);
}

static void run_taskloop(long reps) {
#pragma omp parallel
#pragma omp master
#pragma omp taskloop grainsize(1)
    for (long j = 0; j < reps * team_size; j++)
        work();
}

// Tasks in CHAINS chains; a chain's plain counter is right only if its tasks never overlap.
static void run_task_depend(long reps) {
    struct {
        long links;
        char apart[56]; // a cache line each
    } chain[CHAINS] = {{0, {0}}};
    long links = 0;
#pragma omp parallel
#pragma omp master
    for (long j = 0; j < reps * team_size; j++) {
        long *link = &chain[j % CHAINS].links;
#pragma omp task depend(inout : link[0]) firstprivate(link)
        {
            work();
            ++*link;
        }
    }
    for (int c = 0; c < CHAINS; c++)
        links += chain[c].links;
    expect_count("task_depend", links, reps * team_size);
}

#define ROW(name, function) {name, function, 1, 1, EVERY_THREAD, PLAIN_WORK, 0, NULL}

const construct task_constructs[] = {
    ROW("parallel_task", run_parallel_task),
    ROW("master_task", run_master_task),
    ROW("master_task_busy", run_master_task_busy),
    ROW("undeferred_task", run_undeferred_task),
    ROW("taskwait", run_taskwait),
    ROW("task_barrier", run_task_barrier),
    ROW("nested_task", run_nested_task),
    ROW("nested_master_task", run_nested_master_task),
    {"task_tree", run_task_tree, TREE_NODES, TREE_NODES - 1, EVERY_THREAD, PLAIN_WORK, 0, NULL},
    {"task_tree_leaves", run_task_tree_leaves, TREE_LEAVES, TREE_NODES - 1, EVERY_THREAD,
     PLAIN_WORK, 0, NULL},
};
const size_t task_count = sizeof task_constructs / sizeof task_constructs[0];

// A group of their own: a runtime without them still shows the other rows.
const construct task45_constructs[] = {
    ROW("taskloop", run_taskloop),
    ROW("task_depend", run_task_depend),
};
const size_t task45_count = sizeof task45_constructs / sizeof task45_constructs[0];
