// SPDX-License-Identifier: Apache-2.0
// Fixed-size blocks that one thread takes and any thread gives back: to their creator, so that a
// producer whose tasks run elsewhere reuses its memory. Blocks are never returned to the system,
// so a late reader of a freed block reads old data, never an unmapped page.
// take() and give_back(owner) by the owner; give_back_remote() by any thread.
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
        free_ = node->next;
        return node;
    }

    void give_back(void* block) {
        auto* node = static_cast<Node*>(block);
        node->next = free_;
        free_ = node;
    }

    /// By a thread that does not own the pool. Push only, so there is no ABA.
    void give_back_remote(void* block) {
        auto* node = static_cast<Node*>(block);
        push(node, node);
    }

private:
    friend class BlockReturns;
    struct Node {
        Node* next;
    };

    /// By any thread: a chain of blocks from `first` on, of which `last` is the last.
    void push(Node* first, Node* last) {
        last->next = returned_.load(platform::relaxed);
        // release: pairs with the acquire in refill()
        while (!returned_.compare_exchange_strong(last->next, first, platform::release,
                                                  platform::relaxed)) {
        }
    }

    bool refill() {
        // acquire: pairs with give_back_remote(); the whole list becomes the owner's
        if (returned_.load(platform::relaxed))
            free_ = returned_.exchange(nullptr, platform::acquire);
        if (free_)
            return true;
        const size_t count = size_ >= 4096 ? 1 : 4096 / size_;
        auto* chunk = static_cast<char*>(platform::allocate(count * size_, alignment_));
        if (!chunk)
            return false;
        for (size_t i = 0; i < count; ++i)
            give_back(chunk + i * size_);
        return true;
    }

    Node* free_ = nullptr; // owner only
    size_t size_ = 0;
    size_t alignment_ = cache_line;
    alignas(cache_line) platform::Atomic<Node*> returned_{nullptr};
};

/// Blocks of another thread's pool on their way home, gathered by one thread: a push for each would
/// move a line between the cores for each.
class BlockReturns {
public:
    void add(BlockPool& home, void* block) {
        if (home_ != &home || count_ == most)
            flush();
        auto* node = static_cast<BlockPool::Node*>(block);
        node->next = first_;
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
