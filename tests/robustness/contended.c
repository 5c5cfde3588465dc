// SPDX-License-Identifier: Apache-2.0
// For test_limits.py: threads that sleep for a lock and for a critical region. Prints how often each
// was entered: `contended TIMES`, by each thread.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    const int times = argc > 1 ? atoi(argv[1]) : 1;
    int locked = 0, critical = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
    for (int i = 0; i < times; i++) {
        omp_set_lock(&lock);
        locked++;
        if (i % 4 == 0)
            usleep(100);
        omp_unset_lock(&lock);
#pragma omp critical
        {
            critical++;
            if (i % 4 == 1)
                usleep(100);
        }
    }
    omp_destroy_lock(&lock);
    printf("%d %d\n", locked, critical);
    return 0;
}
