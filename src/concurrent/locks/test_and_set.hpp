// SPDX-License-Identifier: Apache-2.0
// Test-and-set lock: each poll writes. Any thread locks, the holder unlocks.
// Ordering: the exchange that finds the word free acquires what unlock() released.
// Cyclops-64 paper, "TS". Protocol: docs/protocols/spin-locks.md.
#pragma once

#include "concurrent/locks/lock.hpp"

namespace heddle::concurrent {

class TestAndSet {
public:
    using Node = NoNode;

    bool try_lock(Node&) {
        // acquire: pairs with unlock()
        return word_.exchange(held, platform::acquire) == free;
    }

    void lock(Node& node, WaitLimits limits) {
        Waiting waiting(limits);
        while (!try_lock(node))
            pause_between_polls(waiting);
    }

    void unlock(Node&) { word_.store(free, platform::release); }

private:
    static constexpr uint32_t free = 0, held = 1;
    alignas(cache_line) platform::Atomic<uint32_t> word_{free};
};
static_assert(Lock<TestAndSet>);

} // namespace heddle::concurrent
