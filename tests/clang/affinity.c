/* SPDX-License-Identifier: Apache-2.0
 * Hints for tasks as clang compiles them: the affinity clause, and those of heddle.h for each kind
 * of task construct. Without stealing all run where they should. */
#include "../../include/heddle.h"
#include "check.h"

/* Of libheddle.so, which stands in libomp's place when the program runs. */
#pragma weak heddle_affinity_thread
#pragma weak heddle_affinity_data
#pragma weak heddle_affinity_none
#pragma weak heddle_taskgroup_affinity
#pragma weak heddle_set_task_stealing

enum { TASKS = 60 };

static void tasks(void) {
    int ran[TASKS], threads = 1, sum = 0, array[TASKS] = {0};
#pragma omp parallel
#pragma omp single
    {
        threads = omp_get_num_threads();
        for (int i = 0; i < TASKS; ++i) {
            HEDDLE_HINT(heddle_affinity_thread(i % threads)) {
                if (i % 4 == 0) {
#pragma omp task shared(ran)
                    ran[i] = omp_get_thread_num();
                } else if (i % 4 == 1) {
#pragma omp task shared(ran) untied priority(i)
                    ran[i] = omp_get_thread_num();
                } else if (i % 4 == 2) {
#pragma omp task shared(ran, sum) depend(inout : sum)
                    ran[i] = omp_get_thread_num() + 0 * ++sum;
                } else {
#pragma omp task shared(ran, array) affinity(array[i])
                    ran[i] = omp_get_thread_num() + 0 * ++array[i];
                }
            }
        }
    }
    for (int i = 0; i < TASKS; ++i)
        expect(threads == 1 || ran[i] == i % threads);
    expect(sum == TASKS / 4);
}

static void loops(void) {
    int ran[TASKS], threads = 1;
#pragma omp parallel
#pragma omp single
    {
        threads = omp_get_num_threads();
        HEDDLE_HINT(heddle_taskgroup_affinity(HEDDLE_AFFINITY_SPREAD, 0))
#pragma omp taskloop grainsize(strict : 1) nogroup shared(ran)
        for (int i = 0; i < TASKS; ++i)
            ran[i] = omp_get_thread_num();
    }
    for (int i = 0; i < TASKS; ++i)
        expect(ran[i] == i * threads / TASKS);
}

/* Who first runs a task with the data has the next ones. */
static void clauses(void) {
    static char data[16][64];
    for (int i = 0; i < 16; ++i) {
        int first = -1;
        for (int round = 0; round < 3; ++round) {
            int ran = -1;
#pragma omp parallel
#pragma omp single
#pragma omp task shared(ran) affinity(data[i])
            ran = omp_get_thread_num();
            expect(round == 0 || ran == first);
            first = ran;
        }
    }
}

int main(void) {
    heddle_set_task_stealing(0);
    tasks();
    loops();
    clauses();
    return failures != 0;
}
