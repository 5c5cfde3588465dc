// SPDX-License-Identifier: Apache-2.0
// The block pool: no block is with two users, and none is lost. docs/protocols/block-pool.md.
#include "concurrent/block_pool.hpp"

#include "explorer.hpp"

#include <memory>
#include <set>

using heddle::concurrent::BlockPool;
using heddle::concurrent::BlockReturns;
namespace platform = heddle::platform;

namespace {

struct Block {
    void* links[2]; ///< the pool's, while nobody uses the block
    int user;
};

constexpr uint32_t hands = 2;

/// A chunk is one block, so that each new one is counted.
struct Shared {
    BlockPool pool;
    platform::Atomic<Block*> hand[hands];
    std::set<Block*> known;

    Shared() { pool.configure(4096, 64); }

    Block* take() {
        auto* block = static_cast<Block*>(pool.take());
        explore::expect(block != nullptr, "no memory");
        explore::expect(known.insert(block).second || block->user == 2, "this block is in use");
        block->user = 1;
        block->links[0] = block->links[1] = nullptr; // all of it is the user's now
        return block;
    }
    static void release(Block* block) {
        explore::expect(block->user == 1, "this block was not in use");
        block->user = 2;
    }
};

/// `gather`: consumers return two blocks at a time where they can.
void exchange_blocks(explore::World& world, bool gather) {
    auto shared = std::make_shared<Shared>();
    world.thread([shared] {
        for (uint32_t i = 0; i < 6; ++i) {
            Block* block = shared->take();
            Block* expected = nullptr;
            if (!shared->hand[i % hands].compare_exchange_strong(expected, block, platform::release,
                                                                 platform::relaxed)) {
                Shared::release(block);
                shared->pool.give_back(block);
            }
        }
    });
    for (uint32_t i = 0; i < hands; ++i) {
        world.thread([shared, i, gather] {
            BlockReturns returns;
            for (int tries = 0; tries < 3; ++tries) {
                Block* block = shared->hand[i].exchange(nullptr, platform::acquire);
                if (!block) {
                    platform::relax();
                    continue;
                }
                Shared::release(block);
                if (gather)
                    returns.add(shared->pool, block);
                else
                    shared->pool.give_back_remote(block);
                if (tries == 1)
                    returns.flush();
            }
            returns.flush();
        });
    }
    world.at_end([shared] {
        size_t found = 0;
        for (auto& hand : shared->hand)
            found += hand.peek() != nullptr;
        const size_t all = shared->known.size();
        for (shared->take(); shared->known.size() == all; shared->take())
            ++found;
        explore::expect(found == all, "a block was lost");
    });
}

void producer_and_consumers(explore::World& world) { exchange_blocks(world, false); }
void gathered_returns(explore::World& world) { exchange_blocks(world, true); }

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"producer_and_consumers", producer_and_consumers},
                         {"gathered_returns", gathered_returns}});
}
