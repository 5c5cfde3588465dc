/* SPDX-License-Identifier: Apache-2.0 */
/* A taskwait inside a taskgroup empties the deque below the index at which the group began. The */
/* group's wait then looked only above that index, and hung when all threads did so at a time.   */
/* Every task adds one; the sums are checked. Run by ctest. */
#include <stdio.h>

static int count;

static void work(void) {
    for (volatile int i = 0; i < 2000; i++)
        ;
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
}

static void eight_tasks(void) {
    for (int i = 0; i < 8; i++) {
#pragma omp task
        work();
    }
}

static void waits_in_group(void) {
    eight_tasks();
#pragma omp taskgroup
    {
#pragma omp taskwait
        eight_tasks();
    }
}

int main(void) {
    const int rounds = 200;
    for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(2)
        {
#pragma omp single
            waits_in_group();
            waits_in_group(); /* and both threads at once */
        }
    }
    const int expected = rounds * 3 * 16;
    printf("regression_group_wait: %d of %d tasks\n", count, expected);
    return count != expected;
}
