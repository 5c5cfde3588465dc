// SPDX-License-Identifier: Apache-2.0
// Barriers inside nested taskgroups of implicit tasks: a barrier lets go of the families outside
// the groups, which the ends of the groups then must not look for.
#include <stdio.h>

enum { ROUNDS = 500, THREADS = 4, BATCH = 5, BATCHES = 6 };

static int counted;

static void count(void) {
#pragma omp atomic
    counted++;
}

static void defer_batch(void) {
    for (int i = 0; i < BATCH; i++) {
#pragma omp task
        count();
    }
}

int main(void) {
    for (int round = 0; round < ROUNDS; round++) {
        counted = 0;
#pragma omp parallel num_threads(THREADS)
        {
            defer_batch();
#pragma omp taskgroup
            {
                defer_batch();
#pragma omp barrier
#pragma omp taskgroup
                {
                    defer_batch();
#pragma omp barrier
                    defer_batch();
                }
                defer_batch();
            }
            defer_batch();
        }
        if (counted != THREADS * BATCH * BATCHES) {
            fprintf(stderr, "round %d: %d tasks instead of %d\n", round, counted,
                    THREADS * BATCH * BATCHES);
            return 1;
        }
    }
    return 0;
}
