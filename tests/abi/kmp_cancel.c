/* SPDX-License-Identifier: Apache-2.0
 * Cancellation as clang compiles it: loops with and without a reduction, sections, taskgroups and
 * parallel regions, one after another in teams of 1 to 9. What is cancelled ends early on all
 * threads, and what follows is executed in full.
 * Started by test_kmp_cancel.py with OMP_CANCELLATION=true; exits with 0 when all is well. */
#include <omp.h>
#include <stdio.h>

static int failures;

static void expect(int holds, const char *what, int threads) {
    if (holds)
        return;
#pragma omp atomic
    ++failures;
    fprintf(stderr, "%d threads: %s\n", threads, what);
}

static void worksharing(int threads) {
    int sum = 0, mine = 0, after = 0, section = 0, beyond = 0;
#pragma omp parallel num_threads(threads)
    {
        /* Only threads that are not cancelled come to the reduction, and to the barrier in it. */
#pragma omp for reduction(+ : sum) schedule(dynamic)
        for (int i = 0; i < 1000; ++i) {
            ++sum;
            if (i == 3) {
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 100; ++i) {
#pragma omp atomic
            ++mine;
#pragma omp cancel for if (i == 0)
#pragma omp cancellation point for
        }
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 100; ++i) {
#pragma omp atomic
            ++after;
#pragma omp cancel for if (i < 0)
        }
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp cancel sections
                beyond = 1;
            }
#pragma omp section
#pragma omp atomic
            ++section;
        }
#pragma omp for
        for (int i = 0; i < 100; ++i) {
#pragma omp atomic
            ++after;
        }
    }
    expect(sum < 1000, "a cancelled loop with a reduction was executed in full", threads);
    expect(mine >= 1 && mine <= 100, "a cancelled static loop", threads);
    expect(after == 200, "loops after a cancelled one are not complete", threads);
    expect(!beyond, "a section went on after its cancel", threads);
    expect(section <= 1, "a section was executed twice", threads);
}

static void taskgroup(int threads) {
    int begun = 0, beyond = 0, after = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
#pragma omp taskgroup
        for (int i = 0; i < 50; ++i) {
#pragma omp task
            {
#pragma omp atomic
                ++begun;
                if (i == 20) {
#pragma omp cancel taskgroup
#pragma omp atomic
                    ++beyond;
                }
            }
        }
#pragma omp taskgroup
        for (int i = 0; i < 50; ++i) {
#pragma omp task
#pragma omp atomic
            ++after;
        }
    }
    expect(begun >= 1 && begun <= 50, "the tasks of a cancelled group", threads);
    expect(!beyond, "a task went on after its cancel", threads);
    expect(after == 50, "the next group is not complete", threads);
}

static void parallel(int threads, int who) {
    int before = 0, passed = 0, beyond = 0, after = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp atomic
        ++before;
#pragma omp barrier
        if (omp_get_thread_num() == who) {
#pragma omp cancel parallel
        }
#pragma omp atomic
        ++passed;
#pragma omp barrier
#pragma omp cancellation point parallel
#pragma omp atomic
        ++beyond;
    }
#pragma omp parallel num_threads(threads)
#pragma omp atomic
    ++after;
    expect(before == threads, "a barrier before the cancel was left early", threads);
    expect(passed < threads && !beyond, "threads went on in a cancelled region", threads);
    expect(after == threads, "the next region is not complete", threads);
}

int main(void) {
    if (!omp_get_cancellation())
        return 2;
    for (int round = 0; round < 50; ++round)
        for (int threads = 1; threads <= 9; ++threads) {
            worksharing(threads);
            taskgroup(threads);
            parallel(threads, round % threads);
        }
    return failures != 0;
}
