// SPDX-License-Identifier: Apache-2.0
// MCS lock whose waiting threads sleep at their node, and are woken by the one before them.
// Any thread locks, the holder unlocks, with the node that it brought.
// Ordering: the operation that finds `granted` acquires what the unlock() before released.
// Cyclops-64 paper, "MCS-SW". Protocol: docs/protocols/mcs-lock.md.
#pragma once

#include "concurrent/locks/mcs_queue.hpp"

namespace heddle::concurrent {

class McsSleep {
public:
    using Node = McsQueue::Node;

    bool try_lock(Node& node) { return queue_.join_if_empty(node); }

    void lock(Node& node, WaitLimits limits) {
        if (queue_.join(node, waits))
            return;
        Waiting waiting(limits); // without limits it sleeps at once, as in the paper
        do {
            if (node.state.load(platform::acquire) == granted) // pairs with unlock()
                return;
        } while (waiting.again());
        uint32_t state = waits;
        // acquire on failure: then it was granted meanwhile. On success relaxed would do, but gcc
        // 12 warns of a failure order that is stronger.
        if (!node.state.compare_exchange_strong(state, asleep, platform::acquire,
                                                platform::acquire))
            return;
        do
            platform::wait_on(node.state, asleep, platform::forever);
        while (node.state.load(platform::acquire) != granted); // pairs with unlock()
    }

    void unlock(Node& node) {
        Node* const next = queue_.next_in_line(node);
        // release: pairs with lock(). The node is its owner's again after the exchange.
        if (next != nullptr && next->state.exchange(granted, platform::release) == asleep)
            platform::wake(next->state, 1);
    }

private:
    static constexpr uint32_t waits = 0, granted = 1, asleep = 2;
    McsQueue queue_;
};
static_assert(Lock<McsSleep>);

} // namespace heddle::concurrent
