// SPDX-License-Identifier: Apache-2.0
// Work of a known length that touches no memory.
#ifndef HEDDLE_BENCH_DELAY_H
#define HEDDLE_BENCH_DELAY_H

void bench_delay(long turns);

// The turns that take this long: by the fastest of several tries, as others disturb.
double bench_delay_turns(double microseconds);

#endif
