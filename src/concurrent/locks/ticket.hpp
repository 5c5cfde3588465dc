// SPDX-License-Identifier: Apache-2.0
// Ticket lock: threads hold it in the order in which they came. Any thread locks, the holder
// unlocks. `next_` is written by all, `serving_` by the holder.
// Ordering: the load that finds one's number acquires what unlock() released.
// Cyclops-64 paper, "Ticket". Protocol: docs/protocols/spin-locks.md.
#pragma once

#include "concurrent/locks/lock.hpp"

namespace heddle::concurrent {

class Ticket {
public:
    using Node = NoNode;

    bool try_lock(Node&) {
        // acquire: pairs with unlock(). Nobody holds it who has this number and got it by next_.
        uint32_t number = serving_.load(platform::acquire);
        return next_.compare_exchange_strong(number, number + 1, platform::relaxed,
                                             platform::relaxed);
    }

    void lock(Node&, WaitLimits limits) {
        const uint32_t number = next_.fetch_add(1, platform::relaxed); // only the order counts
        Waiting waiting(limits);
        for (;;) {
            // acquire: pairs with unlock()
            const uint32_t before = number - serving_.load(platform::acquire);
            if (before == 0)
                return;
            for (uint32_t i = 1; i < before && i < longest_pause; ++i)
                platform::relax(); // who is far behind need not look often
            pause_between_polls(waiting);
        }
    }

    void unlock(Node&) {
        // relaxed load: only the holder writes
        serving_.store(serving_.load(platform::relaxed) + 1, platform::release);
    }

private:
    alignas(cache_line) platform::Atomic<uint32_t> next_{0}; // numbers wrap around at 2^32
    alignas(cache_line) platform::Atomic<uint32_t> serving_{0};
};
static_assert(Lock<Ticket>);

} // namespace heddle::concurrent
