// SPDX-License-Identifier: Apache-2.0
// A tree of tasks of one size, for tracing_study.py: `tracing STEPS DEPTH` prints the microseconds of
// thread time that each of 2^(DEPTH+1)-1 tasks took.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static void work(long steps) {
    volatile double value = 1;
    for (long i = 0; i < steps; i++)
        value = value * 1.0000001;
}

static void tree(int depth, long steps) {
    if (depth > 0) {
#pragma omp task
        tree(depth - 1, steps);
#pragma omp task
        tree(depth - 1, steps);
#pragma omp taskwait
    }
    work(steps);
}

int main(int count, char **values) {
    const long steps = count > 1 ? atol(values[1]) : 2700;
    const int depth = count > 2 ? atoi(values[2]) : 15;
    const double began = omp_get_wtime();
#pragma omp parallel
#pragma omp single
    tree(depth, steps);
    const double us = (omp_get_wtime() - began) * 1e6 * omp_get_max_threads();
    printf("%.3f\n", us / (double)((2l << depth) - 1));
    return 0;
}
