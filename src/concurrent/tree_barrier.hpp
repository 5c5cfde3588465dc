// SPDX-License-Identifier: Apache-2.0
// The nodes that large teams put below a TeamBarrier, which is the root: few threads meet in one
// line, and each polls a line near it. A node counts its children that are active, threads or
// nodes, like the root; who takes its last one arrives at the node above, and to rejoin one where
// nobody is active a thread rejoins the node above first. The opening goes down node by node.
// Protocol: docs/protocols/team-barrier.md. After: Mellor-Crummey & Scott 1991, combining trees.
#pragma once

#include "concurrent/team_barrier.hpp"

namespace heddle::concurrent {

class TreeBarrier {
    struct alignas(cache_line) Node {
        platform::Atomic<uint64_t> word{0}; ///< {epoch:32, active:32}; epochs are the root's
        Node* parent = nullptr;             ///< constant; nullptr: the root is next
        uint32_t full = 0;                  ///< children; constant
        uint32_t threads = 0;               ///< those among them that are threads; constant
    };
    struct Seat {
        Node* leaf = nullptr;  ///< where the thread arrives; nullptr: at the root
        Node* watch = nullptr; ///< what it polls; nullptr: the root
    };

public:
    /// Children of a node, the root among them. Assumed: a handful of arrivals in one line are as
    /// fast as a level more; two CPUs cannot tell, the simulator will.
    static constexpr uint32_t widest = 4;

    /// Nodes for `size` threads, two or more. group(level, thread) names the part of the machine
    /// where a thread is: threads of one part stand below one node if that is possible; level 0 has
    /// the smallest parts, those of level `levels` - 1 contain them. nullptr without memory.
    template <class Group>
    static TreeBarrier* create(uint32_t size, int levels, Group&& group, uint32_t width = widest);
    static void destroy(TreeBarrier* tree) { platform::deallocate(tree); }

    /// How many children the root has: what it is reset to, and opened with.
    uint32_t root_width() const { return root_width_; }

    /// Before a team starts whose threads are not those of the last region with this tree: every
    /// node at the root's epoch with all children active. Who still leaves that region may change
    /// nothing, for the epoch that it knows is over.
    void reset(const TeamBarrier& root) {
        const uint64_t epoch = uint64_t{root.epoch()} << 32;
        for (uint32_t i = 0; i < node_count_; ++i)
            nodes()[i].word.store(epoch | nodes()[i].full, platform::relaxed);
    }

    /// Has this tree seen all barriers of `root` since its reset? By the first thread, when a
    /// region is over: then all nodes are open, or will be before their threads arrive.
    bool is_current(const TeamBarrier& root) const {
        const Node* leaf = seats()[0].leaf;
        return leaf && epoch_of(leaf->word.load(platform::relaxed)) == root.epoch();
    }

    /// Threads that have not arrived, up to about `enough`. A hint, as the root's.
    uint32_t active(uint32_t enough) const {
        uint32_t sum = root_threads_; // few, which may have arrived
        for (uint32_t i = 0; i < node_count_ && sum < enough; ++i)
            if (nodes()[i].threads != 0)
                sum += active_of(nodes()[i].word.load(platform::relaxed));
        return sum;
    }

    /// One thread at the barrier, with the interface of TeamBarrier. Its owner's, for one barrier.
    class Place {
    public:
        static constexpr bool sleeps = true;

        Place(TreeBarrier& tree, TeamBarrier& root, uint32_t number)
            : tree_(tree), root_(root), seat_(tree.seats()[number]) {}

        bool arrive(uint32_t& epoch) {
            epoch = tree_.epoch_at(seat_.leaf, root_);
            HEDDLE_CHECK(epoch == root_.epoch());
            if (!tree_.arrive_from(seat_.leaf, root_))
                return false;
            open_below(nullptr, epoch);
            return true;
        }

        /// Before stealing. False: the barrier is about to open.
        bool rejoin(uint32_t epoch) { return tree_.rejoin(seat_.leaf, root_, epoch); }

