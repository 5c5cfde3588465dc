// SPDX-License-Identifier: Apache-2.0
// A program for test_masks.py: threads of the user that are pinned to a CPU each make the process's
// first call and open regions, one after the other; then the main thread does. Prints how many
// threads there are by default, and how many times a thread of a team had another mask than its
// primary. A thread that is pinned in a region by hand stays so: how many times it did not. With
// `count` only how many threads there are by default, where nobody is pinned.
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { threads = 3 };

static cpu_set_t usable;
static int others, moved;

static int nth_usable(int number) {
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &usable) && number-- == 0)
            return cpu;
    return -1;
}

static void pin_to(int number) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(nth_usable(number), &one);
    sched_setaffinity(0, sizeof one, &one);
}

static void region(void) {
    cpu_set_t primary;
    sched_getaffinity(0, sizeof primary, &primary);
#pragma omp parallel num_threads(threads) reduction(+ : others)
    {
        cpu_set_t own;
        sched_getaffinity(0, sizeof own, &own);
        others += !CPU_EQUAL(&own, &primary);
    }
}

static void *host(void *number) {
    pin_to(*(int *)number);
    omp_get_max_threads();
    region();
    return NULL;
}

/// Also in a smaller team meanwhile, and in one inside.
static void pin_by_hand(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(threads)
    if (omp_get_thread_num() == 1)
        pin_to(1);
    for (int size = 1; size <= threads + 1; size++) {
#pragma omp parallel num_threads(size)
#pragma omp parallel num_threads(size)
        {
        }
    }
#pragma omp parallel num_threads(threads) reduction(+ : moved)
    {
        cpu_set_t own;
        sched_getaffinity(0, sizeof own, &own);
        moved += (CPU_COUNT(&own) == 1) != (omp_get_thread_num() == 1);
    }
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "count") == 0)
        return printf("%d\n", omp_get_max_threads()) < 0;
    sched_getaffinity(0, sizeof usable, &usable);
    for (int number = 0; number < 2; number++) {
        pthread_t thread;
        pthread_create(&thread, NULL, host, &number);
        pthread_join(thread, NULL);
    }
    region();
    pin_by_hand();
    printf("%d %d %d\n", omp_get_max_threads(), others, moved);
    return 0;
}
