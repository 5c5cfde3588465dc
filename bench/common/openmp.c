// SPDX-License-Identifier: Apache-2.0
// The team of an OpenMP program, and the symbol that tells which OpenMP runtime serves it
// (bench.h). Programs for other runtimes are linked without this file.
#include <omp.h>

#include "bench.h"

static int threads_asked; // 0: what the environment says

#ifdef __clang__
const char *const bench_runtime_symbol = "__kmpc_fork_call";
#else
const char *const bench_runtime_symbol = "GOMP_parallel";
#endif

void bench_set_threads(int threads) {
    threads_asked = threads;
    omp_set_num_threads(threads);
}

int bench_team(void) {
    int size = 0;
#pragma omp parallel
#pragma omp single
    size = omp_get_num_threads();
    if (threads_asked != 0 && size != threads_asked)
        bench_fail("asked for %d threads, the runtime gave %d", threads_asked, size);
    return size;
}
