// SPDX-License-Identifier: Apache-2.0
// A program for test_limits.py: `limits REGIONS [no-files|late]` opens so many regions, checks what
// they compute, and prints the size of the first team, that of the last, omp_get_max_threads(), by
// how many KiB its memory grew in the second half, and how many it has. With no-files it may not
// open any file; with late the primary thread comes to its loops when another one is in them.
// `limits 1 addresses` prints by how many KiB its addresses grow when the threads start.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fib.h"

static int late;

/// The size of the team; 0 when something was computed wrong.
static int region(void) {
    int size = 0, members = 0, sum = 0, tasks = 0, begun = 0;
#pragma omp parallel reduction(+ : members, sum)
    {
        members++;
        if (late && omp_get_thread_num() == 0 && omp_get_num_threads() > 1)
            for (int others = 0; !others; usleep(100)) {
#pragma omp atomic read
                others = begun;
            }
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 100; i++) {
            sum += i;
#pragma omp atomic write
            begun = 1;
        }
#pragma omp single
        {
            size = omp_get_num_threads();
            tasks = fib(8);
        }
    }
    return members == size && sum == 4950 && tasks == 21 ? size : 0;
}

// KiB in memory now, the most so far where /proc is not to be had; and of addresses, -1 there.
static long memory(long *addresses) {
    long all, resident;
    FILE *file = fopen("/proc/self/statm", "r");
    const int found = file ? fscanf(file, "%ld %ld", &all, &resident) : 0;
    if (file)
        fclose(file);
    *addresses = found == 2 ? all * (sysconf(_SC_PAGESIZE) / 1024) : -1;
    if (found == 2)
        return resident * (sysconf(_SC_PAGESIZE) / 1024);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

int main(int argc, char **argv) {
    const int regions = argc > 1 ? atoi(argv[1]) : 1;
    const struct rlimit none = {0, 0};
    if (argc > 2 && strcmp(argv[2], "no-files") == 0 && setrlimit(RLIMIT_NOFILE, &none) != 0)
        return 2;
    late = argc > 2 && strcmp(argv[2], "late") == 0;
    long addresses, addresses_before;
    if (argc > 2 && strcmp(argv[2], "addresses") == 0) {
        memory(&addresses_before);
#pragma omp parallel
        {
#pragma omp barrier
        }
        memory(&addresses);
        printf("%ld\n", addresses - addresses_before);
        return addresses < 0;
    }
    const int first = region();
    int last = first;
    for (int i = 0; i < regions / 2 && last; i++) // caches and pools fill
        last = region();
    const long before = memory(&addresses);
    for (int i = 0; i < regions / 2 && last; i++)
        last = region();
    const long after = memory(&addresses);
    printf("%d %d %d %ld %ld\n", first, last, omp_get_max_threads(), after - before, after);
    return !first || !last;
}
