// SPDX-License-Identifier: Apache-2.0
// Block pools on real threads: no block with two users, a producer that does not grow.
#include "concurrent/block_pool.hpp"

#include "threads.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace {

using heddle::concurrent::BlockPool;
using heddle::concurrent::BlockReturns;
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

} // namespace
