// SPDX-License-Identifier: Apache-2.0
// Fixed-size blocks that one thread takes and any thread gives back: to their creator, so that a
// producer whose tasks run elsewhere reuses its memory. Blocks are never returned to the system,
// so a late reader of a freed block reads old data, never an unmapped page.
// take() and give_back(owner) by the owner; give_back_remote() by any thread, by one exchange.
// Protocol: docs/protocols/block-pool.md.
#pragma once

#include "concurrent/check.hpp"

namespace heddle::concurrent {

class BlockPool {
public:
    /// `size` bytes a block, aligned to `alignment`; not thread-safe, before the first take().
    void configure(size_t size, size_t alignment) {
        alignment_ = alignment < cache_line ? cache_line : alignment;
        size_ = (size + alignment_ - 1) / alignment_ * alignment_;
    }

    /// A block with arbitrary contents; nullptr when the system has no memory.
    void* take() {
        if (HEDDLE_UNLIKELY(!free_) && !refill())
            return nullptr;
        Node* node = free_;
        free_ = node->next();
        return node;
    }

    void give_back(void* block) {
        auto* node = static_cast<Node*>(block);
        node->set_next(free_);
        free_ = node;
    }

    /// By a thread that does not own the pool.
    void give_back_remote(void* block) {
        auto* node = static_cast<Node*>(block);
        push(node, node);
    }

    /// In a forked child, where no other thread is: who was about to say what follows a chain never
    /// will. The blocks are lost.
    void forget_returned() {
        rest_ = 0;
        returned_.store(0, platform::relaxed);
    }

private:
    friend class BlockReturns;

    /// The first words of a block that nobody uses.
    struct Node {
        platform::Atomic<uintptr_t> link; ///< what follows; in a chain's last block a Head
        Node* last;                       ///< in the first one of several

        Node* next() const { return reinterpret_cast<Node*>(link.own()); }
        void set_next(Node* node) {
            link.set_own(reinterpret_cast<uintptr_t>(node), platform::relaxed);
        }
    };

    /// The first block of a chain, and whether there are several. 0: there is no chain.
    using Head = uintptr_t;
    static constexpr Head several = 1;
    static constexpr Head unknown = 2; ///< whoever gave the chain has not yet said what follows

    /// By any thread: a chain of blocks from `first` on, of which `last` is the last.
    void push(Node* first, Node* last) {
        Head head = reinterpret_cast<Head>(first);
        if (first != last) {
            first->last = last;
            head |= several;
        }
        last->link.store(unknown, platform::relaxed);
        // Both pair with refill(): the chain, and that its last block is the owner's from here on.
        const Head before = returned_.exchange(head, platform::release);
        last->link.store(before, platform::release);
    }

    bool refill() {
        // acquire: pairs with push(); all chains become the owner's
        if (rest_ == 0 && returned_.load(platform::relaxed) != 0)
            rest_ = returned_.exchange(0, platform::acquire);
        return (rest_ != 0 && take_chain()) || add_chunk();
    }

    /// False: who gave it has stopped between its two steps, and `rest_` waits for the next time.
    bool take_chain() {
        auto* first = reinterpret_cast<Node*>(rest_ & ~several);
        Node* last = (rest_ & several) != 0 ? first->last : first;
        // acquire: pairs with push()
        Head before = last->link.load(platform::acquire);
        for (int looks = 1; before == unknown && looks < patience; ++looks) {
            platform::relax();
            before = last->link.load(platform::acquire);
        }
        if (before == unknown)
            return false;
        last->set_next(nullptr);
        rest_ = before;
        free_ = first;
        return true;
    }

    bool add_chunk() {
        const size_t count = size_ >= 4096 ? 1 : 4096 / size_;
        auto* chunk = static_cast<char*>(platform::allocate(count * size_, alignment_));
        if (!chunk)
            return false;
        for (size_t i = 0; i < count; ++i)
            give_back(chunk + i * size_);
        return true;
    }

    /// The two steps of a push are a few instructions apart: after so many looks it was preempted.
    static constexpr int patience = 4;

    Node* free_ = nullptr; // owner only
    Head rest_ = 0;        // owner only: chains that it has taken from `returned_`
    size_t size_ = 0;
    size_t alignment_ = cache_line;
    alignas(cache_line) platform::Atomic<Head> returned_{0};
};

/// Blocks of another thread's pool on their way home, gathered by one thread: a push for each would
/// move a line between the cores for each.
class BlockReturns {
public:
    void add(BlockPool& home, void* block) {
        if (home_ != &home || count_ == most)
            flush();
        auto* node = static_cast<BlockPool::Node*>(block);
        node->set_next(first_);
        first_ = node;
        if (count_++ == 0) {
            last_ = node;
            home_ = &home;
        }
    }

    void flush() {
        if (count_ != 0)
            home_->push(first_, last_);
        first_ = nullptr;
        count_ = 0;
    }

private:
    static constexpr uint32_t most = 32; ///< so many blocks a thread may keep from their owner

    BlockPool* home_ = nullptr;
    BlockPool::Node* first_ = nullptr;
    BlockPool::Node* last_ = nullptr;
    uint32_t count_ = 0;
};

} // namespace heddle::concurrent
