// SPDX-License-Identifier: Apache-2.0
// Tasks that one thread creates while the others wait at the end of its single construct, or all.
#include "../common/bench.h"
#include "patterns.h"

static void captured(long turns) {
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < turns; i++) {
#pragma omp task firstprivate(i)
        if (i < turns)
            count_one();
    }
}

static void by_all(long turns) {
#pragma omp parallel
    for (long i = 0; i < turns; i++) {
#pragma omp task
        count_one();
    }
}

static void taskgroup_of_10(long turns) {
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < turns; i++) {
#pragma omp taskgroup
        for (int j = 0; j < 10; j++) {
#pragma omp task
            count_one();
        }
    }
}

static void ten_and_taskwait(double microseconds, long turns) {
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < turns; i++) {
        for (int j = 0; j < 10; j++) {
#pragma omp task
            {
                work(microseconds);
                count_one();
            }
        }
#pragma omp taskwait
    }
}
static void taskwait_of_10(long turns) { ten_and_taskwait(0, turns); }
static void taskwait_of_10_us(long turns) { ten_and_taskwait(1, turns); }

static void taskloop_50(long turns) {
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < turns; i++) {
#pragma omp taskloop grainsize(50)
        for (int j = 0; j < ELEMENTS; j++)
            elements[j] += 1;
    }
}

static void taskloop(long turns) {
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < turns; i++) {
#pragma omp taskloop
        for (int j = 0; j < ELEMENTS; j++)
            elements[j] += 1;
    }
}

// 16 chains at once: what is in a chain comes in order, so each element is one task's at a time.
static void sixteen_chains(long turns) {
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < turns; i++) {
        double *const element = &elements[i % 16];
#pragma omp task depend(inout : element[0])
        element[0] += 1;
    }
}

static void one_chain(long turns) {
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < turns; i++) {
#pragma omp task depend(inout : elements[0])
        elements[0] += 1;
    }
}

static void task_reduction_of_8(long turns) {
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < turns; i++) {
        double sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
        for (int j = 0; j < 8; j++) {
#pragma omp task in_reduction(+ : sum)
            sum += 1;
        }
        elements[0] += sum;
    }
}

static void taskyield(long turns) {
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < turns; i++) {
#pragma omp task
        count_one();
#pragma omp taskyield
    }
}

const pattern task_patterns[] = {
    {"captured", captured, 1, 0},
    {"by_all", by_all, 0, 1},
    {"taskgroup_of_10", taskgroup_of_10, 10, 0},
    {"taskwait_of_10", taskwait_of_10, 10, 0},
    {"taskwait_of_10_us", taskwait_of_10_us, 10, 0},
    {"taskloop_50", taskloop_50, ELEMENTS, 0},
    {"taskloop", taskloop, ELEMENTS, 0},
    {"sixteen_chains", sixteen_chains, 1, 0},
    {"one_chain", one_chain, 1, 0},
    {"task_reduction_of_8", task_reduction_of_8, 8, 0},
    {"taskyield", taskyield, 1, 0},
};
const size_t task_count = sizeof task_patterns / sizeof task_patterns[0];
