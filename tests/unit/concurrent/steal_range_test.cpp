// SPDX-License-Identifier: Apache-2.0
// Steal ranges on real threads: each chunk once.
#include "concurrent/steal_range.hpp"

#include "threads.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using heddle::concurrent::Deal;
using heddle::concurrent::StealRange;
using heddle::concurrent::Units;
namespace platform = heddle::platform;

TEST(StealRange, is_stolen_whole_only_while_nobody_has_come) {
    constexpr Deal deal{20, 10, 0, true};
    constexpr auto whole = StealRange::Part::whole, half = StealRange::Part::half;
    StealRange untouched, begun, robbed;
    Units units;
    ASSERT_TRUE(untouched.steal(deal, 1, whole, units));
    EXPECT_EQ(units.first, 10u);
    EXPECT_EQ(units.end, 20u);
    EXPECT_TRUE(untouched.was_left(true));
    EXPECT_FALSE(untouched.steal(deal, 1, whole, units));
    ASSERT_TRUE(begun.take(deal, 0, [](uint32_t) { return 2u; }, units));
    ASSERT_TRUE(begun.steal(deal, 0, whole, units));
    EXPECT_EQ(units.first, 6u);
    ASSERT_TRUE(robbed.steal(deal, 0, half, units));
    ASSERT_TRUE(robbed.steal(deal, 0, whole, units));
    EXPECT_EQ(units.first, 2u) << "the back half of the other five, rounded up";
    EXPECT_EQ(units.end, 5u);
}

TEST(StealRange, hands_out_each_chunk_once) {
    for (int threads : test::thread_counts) {
        const auto chunks = static_cast<uint32_t>(100000 / test::slower);
        std::vector<StealRange> ranges(static_cast<size_t>(threads));
        std::vector<int> runs(chunks);
        const Deal deal;
        ranges[0].deal(false, {0, chunks});
        test::on_threads(threads, [&](int me) {
            test::Random random(me);
            StealRange& mine = ranges[static_cast<size_t>(me)];
            const auto size = [&random](uint32_t left) {
                return 1 + random.below(left < 40 ? left : 40);
            };
            int misses = 0;
            while (misses < 100) {
                Units units;
                const uint32_t other = random.below(static_cast<uint32_t>(threads));
                if (mine.take(deal, static_cast<uint32_t>(me), size, units)) {
                    for (uint32_t chunk = units.first; chunk < units.end; ++chunk)
                        ++runs[chunk]; // plain: nobody else has this chunk
                } else if (ranges[other].steal(deal, other, StealRange::Part::half, units)) {
                    mine.assign(deal, static_cast<uint32_t>(me), units);
                    misses = 0;
                } else {
                    ++misses;
                    platform::yield();
                }
            }
        });
        for (uint32_t i = 0; i < chunks; ++i)
            ASSERT_EQ(runs[i], 1) << i;
        for (const StealRange& range : ranges)
            EXPECT_EQ(range.left(deal, 0), 0u);
    }
}

} // namespace
