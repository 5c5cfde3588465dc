// SPDX-License-Identifier: Apache-2.0
// The delay is out of line: copies of its loop, aligned differently, differ in speed by up to two.
#include "delay.h"

#include <math.h>

#include "bench.h"

__attribute__((noinline)) void bench_delay(long turns) {
    for (long i = 0; i < turns; i++)
        __asm__ volatile("" : "+r"(i)); // keeps the loop, costs nothing itself
}

double bench_delay_turns(double microseconds) {
    const long turns = 2000000;
    double fastest = HUGE_VAL;
    for (int i = 0; i < 7; i++) {
        const double start = bench_seconds();
        bench_delay(turns);
        fastest = fmin(fastest, bench_seconds() - start);
    }
    return 1e-6 * microseconds * (double)turns / fastest;
}
