// SPDX-License-Identifier: Apache-2.0
// MCS lock: each thread polls a word of its own, and is given the lock by the one before it.
// Any thread locks, the holder unlocks, with the node that it brought.
// Ordering: the load that finds `granted` acquires what the unlock() before released.
// Cyclops-64 paper, "MCS". Protocol: docs/protocols/mcs-lock.md.
#pragma once

#include "concurrent/locks/mcs_queue.hpp"

namespace heddle::concurrent {

class Mcs {
public:
    using Node = McsQueue::Node;

    bool try_lock(Node& node) { return queue_.join_if_empty(node); }

    void lock(Node& node, WaitLimits limits) {
        if (queue_.join(node, waits))
            return;
        Waiting waiting(limits);
        while (node.state.load(platform::acquire) != granted) // pairs with unlock()
            pause_between_polls(waiting);
    }

    void unlock(Node& node) {
        if (Node* const next = queue_.next_in_line(node)) {
            HEDDLE_CHECK(next->state.load(platform::relaxed) == waits);
            next->state.store(granted, platform::release); // pairs with lock()
        }
    }

private:
    static constexpr uint32_t waits = 0, granted = 1;
    McsQueue queue_;
};
static_assert(Lock<Mcs>);

} // namespace heddle::concurrent
