// SPDX-License-Identifier: Apache-2.0
// One thread has nobody to defer tasks for: with the pass none is handed to the runtime, and no
// taskwait is. Prints how many are. This program's own __kmpc functions stand before the runtime's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int tasks, waits;

__attribute__((noinline)) int __kmpc_omp_task(void* place, int number, void* task) {
    ++tasks;
    int (*next)(void*, int, void*) =
        (int (*)(void*, int, void*))dlsym(RTLD_NEXT, "__kmpc_omp_task");
    return next(place, number, task);
}

__attribute__((noinline)) int __kmpc_omp_taskwait(void* place, int number) {
    ++waits;
    int (*next)(void*, int) = (int (*)(void*, int))dlsym(RTLD_NEXT, "__kmpc_omp_taskwait");
    return next(place, number);
}

static long fib(int n) {
    if (n < 2)
        return n;
    long a, b;
#pragma omp task shared(a) if (n > 3)
    a = fib(n - 1);
#pragma omp task untied shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void) {
    long result = 0;
#pragma omp parallel num_threads(1)
    result = fib(15);
    printf("fib %ld: %d tasks, %d waits\n", result, tasks, waits);
    return result == 610 ? 0 : 1;
}
