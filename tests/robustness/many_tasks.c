// SPDX-License-Identifier: Apache-2.0
// A program for test_limits.py: more threads than CPUs that wait for each other, and thousands of
// tasks that lie on the heap. Prints how many tasks have run.
#include <stdio.h>

int main(void) {
    long sum = 0;
    for (int region = 0; region < 3; region++) {
#pragma omp parallel num_threads(8)
        {
#pragma omp barrier
#pragma omp single
            for (int i = 0; i < 4000; i++) {
                char data[1000] = {1};
#pragma omp task firstprivate(data)
                {
#pragma omp atomic
                    sum += data[0];
                }
            }
        }
    }
    printf("%ld\n", sum);
    return 0;
}
