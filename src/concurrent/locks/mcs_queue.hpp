// SPDX-License-Identifier: Apache-2.0
// The queue of the MCS locks: one node for each thread that holds the lock or waits for it.
// join() by any thread, next_in_line() by the holder. How a thread waits at its node is the lock's.
// Ordering: a node's link carries the node; an empty queue, the tail, carries what was protected.
// Mellor-Crummey and Scott, TOCS 9(1), 1991. Protocol: docs/protocols/mcs-lock.md.
#pragma once

#include "concurrent/locks/lock.hpp"

namespace heddle::concurrent {

class McsQueue {
public:
    struct alignas(cache_line) Node {
        platform::Atomic<Node*> next{nullptr};
        platform::Atomic<uint32_t> state{0}; // of the lock
    };

    /// True: the caller is first and holds the lock. False: its node is in the queue, with `state`.
    bool join(Node& node, uint32_t state) {
        node.next.store(nullptr, platform::relaxed); // the exchange releases both
        node.state.store(state, platform::relaxed);
        // acquire: pairs with next_in_line() where the queue was empty, and with join() for the
        // node before, whose link is written next
        Node* const before = tail_.exchange(&node, platform::acq_rel);
        if (before == nullptr)
            return true;
        before->next.store(&node, platform::release); // pairs with next_in_line(): the node
        return false;
    }

    bool join_if_empty(Node& node) {
        node.next.store(nullptr, platform::relaxed);
        Node* expected = nullptr;
        // acquire and release as in join()
        return tail_.compare_exchange_strong(expected, &node, platform::acq_rel, platform::relaxed);
    }

    /// The node behind the holder's; nullptr, and the lock is free, when there is none.
    Node* next_in_line(Node& node) {
        Node* next = node.next.load(platform::acquire); // pairs with join()
        if (next != nullptr)
            return next;
        Node* expected = &node;
        // release: pairs with the acquire of whoever joins the empty queue
        if (tail_.compare_exchange_strong(expected, nullptr, platform::release, platform::relaxed))
            return nullptr;
        // Somebody stands behind us and is about to write the link.
        wait_briefly([&] { return (next = node.next.load(platform::acquire)) != nullptr; });
        return next;
    }

private:
    alignas(cache_line) platform::Atomic<Node*> tail_{nullptr};
};

} // namespace heddle::concurrent
