/* SPDX-License-Identifier: Apache-2.0 */
/* An undeferred task leaves children behind, so that the implicit task's own children begin above
 */
/* them in the deque. After a barrier the deque is empty, and the next taskwait looked too far up.
 */
/* Every task adds one; the sums are checked. Run by ctest. */
#include <stdio.h>

static int count, wrong;

static void work(void) {
    for (volatile int i = 0; i < 2000; i++)
        ;
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
}

static void six_tasks(void) {
    for (int i = 0; i < 6; i++) {
#pragma omp task
        work();
    }
}

int main(void) {
    const int rounds = 200;
    for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(2)
        {
#pragma omp master
            {
#pragma omp task if (0)
                six_tasks();
#pragma omp task
                work();
            }
#pragma omp barrier
#pragma omp master
            {
                six_tasks();
#pragma omp taskwait
                if (count != (round + 1) * 13)
                    wrong++;
            }
        }
    }
    const int expected = rounds * 13;
    printf("regression_barrier_base: %d of %d tasks, %d waits ended early\n", count, expected,
           wrong);
    return count != expected || wrong != 0;
}
