// SPDX-License-Identifier: Apache-2.0
// Memory of the structures: nodes that stay nodes, named by number, with a tag beside the number
// that tells a word's earlier lives from its present one. So a node may be used again at once, and
// the lock-free ways need no other reclamation. Freed nodes go to the thread that freed them.
#pragma once

#include "../common/bench.h"
#include "concurrent/futex_lock.hpp"

#include <cstdint>
#include <memory>

namespace structures {

namespace platform = heddle::platform;
using heddle::concurrent::cache_line;
using heddle::concurrent::FutexLock;
using heddle::concurrent::WaitLimits;

/// tag:32 | number:31 | mark:1. Number 0 is no node.
using Link = uint64_t;
constexpr uint32_t number_of(Link link) { return static_cast<uint32_t>(link) >> 1; }
constexpr bool is_marked(Link link) { return link & 1; }
/// What follows `before` in a word: another tag.
constexpr Link next_link(Link before, uint32_t number, bool mark = false) {
    return ((before >> 32) + 1) << 32 | uint64_t{number} << 1 | (mark ? 1 : 0);
}

struct Node {
    platform::Atomic<Link> next{0};
    platform::Atomic<uint64_t> value{0}; // a late reader may meet the node's next life
};

class Nodes {
public:
    explicit Nodes(size_t count) : nodes_(new Node[count + 1]) {}
    Node& operator[](uint32_t number) { return nodes_[number]; }

private:
    std::unique_ptr<Node[]> nodes_;
};

/// One thread's free nodes and its random numbers.
struct alignas(cache_line) Thread {
    Nodes* nodes = nullptr;
    uint32_t free = 0; // a list through next
    uint64_t state = 0;
    uint32_t pauses = 0; // of the next failure, with backoff
    WaitLimits limits{};

    uint32_t take_node(uint64_t value) {
        const uint32_t number = free;
        if (number == 0)
            bench_fail("no node is left");
        Node& node = (*nodes)[number];
        free = number_of(node.next.load(platform::relaxed));
        node.value.store(value, platform::relaxed);
        return number;
    }
    void free_node(uint32_t number) {
        Node& node = (*nodes)[number];
        node.next.store(next_link(node.next.load(platform::relaxed), free), platform::relaxed);
        free = number;
    }
    uint32_t random() {
        state = state * 6364136223846793005 + 1442695040888963407;
        return static_cast<uint32_t>(state >> 33);
    }
};

/// What a thread does when another one was faster.
struct AtOnce {
    static void failed(Thread&) {}
    static void succeeded(Thread&) {}
};
struct Backoff {
    static void failed(Thread& me) {
        me.pauses = me.pauses == 0 ? 1 : me.pauses < 64 ? 2 * me.pauses : 64;
        for (uint32_t i = 0; i < me.pauses; ++i)
            platform::relax();
    }
    static void succeeded(Thread& me) { me.pauses = 0; }
};

} // namespace structures
