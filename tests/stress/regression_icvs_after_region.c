// SPDX-License-Identifier: Apache-2.0
// Control variables changed between deferrals live until the region ends; a worker that settled its
// families after the closing barrier read them when they were gone (seen by AddressSanitizer).
#include <omp.h>
#include <stdio.h>

enum { ROUNDS = 1000, THREADS = 4, CHANGES = 3, BATCH = 3 };

int main(void) {
    int counted = 0;
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(THREADS) shared(counted)
        for (int change = 0; change < CHANGES; change++) {
            omp_set_num_threads(2 + change);
            for (int i = 0; i < BATCH; i++) {
#pragma omp task shared(counted)
                {
#pragma omp atomic
                    counted++;
                }
            }
        }
    }
    if (counted != ROUNDS * THREADS * CHANGES * BATCH) {
        fprintf(stderr, "%d tasks instead of %d\n", counted, ROUNDS * THREADS * CHANGES * BATCH);
        return 1;
    }
    return 0;
}
