// SPDX-License-Identifier: Apache-2.0
// Sequential operations on one object by many threads: a thread announces its request in a queue,
// and the one at its head, the combiner, executes those of the others too while the object is in
// its cache. apply() by any thread, with a handle that no other thread uses at the same time.
// Ordering: a node's state hands over the object and the results, its `next` the request.
// CC-Synch: Fatourou and Kallimanis, PPoPP 2012. Protocol: docs/protocols/cc-synch.md.
#pragma once

#include "concurrent/waiting.hpp"

#include <type_traits>

namespace heddle::concurrent {

/// `Request` is what a thread asks and what it is answered; it is copied, and with at most 48 bytes
/// it shares a cache line with the node. A combiner executes at most `most_requests` in a row.
template <class Request, uint32_t most_requests = 64>
class CcSynch {
    static_assert(std::is_trivially_copyable_v<Request> && most_requests > 0);

    struct alignas(cache_line) Node {
        platform::Atomic<uint32_t> state{waiting};
        platform::Atomic<Node*> next{nullptr};
        Request request{};
    };

public:
    /// A thread's way in: one spare node. It serves any number of objects of this type, one apply()
    /// at a time, and may be destroyed before or after them.
    class Handle {
    public:
        Handle() = default;
        ~Handle() { platform::deallocate(node_); }
        Handle(const Handle&) = delete;
        Handle& operator=(const Handle&) = delete;

        /// Before the first apply(). False: there is no memory.
        bool prepare() { return node_ || (node_ = make_node(waiting)) != nullptr; }

    private:
        friend class CcSynch;
        Node* node_ = nullptr; // never one that another thread still reads or writes
    };

    CcSynch() = default;
    /// Nobody is in apply(), nor will be.
    ~CcSynch() { platform::deallocate(tail_.load(platform::relaxed)); }
    CcSynch(const CcSynch&) = delete;
    CcSynch& operator=(const CcSynch&) = delete;

    /// Before the first apply() of any thread. False: there is no memory.
    bool prepare() {
        if (tail_.load(platform::relaxed)) // relaxed: one thread prepares
            return true;
        Node* const node = make_node(turn);
        tail_.store(node, platform::relaxed); // whoever shares the object publishes it
        return node != nullptr;
    }

    /// Returns when execute(request) has been called, by this thread or another, and `request` is
    /// as that call left it. All callers pass the same function of the object: a combiner calls its
    /// own for all. It is short, does not wait and does not call apply(). Requests take effect in
    /// the order in which they are announced.
    template <class Execute>
    void apply(Handle& handle, Request& request, Execute&& execute) {
        Node* const node = announce(handle, request);
        uint32_t state;
        // acquire: pairs with combine(): the object and the answer, or the object and the turn
        wait_briefly([&] { return (state = node->state.load(platform::acquire)) != waiting; });
        if (state == turn)
            combine(node, execute);
        request = node->request;
    }

private:
    // A node is waiting until the request in it is executed (done) or until the thread that
    // announced it there shall execute it itself, as the combiner (turn).
    static constexpr uint32_t waiting = 0, done = 1, turn = 2;

    static Node* make_node(uint32_t state) {
        void* const memory = platform::allocate(sizeof(Node), alignof(Node));
        if (!memory)
            return nullptr;
        Node* const node = new (memory) Node;
        node->state.store(state, platform::relaxed); // not shared yet
        return node;
    }

    /// Puts the spare node at the tail and the request into the one that was there, which becomes
    /// the caller's.
    Node* announce(Handle& handle, const Request& request) {
        HEDDLE_CHECK(handle.node_ != nullptr);
        Node* const tail = handle.node_;
        tail->state.store(waiting, platform::relaxed); // the exchange releases both
        tail->next.store(nullptr, platform::relaxed);
        // acquire: pairs with the exchange of the thread that put this node there
        Node* const node = tail_.exchange(tail, platform::acq_rel);
        node->request = request;
        node->next.store(tail, platform::release); // pairs with combine(): the request
        handle.node_ = node;
        return node;
    }

    template <class Execute>
    void combine(Node* node, Execute&& execute) {
        for (uint32_t executed = 0;; ++executed) {
            // acquire: pairs with announce(). Read first: once `done`, the node is another
            // thread's.
            Node* const next = node->next.load(platform::acquire);
            if (!next || executed == most_requests)
                break;
            HEDDLE_CHECK(node->state.load(platform::relaxed) == (executed == 0 ? turn : waiting));
            execute(node->request);
            node->state.store(done, platform::release); // pairs with apply()
            node = next;
        }
        HEDDLE_CHECK(node->state.load(platform::relaxed) == waiting);
        node->state.store(turn, platform::release); // pairs with apply()
    }

    alignas(cache_line) platform::Atomic<Node*> tail_{nullptr};
};

} // namespace heddle::concurrent
