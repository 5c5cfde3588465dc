// SPDX-License-Identifier: Apache-2.0
// Test-and-set lock whose polls become rarer: the pause after each one in vain is twice as long.
// Any thread locks, the holder unlocks.
// Ordering: the exchange that finds the word free acquires what unlock() released.
// Cyclops-64 paper, "TS-exp". Protocol: docs/protocols/spin-locks.md.
#pragma once

#include "concurrent/locks/lock.hpp"

namespace heddle::concurrent {

class TestAndSetBackoff {
public:
    using Node = NoNode;

    bool try_lock(Node&) {
        // acquire: pairs with unlock()
        return word_.exchange(held, platform::acquire) == free;
    }

    void lock(Node& node, WaitLimits limits) {
        uint32_t pauses = 1;
        for (uint32_t polls = 0; !try_lock(node); ++polls) {
            if (polls >= limits.spins) {
                platform::yield(); // its holder may have been preempted
                continue;
            }
            for (uint32_t i = 0; i < pauses; ++i)
                platform::relax();
            pauses = pauses < longest_pause ? 2 * pauses : longest_pause;
        }
    }

    void unlock(Node&) { word_.store(free, platform::release); }

private:
    static constexpr uint32_t free = 0, held = 1;
    alignas(cache_line) platform::Atomic<uint32_t> word_{free};
};
static_assert(Lock<TestAndSetBackoff>);

} // namespace heddle::concurrent
