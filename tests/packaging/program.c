/* SPDX-License-Identifier: Apache-2.0
 * Tasks, a lock and a routine of Heddle's own; prints the library's version when all is right. */
#include <heddle.h>
#include <omp.h>
#include <stdio.h>

static int fib(int n) {
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void) {
    int result = 0, members = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
    {
#pragma omp single
        result = fib(15);
        omp_set_lock(&lock);
        members++;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    if (result != 610 || members != 3)
        return 1;
    puts(heddle_version());
    return 0;
}
