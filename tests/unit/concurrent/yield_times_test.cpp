// SPDX-License-Identifier: Apache-2.0
// Which mixtures of yields count as long ones, and what is forgotten.
#include "concurrent/yield_times.hpp"

#include <gtest/gtest.h>

namespace {

using heddle::concurrent::YieldTimes;

constexpr uint64_t quick_ns = 1'000, long_ns = 500'000;

/// `count` yields of `took_ns` each, at times that look random.
void yield_often(YieldTimes& times, int count, uint64_t took_ns) {
    static uint64_t now = 1;
    for (int i = 0; i < count; ++i)
        times.note(now += took_ns + 7, took_ns);
}

TEST(YieldTimes, QuickOnesAreNotLong) {
    YieldTimes times;
    EXPECT_FALSE(times.are_long());
    yield_often(times, 1'000'000, quick_ns);
    EXPECT_FALSE(times.are_long());
}

TEST(YieldTimes, LongOnesAre) {
    YieldTimes times;
    yield_often(times, 100'000, quick_ns);
    yield_often(times, 200, long_ns);
    EXPECT_TRUE(times.are_long());
}

TEST(YieldTimes, AFewLongOnesAreNot) {
    YieldTimes times;
    for (int i = 0; i < 100; ++i) { // a fifth of the time
        yield_often(times, 2'000, quick_ns);
        yield_often(times, 1, long_ns);
        EXPECT_TRUE(i == 0 || !times.are_long()) << i;
    }
}

// Threads that poll on meet in their polls, and so have few yields that are long.
TEST(YieldTimes, WhatIsLongStaysSoWithFewerLongOnes) {
    YieldTimes times;
    yield_often(times, 200, long_ns);
    for (int i = 0; i < 400; ++i) { // a quarter of the time
        yield_often(times, 1'500, quick_ns);
        yield_often(times, 1, long_ns);
    }
    EXPECT_TRUE(times.are_long());
    yield_often(times, 300'000, quick_ns);
    EXPECT_FALSE(times.are_long());
}

TEST(YieldTimes, OneYieldIsNotRememberedForever) {
    YieldTimes times;
    times.note(1, uint64_t{1} << 40);
    EXPECT_TRUE(times.are_long());
    yield_often(times, 200'000, quick_ns);
    EXPECT_FALSE(times.are_long());
}

TEST(YieldTimes, ForgetsAll) {
    YieldTimes times;
    times.note(1, long_ns);
    times.forget();
    EXPECT_FALSE(times.are_long());
}

} // namespace
