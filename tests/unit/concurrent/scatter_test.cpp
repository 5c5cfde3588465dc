// SPDX-License-Identifier: Apache-2.0
// Multiplicative hashing: what lies in a row, as words, lines and pages do, is spread over a small
// table.
#include "concurrent/scatter.hpp"

#include <bitset>
#include <gtest/gtest.h>

namespace {

using heddle::concurrent::mixed_in;
using heddle::concurrent::scattered_bits;

constexpr int bits = 8;
constexpr uint64_t entries = uint64_t{1} << bits;

/// How many entries of the table `entries` numbers get that are `step` apart.
size_t used_by(uint64_t first, uint64_t step) {
    std::bitset<entries> used;
    for (uint64_t i = 0; i < entries; ++i)
        used.set(scattered_bits(first + i * step, bits));
    return used.count();
}

TEST(Scatter, NumbersInARowUseMostOfATable) {
    for (uint64_t step : {1, 8, 64, 100, 4096})
        for (uint64_t first : {uint64_t{0}, uint64_t{0x7f0000001000}})
            EXPECT_GT(used_by(first, step), entries / 2) << first << " " << step;
}

TEST(Scatter, NeighboursAreFarApart) {
    for (uint64_t i = 0; i < 1000; ++i) {
        const uint64_t a = scattered_bits(i, bits), b = scattered_bits(i + 1, bits);
        EXPECT_GT(a > b ? a - b : b - a, entries / 8) << i;
    }
}

TEST(Scatter, AFingerprintDependsOnTheOrder) {
    EXPECT_NE(mixed_in(mixed_in(1, 2), 3), mixed_in(mixed_in(1, 3), 2));
    EXPECT_NE(mixed_in(1, 2), mixed_in(1, 3));
}

} // namespace