        /// Did the epoch end? Then all nodes above this thread's place are open for the next.
        bool completed(uint32_t epoch) {
            // Who should open the node that we poll may not be running: then we do it.
            if (HEDDLE_UNLIKELY(++polls_ % polls_a_look == 0))
                return surely_completed(epoch);
            if (seat_.watch ? epoch_of(seat_.watch->word.load(platform::acquire)) == epoch
                            : !root_.completed(epoch)) // acquire: pairs with open()
                return false;
            open_below(seat_.watch, epoch);
            return true;
        }

        /// The same with the root's seq_cst load, for a thread that has announced its sleep.
        bool surely_completed(uint32_t epoch) {
            if (!root_.surely_completed(epoch))
                return false;
            open_below(nullptr, epoch);
            return true;
        }

    private:
        static constexpr uint32_t polls_a_look = 1024; ///< 30 us: all who wait look at one line
        static constexpr int deepest = 32;             ///< levels, for each halves the children

        /// Opens the nodes between `above`, which is open, and this thread, downwards.
        void open_below(Node* above, uint32_t epoch) {
            Node* path[deepest];
            int length = 0;
            for (Node* node = seat_.leaf; node != above; node = node->parent)
                path[length++] = node;
            while (length > 0)
                open(*path[--length], epoch);
        }

        TreeBarrier& tree_;
        TeamBarrier& root_;
        const Seat seat_;
        uint32_t polls_ = 0;
    };

private:
    TreeBarrier(uint32_t size, uint32_t node_count) : size_(size), node_count_(node_count) {}

    static constexpr uint32_t active_of(uint64_t word) { return static_cast<uint32_t>(word); }
    static constexpr uint32_t epoch_of(uint64_t word) { return static_cast<uint32_t>(word >> 32); }

    /// The epoch, for an active child of `node`, which need not read the root's line.
    static uint32_t epoch_at(const Node* node, const TeamBarrier& root) {
        return node ? epoch_of(node->word.load(platform::relaxed)) : root.epoch();
    }

    /// A child of `node` is no longer active. True: it was the last, and has opened the root.
    bool arrive_from(Node* node, TeamBarrier& root) {
        for (; node; node = node->parent) {
            // acq_rel: each releases what is below it; the last one acquires that, and goes on
            const uint64_t before = node->word.fetch_sub(1, platform::acq_rel);
            HEDDLE_CHECK(active_of(before) != 0);
            if (active_of(before) != 1)
                return false;
        }
        return root.arrive(root_width_);
    }

    /// A child of `node` is active again. False: the barrier is about to open.
    bool rejoin(Node* node, TeamBarrier& root, uint32_t epoch) {
        if (!node)
            return root.rejoin(epoch);
        uint64_t word = node->word.load(platform::relaxed);
        bool above = false; // we have made the node's parent count one more for the node
        for (;;) {
            if (epoch_of(word) != epoch) {
                HEDDLE_CHECK(!above); // it cannot open: this thread counts above
                return false;
            }
            if (active_of(word) == 0 && !above) {
                if (!rejoin(node->parent, root, epoch))
                    return false;
                above = true;
                word = node->word.load(platform::relaxed);
                continue;
            }
            // acq_rel: part of the release sequence of those who arrive here
            if (!node->word.compare_exchange_strong(word, word + 1, platform::acq_rel,
                                                    platform::relaxed))
                continue;
            if (above && active_of(word) != 0) { // another was faster: the node counts twice
                [[maybe_unused]] const bool last = arrive_from(node->parent, root);
                HEDDLE_CHECK(!last);
            }
            return true;
        }
    }

    /// The node above is open; whoever sees it may open this one. Fails where that is done, or the
    /// next region has begun.
    static void open(Node& node, uint32_t epoch) {
        uint64_t closed = uint64_t{epoch} << 32;
        const uint64_t opened = (uint64_t{epoch} + 1) << 32 | node.full;
        // acq_rel: releases what the opener of the root has acquired, to completed()
        node.word.compare_exchange_strong(closed, opened, platform::acq_rel, platform::relaxed);
    }

