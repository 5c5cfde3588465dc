// SPDX-License-Identifier: Apache-2.0
// The weaker memory: each atomic word has a history of messages in its modification order, and a
// load may read any message that its fiber does not know to be overwritten. After the view machines
// of the promising semantics (Kang et al., POPL 2017) and C11Tester (Luo and Demsky, ASPLOS 2021),
// without promises. Called by platform.cpp for the current fiber. The rules are in README.md.
#pragma once

#include "clock.hpp"

#include <atomic>
#include <unordered_map>
#include <vector>

namespace explore {

using Order = std::memory_order;
struct Fiber;

bool acquires(Order order);
bool releases(Order order);

class Views {
public:
    /// Forgets all words: an execution begins.
    void begin();

    uint64_t load(const void* word, size_t size, Order order);
    void store(void* word, size_t size, uint64_t bits, Order order);
    /// A read-modify-write: the newest value, which end_update() replaces before anything else
    /// happens.
    uint64_t begin_update(void* word, size_t size, Order order);
    void end_update(void* word, size_t size, uint64_t bits, Order order);
    /// False: `expected` is what a load with order `failure` has read.
    bool compare_exchange(void* word, size_t size, uint64_t& expected, uint64_t desired,
                          Order success, Order failure);

    /// The current fiber knows what others knew at their fences, and they get to know what it
    /// knows.
    void fence();
    /// The fiber passes one that the current fiber imposes on it.
    void fence_for(Fiber& fiber);

    /// An Atomic is constructed at `word`: what was there before is another object's.
    void construct(const void* word) { words_.erase(word); }

private:
    struct Message {
        uint64_t bits;
        Clock released;  ///< what who acquires it gets to know
        uint64_t step;   ///< when it was written
        size_t position; ///< in the modification order
        bool is_update;  ///< stays right behind the message that it has read
        /// Where the operation is that wrote it, in the order of all seq_cst ones; 0: it is not.
        uint64_t seq_cst;
    };
    /// From `time` on, who knows its fiber's time may not read anything older than `message`.
    struct Known {
        uint32_t time;
        uint32_t message;
    };
    /// A seq_cst operation at that place of their order has read or written the message.
    struct Ordered {
        uint64_t place;
        uint32_t message;
    };
    /// What was known at any fence up to the one at that place of the same order.
    struct Fenced {
        uint64_t place;
        Clock clock;
    };
    struct Word {
        std::vector<Message> messages;
        std::vector<uint32_t> order; ///< indices of messages, the modification order
        std::array<std::vector<Known>, most_fibers> known;
        std::vector<Ordered> ordered;

        Message& at(size_t position) { return messages[order[position]]; }
        size_t last() const { return order.size() - 1; }
        /// The newest position that a seq_cst operation up to `place` has read or written.
        size_t ordered_until(uint64_t place) const;
    };

    Word& find(const void* word, size_t size);
    size_t oldest_readable(Word& word, Order order) const;
    uint32_t choose_message(Word& word, Order order) const;
    uint64_t read(Word& word, uint32_t message, const void* address, size_t size, Order order);
    static void remember(Word& word, uint32_t message);
    static void note_ordered(Word& word, uint32_t message, uint64_t place);
    void take_place(Order order);
    void place_load(Word& word, uint32_t message);
    static void add(Word& word, size_t position, uint64_t bits, Order order, const Clock& released,
                    bool is_update);

    std::unordered_map<const void*, Word> words_;
    std::vector<Fenced> fences_; ///< by their places
    uint64_t last_place_ = 0;    ///< in the order of all seq_cst operations
};

} // namespace explore
