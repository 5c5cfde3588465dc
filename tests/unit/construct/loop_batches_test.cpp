// SPDX-License-Identifier: Apache-2.0
// How batches are cut, for iterations whose time is a script: of a range that nobody steals from.
#include "construct/loop_batches.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace {

using namespace heddle::construct;

constexpr uint64_t overhead_ns = 30; ///< of taking a batch

/// The batches of a range of `units`, each of which takes ns(number).
template <class Ns>
std::vector<uint32_t> batches(const BatchRule& rule, uint32_t units, Ns&& ns) {
    std::vector<uint32_t> sizes;
    Pace pace{1, 0};
    uint32_t batch = 0;
    uint64_t took = 0;
    for (uint32_t first = 0; first < units; first += batch) {
        if (batch != 0)
            pace = pace_after(rule, batch, pace.units, took);
        batch = batch_size(rule, pace, units - first);
        EXPECT_GE(batch, 1u);
        EXPECT_LE(batch, units - first);
        took = overhead_ns;
        for (uint32_t i = 0; i < batch; ++i)
            took += ns(first + i);
        sizes.push_back(batch);
    }
    return sizes;
}

TEST(LoopBatches, GrowFromOneUnit) {
    const auto sizes = batches(adaptive_rule, 100000, [](uint32_t) { return 10; });
    EXPECT_EQ(sizes[0], 1u);
    EXPECT_EQ(sizes[1], 8u);
    EXPECT_EQ(sizes[2], 64u);
    for (const uint32_t size : sizes)
        EXPECT_LE(size, adaptive_rule.ns / 10);
    EXPECT_LT(sizes.size(), 150u) << "most last as long as they may: 1,000 units";
}

TEST(LoopBatches, OfUnitsThatTakeLongAreSingle) {
    for (const BatchRule& rule : {chunk_rule, adaptive_rule})
        for (const uint32_t size : batches(rule, 100, [&](uint32_t) { return rule.ns; }))
            EXPECT_EQ(size, 1u);
}

// They did, for each batch was at most four times the last one, and those get small at the end.
TEST(LoopBatches, OfShortUnitsDoNotGetSmallAtTheEnd) {
    const auto sizes = batches(adaptive_rule, 500, [](uint32_t) { return 1; });
    EXPECT_LE(sizes.size(), 17u);
    for (size_t i = 3; i + 1 < sizes.size(); ++i)
        EXPECT_GE(sizes[i], adaptive_rule.least);
}

TEST(LoopBatches, ArePartOfWhatIsLeft) {
    uint32_t left = 100000;
    for (const uint32_t size : batches(chunk_rule, left, [](uint32_t) { return 1; })) {
        EXPECT_LE(size, std::max(left / chunk_rule.part, 1u));
        EXPECT_LE(size, chunk_rule.most);
        left -= size;
    }
}

TEST(LoopBatches, GetShortAtOnceWhereUnitsTakeLonger) {
    constexpr uint32_t units = 100000, change = 50000;
    uint32_t first = 0, since_change = 0;
    for (const uint32_t size : batches(
             adaptive_rule, units, [](uint32_t number) { return number < change ? 10 : 1000; })) {
        if (first >= change && since_change++ > 0) {
            EXPECT_LE(size, adaptive_rule.ns / 1000);
        }
        first += size;
    }
    EXPECT_GT(since_change, 1000u);
}

// Iterations that suddenly wait for milliseconds: a thief had sixteen of them in its hand.
TEST(LoopBatches, AThiefOfManyKnowsNothingOfThem) {
    EXPECT_EQ(pace_after_theft(1'000'000, few_units + 1), 0u);
    EXPECT_EQ(pace_after_theft(1'000'000, few_units), 1'000'000u / slow_factor);
    EXPECT_EQ(pace_after_theft(7, 1), 0u);
}

TEST(LoopBatches, AThiefOfAFewTakesThemAtOnceIfTheyAreShort) {
    const auto taken = [](uint64_t unit_ns, uint32_t stolen) {
        const auto pace = static_cast<uint32_t>(adaptive_rule.ns / unit_ns);
        const uint32_t then = pace_after_theft(pace, stolen);
        return then > 1 ? batch_size(adaptive_rule, {then, 0}, stolen) : 1;
    };
    EXPECT_EQ(taken(5, 8), 8u);
    EXPECT_LE(taken(100, few_units), few_units / adaptive_rule.part);
    EXPECT_EQ(taken(1000, few_units), 1u);
}

TEST(LoopBatches, AQuickBatchIsMistrusted) {
    const auto units = [](const BatchRule& rule, uint32_t batch, uint32_t pace, uint64_t took) {
        return pace_after(rule, batch, pace, took).units;
    };
    EXPECT_EQ(units(adaptive_rule, 2, 3, 0), 16u);
    EXPECT_EQ(units(adaptive_rule, 2, 100, 0), 100u) << "but not the ones before it";
    EXPECT_EQ(units(adaptive_rule, 2, 100, 1000), 20u);
    EXPECT_EQ(units(adaptive_rule, 2, 100, 1'000'000), 1u);
    EXPECT_EQ(units(chunk_rule, 2, 3, 0), 8u);
    EXPECT_EQ(units(chunk_rule, 64, 64, 0), chunk_rule.most);
    EXPECT_EQ(units(adaptive_rule, 0xffffffff, 0xffffffff, 0), 0xffffffffu);
}

// As much as guided would give; a quarter where that would take longer.
TEST(LoopBatches, HalfIsTakenOfWhatIsOverAtOnce) {
    const auto part = [](uint64_t unit_ns, uint32_t left) {
        const Pace pace = pace_after(adaptive_rule, 1000, 1'000'000, 1000 * unit_ns);
        return left / batch_size(adaptive_rule, pace, left);
    };
    EXPECT_EQ(part(1, 1024), 2u);
    EXPECT_EQ(part(10, 1024), adaptive_rule.part);
    EXPECT_EQ(batch_size(chunk_rule, pace_after(chunk_rule, 64, 64, 1), 64), 8u);
}

} // namespace
