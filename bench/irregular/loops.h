// SPDX-License-Identifier: Apache-2.0
// The loops of irregular.c: how much work each iteration is, in turns of a fixed computation.
#ifndef HEDDLE_BENCH_IRREGULAR_LOOPS_H
#define HEDDLE_BENCH_IRREGULAR_LOOPS_H

// Names, in the order of enum loop_kind, as a choice of bench_option.
#define LOOP_KINDS "regular|triangular|decreasing|random|power|sorted|bursts|huge"

enum loop_kind { REGULAR, TRIANGULAR, DECREASING, RANDOM, POWER, SORTED, BURSTS, HUGE_ONE };

// Fills turns[0..n) for a loop of `mean` turns an iteration; for every kind but for random and
// rounding all loops of a mean are the same work. `threads` is the team that will run it.
void loop_fill(enum loop_kind kind, unsigned *turns, long n, double mean, int threads);

#endif
