/* SPDX-License-Identifier: Apache-2.0
 * A library as a wheel brings it along: one parallel region, for test_process.py to call. */
#include <omp.h>

int members(void) {
    int count = 0;
#pragma omp parallel reduction(+ : count)
    count++;
    return count;
}

int widest(void) { return omp_get_max_threads(); }
