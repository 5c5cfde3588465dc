// SPDX-License-Identifier: Apache-2.0
// Tasks for programs of the tests: Fibonacci numbers by a task a call, in any region.
#pragma once

static int fib(int n) {
    int x, y;
    if (n < 2)
        return n;
#pragma omp task shared(x)
    x = fib(n - 1);
#pragma omp task shared(y)
    y = fib(n - 2);
#pragma omp taskwait
    return x + y;
}
