// SPDX-License-Identifier: Apache-2.0
// Block pools and steal ranges on real threads: no block with two users, a producer that does not
// grow, each chunk once.
#include "concurrent/block_pool.hpp"
#include "concurrent/steal_range.hpp"

#include "threads.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

namespace {

using heddle::concurrent::BlockPool;
using heddle::concurrent::BlockReturns;
using heddle::concurrent::Deal;
using heddle::concurrent::StealRange;
using heddle::concurrent::Units;
namespace platform = heddle::platform;

struct Block {
    void* links[2]; ///< the pool's
    int user;
};

TEST(BlockPool, forgets_what_was_returned) {
    static auto* pool = new BlockPool;          // its blocks are never freed,
    static auto* kept = new std::vector<void*>; // and what it forgets is no leak
    pool->configure(4096, 64);                  // a block a chunk
    void* const one = pool->take();
    void* const other = pool->take();
    kept->assign({one, other});
    pool->give_back_remote(one);
    EXPECT_EQ(pool->take(), one);
    pool->give_back_remote(one);
    pool->give_back_remote(other);
    pool->forget_returned();
    void* const fresh = pool->take();
    kept->push_back(fresh);
    EXPECT_TRUE(fresh && fresh != one && fresh != other);
    pool->give_back_remote(fresh);
    EXPECT_EQ(pool->take(), fresh);
}

TEST(BlockPool, gives_blocks_back_to_their_creator) {
    for (int threads : test::thread_counts) {
        const int blocks = 20000 / test::slower;
        // The pool is left to the process, as in the runtime: its blocks are never freed.
        static auto* kept = new std::vector<BlockPool*>;
        auto* pool = new BlockPool;
        kept->push_back(pool);
        pool->configure(sizeof(Block), alignof(Block));
        std::vector<platform::Atomic<Block*>> hands(static_cast<size_t>(threads));
        platform::Atomic<int> left{blocks};
        std::set<Block*> known;
        test::on_threads(threads + 1, [&](int me) {
            test::Random random(me);
            BlockReturns returns;
            while (left.load(platform::acquire) > 0) {
                if (me != threads) {
                    auto& hand = hands[static_cast<size_t>(me)];
                    Block* block = hand.exchange(nullptr, platform::acquire);
                    if (!block) {
                        platform::yield();
                        continue;
                    }
                    EXPECT_EQ(block->user, me);
                    block->user = -1;
                    if (me % 2 == 0)
                        pool->give_back_remote(block);
                    else
                        returns.add(*pool, block); // what is never flushed is lost here, at most 32
                    left.fetch_sub(1, platform::acq_rel);
                    continue;
                }
                auto* block = static_cast<Block*>(pool->take());
                ASSERT_NE(block, nullptr);
                if (!known.insert(block).second) {
                    EXPECT_EQ(block->user, -1);
                }
                const uint32_t to = random.below(static_cast<uint32_t>(threads));
                block->user = static_cast<int>(to);
                Block* expected = nullptr;
                if (!hands[to].compare_exchange_strong(expected, block, platform::release,
                                                       platform::relaxed)) {
                    block->user = -1;
                    pool->give_back(block);
                    platform::yield();
                }
            }
        });
        EXPECT_LT(known.size(), 4096u); // in use at once: a few; never one for each hand-over
    }
}

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
