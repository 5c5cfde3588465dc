// SPDX-License-Identifier: Apache-2.0
// A library with parallel regions, for host.c to load and unload. Its first region uses what a
// compiler puts into the library's own memory: outlined functions, names of critical sections.
#include <omp.h>

#include "fib.h"

static int calls;

static int region(void) {
    int members = 0, sum = 0, tasks = 0;
#pragma omp parallel reduction(+ : sum)
    {
#pragma omp critical(of_the_plugin)
        members++;
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < 100; i++)
            sum += i;
#pragma omp single nowait
        tasks = fib(8);
    }
    return sum == 4950 && tasks == 21 ? members : -1;
}

/// The size of the team that has worked; -1 when something was computed wrong.
int work(void) {
    calls++;
    return region();
}

__attribute__((destructor)) static void unload(void) {
    if (calls > 0)
        region();
}
