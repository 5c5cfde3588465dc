// SPDX-License-Identifier: Apache-2.0
// The distributions of work over the iterations of a loop (loops.h). They are the same on every
// machine and in every run: what is random comes from the iteration's number.
#include "loops.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { BURST_FROM = 60, BURST_TO = 70, BURST_WORK = 90 }; // in percent

static const double POWER_EXPONENT = 1.2; // of the Pareto distribution: below 2, without a variance

// A number between 0 and 1, but neither, for each i (the finalizer of splitmix64).
static double chance(long i) {
    uint64_t x = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return ((double)(x >> 12) + 0.5) / 4503599627370496.0;
}

// The i-th quantile of n of the power law, of any scale.
static double power(double quantile) { return pow(quantile, -1.0 / POWER_EXPONENT); }

static double weight(enum loop_kind kind, long i, long n, int threads) {
    switch (kind) {
    case REGULAR:
        return 1.0;
    case TRIANGULAR:
        return (double)i + 0.5;
    case DECREASING:
        return (double)(n - i) - 0.5;
    case RANDOM:
        return chance(i);
    case POWER:
        return power(chance(i));
    case SORTED: // the same law, the greatest ones first
        return power(((double)i + 0.5) / (double)n);
    case BURSTS: {
        long percent = 100 * i / n;
        int inside = percent >= BURST_FROM && percent < BURST_TO;
        double share = inside ? BURST_WORK : 100 - BURST_WORK;
        return share / (inside ? BURST_TO - BURST_FROM : 100 - BURST_TO + BURST_FROM);
    }
    case HUGE_ONE: // late, and half of a thread's share of all the work: a perfect balance exists
        return i == n - n / 8 - 1 ? (double)n / (2.0 * threads - 1.0) : 1.0;
    }
    abort();
}

void loop_fill(enum loop_kind kind, unsigned *turns, long n, double mean, int threads) {
    double sum = 0.0;
    for (long i = 0; i < n; i++)
        sum += weight(kind, i, n, threads);
    double scale = mean * (double)n / sum;
    for (long i = 0; i < n; i++)
        turns[i] = (unsigned)lround(fmin(scale * weight(kind, i, n, threads), 4e9));
}
