// SPDX-License-Identifier: Apache-2.0
// A bounded queue that one thread, its owner, fills without a lock and any thread empties through
// CC-Synch, from the newest end or the oldest; a taker may pass over items. While the queue has
// items, one hold is taken on whatever its user names. put(), free_slots(): owner; the rest: all.
// Source: Agathos et al., Speeding Up OpenMP Tasking, figure 3. Protocol:
// docs/protocols/owner-ring.md.
#pragma once

#include "concurrent/cc_synch.hpp"

namespace heddle::concurrent {

template <class Item>
class OwnerRing {
public:
    /// What a taker asks: the first item, from one end, that `accepts` agrees to.
    struct Request {
        bool (*accepts)(const Item& item, const void* context);
        const void* context;
        bool by_owner;
        Item* taken = nullptr; ///< the answer; nullptr: there is no such item
        bool emptied = false;  ///< nothing is left behind it
    };
    using Combining = CcSynch<Request>;
    using Handle = typename Combining::Handle;

    OwnerRing() = default;
    ~OwnerRing() { platform::deallocate(slots_); }
    OwnerRing(const OwnerRing&) = delete;
    OwnerRing& operator=(const OwnerRing&) = delete;

    /// Room for `capacity` items, 1 or more. Before any other call; false: there is no memory.
    bool prepare(uint32_t capacity, bool oldest_first) {
        void* const memory =
            platform::allocate(capacity * sizeof(platform::Atomic<Item*>), cache_line);
        if (!memory)
            return false;
        slots_ = static_cast<platform::Atomic<Item*>*>(memory);
        for (uint32_t i = 0; i < capacity; ++i)
            ::new (&slots_[i]) platform::Atomic<Item*>(nullptr);
        capacity_ = capacity;
        oldest_first_ = oldest_first;
        return combining_.prepare();
    }

    /// Items that put() has room for at least. Those taken from the middle count until their
    /// neighbours are gone.
    uint32_t free_slots() const {
        // acquire: pairs with the release in execute(), so the slots below are empty
        const uint64_t used = top_.load(platform::relaxed) - bottom_.load(platform::acquire);
        return capacity_ - static_cast<uint32_t>(used);
    }

    /// Stores `item`; false: the ring is full. hold() is called, and drop() in vain, when the ring
    /// had no items.
    template <class Hold, class Drop>
    bool put(Item& item, Hold&& hold, Drop&& drop) {
        if (free_slots() == 0)
            return false;
        const uint64_t top = top_.load(platform::relaxed);       // the owner's, see execute()
        slots_[top % capacity_].store(&item, platform::relaxed); // the exchange releases it
        // seq_cst: releases the item to execute(); Dekker with the second load in take()
        top_.exchange(top + 1, platform::seq_cst);
        mark_held(hold, drop);
        return true;
    }

    /// Takes an item as `request` says. drop() is called when none is left.
    template <class Hold, class Drop>
    Item* take(Handle& handle, Request& request, Hold&& hold, Drop&& drop) {
        combining_.apply(handle, request, [this](Request& asked) { execute(asked); });
        if (request.emptied && held_.exchange(0, platform::seq_cst) != 0) {
            drop();
            // Dekker with put(): one of the two sees the other's write
            if (top_.load(platform::seq_cst) != bottom_.load(platform::seq_cst))
                mark_held(hold, drop);
        }
        return request.taken;
    }

    /// Is a take() worth while? It is where a hold is left to drop, too. Exact for the owner's own
    /// items; relaxed for the others: who must not miss one has acquired that it was put.
    bool looks_useful() const {
        return held_.load(platform::relaxed) != 0 ||
               top_.load(platform::relaxed) != bottom_.load(platform::relaxed);
    }

private:
    /// The hold comes before the mark, so that nobody can drop what is not yet held.
    template <class Hold, class Drop>
    void mark_held(Hold&& hold, Drop&& drop) {
        if (held_.load(platform::seq_cst) != 0) // Dekker with take()
            return;
        hold();
        if (held_.exchange(1, platform::seq_cst) != 0)
            drop(); // another thread's hold is there
    }

    platform::Atomic<Item*>& slot(uint64_t index) { return slots_[index % capacity_]; }

    /// By the combiner, one at a time; CC-Synch orders all that it reads and writes here but `top_`
    /// and the slots of put().
    void execute(Request& request) {
        uint64_t bottom = bottom_.load(platform::relaxed);
        uint64_t top = top_.load(platform::acquire); // pairs with put(): the items below it
        HEDDLE_CHECK(bottom <= top && top - bottom <= capacity_);
        request.taken = nullptr;
        for (uint64_t i = 0, count = top - bottom; i < count && !request.taken; ++i) {
            const uint64_t index = oldest_first_ ? bottom + i : top - 1 - i;
            Item* const item = slot(index).load(platform::relaxed);
            if (!item || !request.accepts(*item, request.context))
                continue;
            request.taken = item;
            slot(index).store(nullptr, platform::relaxed);
        }
        // The owner waits for this answer, so that it does not put: its own top may fall.
        if (request.by_owner) {
            while (top != bottom && !slot(top - 1).load(platform::relaxed))
                --top;
            top_.store(top, platform::relaxed); // released to the owner with the answer
        }
        while (bottom != top && !slot(bottom).load(platform::relaxed))
            ++bottom;
        bottom_.store(bottom, platform::release); // pairs with free_slots()
        request.emptied = bottom == top;
    }

    platform::Atomic<Item*>* slots_ = nullptr;
    uint32_t capacity_ = 0;
    bool oldest_first_ = false;
    alignas(cache_line) platform::Atomic<uint64_t> top_{0};
    platform::Atomic<uint32_t> held_{0}; ///< 1: hold() has been called, and is to be dropped
    alignas(cache_line) platform::Atomic<uint64_t> bottom_{0};
    Combining combining_;
};

} // namespace heddle::concurrent