    // Behind this object in its memory.
    Node* nodes() const {
        return reinterpret_cast<Node*>(const_cast<char*>(reinterpret_cast<const char*>(this)) +
                                       cache_line);
    }
    Seat* seats() const { return reinterpret_cast<Seat*>(nodes() + size_); }

    /// What is not below a node yet while the tree is made.
    struct Item {
        uint32_t thread; ///< its first one
        Node* node;      ///< nullptr: the thread itself
    };

    void put_below(Node& node, const Item& item, bool is_first) {
        (item.node ? item.node->parent : seats()[item.thread].leaf) = &node;
        node.threads += item.node ? 0 : 1;
        if (!is_first)
            seats()[item.thread].watch = &node;
        ++node.full;
    }

    /// Puts `count` items below as few nodes as hold them, evenly; returns how many items there are
    /// now. A node's first thread represents it further up.
    uint32_t join(Item* items, uint32_t count, uint32_t width) {
        const uint32_t parts = (count + width - 1) / width;
        uint32_t from = 0;
        for (uint32_t part = 0; part < parts; ++part) {
            const uint32_t to = (part + 1) * count / parts;
            Item joined = items[from];
            if (to - from > 1) {
                Node& node = nodes()[node_count_++];
                for (uint32_t i = from; i < to; ++i)
                    put_below(node, items[i], i == from);
                joined.node = &node;
            }
            items[part] = joined;
            from = to;
        }
        return parts;
    }

    uint32_t size_;
    uint32_t node_count_;
    uint32_t root_width_ = 0;
    uint32_t root_threads_ = 0; ///< threads among the root's children
};
static_assert(sizeof(TreeBarrier) <= cache_line);

template <class Group>
TreeBarrier* TreeBarrier::create(uint32_t size, int levels, Group&& group, uint32_t width) {
    const size_t bytes = cache_line + size * (sizeof(Node) + sizeof(Seat));
    void* memory = platform::allocate(bytes, cache_line);
    auto* items = static_cast<Item*>(platform::allocate(size * sizeof(Item), alignof(Item)));
    if (!memory || !items) {
        platform::deallocate(memory);
        platform::deallocate(items);
        return nullptr;
    }
    auto* tree = ::new (memory) TreeBarrier(size, 0);
    for (uint32_t i = 0; i < size; ++i) {
        ::new (&tree->nodes()[i]) Node; // fewer are needed: each joins two or more
        ::new (&tree->seats()[i]) Seat;
        items[i] = {i, nullptr};
    }
    // Threads of one part side by side, the largest parts first; where they are already nothing
    // moves. Insertion: a team is made once.
    const auto before = [&](uint32_t a, uint32_t b) {
        for (int level = levels - 1; level >= 0; --level)
            if (group(level, a) != group(level, b))
                return group(level, a) < group(level, b);
        return false;
    };
    for (uint32_t i = 1; i < size; ++i) {
        const Item moved = items[i];
        uint32_t place = i;
        for (; place > 0 && before(moved.thread, items[place - 1].thread); --place)
            items[place] = items[place - 1];
        items[place] = moved;
    }
    // Each part by itself until one node is above all of it, then the parts of the next level.
    uint32_t count = size;
    for (int level = 0; level < levels; ++level) {
        uint32_t kept = 0;
        for (uint32_t from = 0, to = 0; from < count; from = to) {
            while (to < count && group(level, items[to].thread) == group(level, items[from].thread))
                ++to;
            uint32_t left = to - from;
            while (left > 1 && count > width)
                left = tree->join(items + from, left, width);
            for (uint32_t i = 0; i < left; ++i)
                items[kept++] = items[from + i];
        }
        count = kept;
    }
    while (count > width)
        count = tree->join(items, count, width);
    tree->root_width_ = count;
    for (uint32_t i = 0; i < count; ++i)
        tree->root_threads_ += items[i].node ? 0 : 1;
    platform::deallocate(items);
    return tree;
}

} // namespace heddle::concurrent
