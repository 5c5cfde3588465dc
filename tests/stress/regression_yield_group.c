// SPDX-License-Identifier: Apache-2.0
// An untied task opens a taskgroup, and its taskyields empty the deque below the group's start: what
// is deferred in the group then lies lower, and the end of the group must still find it.
#include <stdio.h>

enum { ROUNDS = 200, THREADS = 2, BEFORE = 3, YIELDS = 4 };

int main(void) {
    int counted = 0;
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(THREADS) shared(counted)
        {
            for (int i = 0; i < BEFORE; i++) {
#pragma omp task shared(counted)
                {
                    for (volatile int spin = 0; spin < 2000; spin++) {
                    }
#pragma omp atomic
                    counted++;
                }
            }
#pragma omp task untied if (0) shared(counted)
            {
#pragma omp taskgroup
                {
                    for (int i = 0; i < YIELDS; i++) {
#pragma omp taskyield
                    }
#pragma omp task if (0) shared(counted)
                    {
#pragma omp task shared(counted)
                        {
#pragma omp atomic
                            counted++;
                        }
                    }
                }
            }
        }
    }
    if (counted != ROUNDS * THREADS * (BEFORE + 1)) {
        fprintf(stderr, "%d tasks instead of %d\n", counted, ROUNDS * THREADS * (BEFORE + 1));
        return 1;
    }
    return 0;
}
