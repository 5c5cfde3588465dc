/* SPDX-License-Identifier: Apache-2.0 */
/* A tied task waits for its child, which is untied and yields: no task that does not descend from
 */
/* the tied one may begin on that thread meanwhile (OpenMP 5.2 section 12.9). */
/* Violations are counted, and so are the tasks. Run by ctest. */
#include <omp.h>
#include <stdio.h>

static int count, violations;
static int suspended[64]; /* by thread number: a tied task waits here */

static void work(void) {
    for (volatile int i = 0; i < 2000; i++)
        ;
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
}

static void unrelated(void) {
    if (suspended[omp_get_thread_num()])
        __atomic_fetch_add(&violations, 1, __ATOMIC_RELAXED);
    work();
}

static void waits_for_a_yielding_child(void) {
    const int me = omp_get_thread_num();
    suspended[me] = 1;
#pragma omp task untied
    {
#pragma omp taskyield
        work();
    }
#pragma omp taskwait
    suspended[me] = 0;
}

int main(void) {
    const int rounds = 200;
    for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(2)
#pragma omp single
        {
            for (int i = 0; i < 4; i++) {
#pragma omp task
                unrelated();
            }
#pragma omp task if (0)
            waits_for_a_yielding_child();
        }
    }
    const int expected = rounds * 5;
    printf("regression_yield: %d of %d tasks, %d violations\n", count, expected, violations);
    return count != expected || violations != 0;
}
