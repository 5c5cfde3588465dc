// SPDX-License-Identifier: Apache-2.0
// A worker's deque of tasks held in place in 64-byte slots. Newest part [split, bottom): private,
// the owner pushes and pops with plain stores. Oldest part [top, split): public, thieves and the
// owner take from it under a lock; the owner moves the split. Indices never wrap.
// Ordering: publish() releases the slots to steal()'s acquire of split; top is changed under the
// lock only. Protocol, invariant and proof: docs/protocols/task-deque.md.
#pragma once

#include "concurrent/waiting.hpp"

namespace heddle::concurrent {

/// One deferred task. The deque copies slots and sets `stolen` in `tag`; it reads nothing else.
struct alignas(cache_line) TaskSlot {
    static constexpr uintptr_t stolen = 1; ///< bit of `tag`: taken from another worker's deque
    static constexpr size_t payload_size = 48;

    void (*function)(void*);
    uintptr_t tag;
    alignas(16) unsigned char payload[payload_size];
};
static_assert(sizeof(TaskSlot) == cache_line);

class TaskDeque {
public:
    static constexpr uint32_t shortest_limit = 8, longest_limit = 2048;
    static constexpr uint64_t largest_batch = 512;

    TaskDeque() = default;
    TaskDeque(const TaskDeque&) = delete;
    TaskDeque& operator=(const TaskDeque&) = delete;

    // ---- owner ----

    /// Before a region: the deque is empty; `shared` says whether thieves will look at it.
    void begin_region(bool shared) {
        HEDDLE_CHECK(bottom_ == top_.load(platform::relaxed) && split_local_ == bottom_);
        wants_tasks_.store(shared ? 1 : 0, platform::relaxed);
    }

    /// Thieves have emptied the public part since the last publish(). Relaxed: only a hint.
    uint32_t wants_tasks() const { return wants_tasks_.load(platform::relaxed); }

    uint64_t bottom() const { return bottom_; }

    /// Upper bound of the number of tasks; relaxed: a stale top only makes it larger.
    uint64_t size() const { return bottom_ - top_.load(platform::relaxed); }

    /// Queue length up to which new tasks are deferred, set by thieves from how long batches last.
    uint32_t limit() const { return limit_.load(platform::relaxed); }

    bool has_private() const { return bottom_ != split_local_; }

    /// The slot that push() will add, to be filled first; nullptr when there is no memory.
    TaskSlot* reserve() {
        if (HEDDLE_UNLIKELY(bottom_ == full_at_) && !make_room(1))
            return nullptr;
        return &ring_[bottom_ & mask_];
    }
    void push() { ++bottom_; }

    /// Makes the older half of the private part public; there is one. The seq_cst exchange
    /// releases the slots and is the notifier's write of the Dekker pair with EventCount.
    void publish() {
        HEDDLE_CHECK(has_private());
        wants_tasks_.store(0, platform::relaxed); // before split: see the protocol page
        split_local_ += (bottom_ - split_local_ + 1) / 2;
        split_.exchange(split_local_, platform::seq_cst);
    }

    /// The newest task at or above index `base`; the slot stays valid until the next reserve().
    TaskSlot* pop(uint64_t base) {
        if (HEDDLE_UNLIKELY(bottom_ == split_local_) && !take_back(base))
            return nullptr;
        if (bottom_ <= base)
            return nullptr;
        return &ring_[--bottom_ & mask_];
    }

    // ---- thieves (each is the owner of `*this`, another thread owns the victim) ----

    /// Relaxed look from outside: worth a steal()?
    bool looks_stealable() const {
        return split_.load(platform::relaxed) > top_.load(platform::relaxed);
    }
    /// The same with the seq_cst load that EventCount's Dekker needs.
    bool surely_stealable() const {
        return split_.load(platform::seq_cst) > top_.load(platform::relaxed);
    }

    /// Where the tasks at and above `start` of this deque came from.
    struct Origin {
        const TaskDeque* victim = nullptr;
        uint64_t first = 0; ///< index of the oldest of them in the victim
        uint64_t start = 0; ///< index in this deque
    };

    /// Moves up to half of the victim's public part here. Returns how many; on success the caller
    /// restores `before` with end_batch() when they are all done.
    uint64_t steal(TaskDeque& victim, Origin& before) {
        if (!make_room_for_batch() || !victim.try_lock())
            return 0;
        const uint64_t top = victim.top_.load(platform::relaxed);     // changed under the lock only
        const uint64_t split = victim.split_.load(platform::acquire); // pairs with publish()
        uint64_t count = split > top ? (split - top + 1) / 2 : 0;
        count = count < largest_batch ? count : largest_batch;
        for (uint64_t i = 0; i < count; ++i)
            copy_stolen(ring_[(bottom_ + i) & mask_], victim.ring_[(top + i) & victim.mask_]);
        victim.take_from_top(top + count, split);
        victim.unlock();
        if (count == 0)
            return 0;
        begin_batch({&victim, top, bottom_}, before);
        bottom_ += count;
        return count;
    }

    /// Takes one task back from `holder`, who stole it, or its ancestor, from index `base` or
    /// above of this deque: what lies above the holder's start descends from that.
    bool leapfrog(TaskDeque& holder, uint64_t base, TaskSlot& task, Origin& before) {
        // relaxed look first: it is read again under the lock
        if (holder.victim_hint_.load(platform::relaxed) != this || !holder.looks_stealable() ||
            !holder.try_lock())
            return false;
        const uint64_t top = holder.top_.load(platform::relaxed);
        const uint64_t split = holder.split_.load(platform::acquire); // pairs with publish()
        const bool ours = holder.origin_.victim == this && holder.origin_.first >= base &&
                          top >= holder.origin_.start && split > top;
        if (ours) {
            copy_stolen(task, holder.ring_[top & holder.mask_]);
            holder.take_from_top(top + 1, split);
        }
        holder.unlock();
        if (ours)
            begin_batch({&holder, top, bottom_}, before);
        return ours;
    }

    /// The tasks of the last steal() or leapfrog() are done.
    void end_batch(const Origin& before) {
        lock();
        origin_ = before;
        unlock();
        victim_hint_.store(before.victim, platform::relaxed);
    }

    /// Thieves' feedback: batches that last too short make the owner queue more, and the reverse.
    void lengthen_limit() {
        const uint32_t limit = limit_.load(platform::relaxed); // a lost update is harmless
        if (limit < longest_limit)
            limit_.store(limit * 2, platform::relaxed);
    }
    void shorten_limit() {
        const uint32_t limit = limit_.load(platform::relaxed);
        if (limit > shortest_limit)
            limit_.store(limit / 2, platform::relaxed);
    }

private:
    static constexpr uint64_t first_capacity = 64;

    static void copy_stolen(TaskSlot& to, const TaskSlot& from) {
        to = from;
        to.tag |= TaskSlot::stolen;
    }

    bool try_lock() {
        uint32_t expected = 0;
        // acquire: pairs with unlock()
        return lock_.load(platform::relaxed) == 0 &&
               lock_.compare_exchange_strong(expected, 1, platform::acquire, platform::relaxed);
    }
    void lock() {
        wait_briefly([this] { return try_lock(); });
    }
    void unlock() { lock_.store(0, platform::release); } // pairs with try_lock()

    /// Under the lock. Release: the owner may reuse the slots once it has seen the new top.
    void take_from_top(uint64_t top, uint64_t split) {
        top_.store(top, platform::release);
        if (top >= split)
            wants_tasks_.store(1, platform::relaxed);
    }

    void begin_batch(const Origin& origin, Origin& before) {
        lock();
        before = origin_;
        origin_ = origin;
        unlock();
        victim_hint_.store(origin.victim, platform::relaxed);
    }

    /// The private part is empty: moves half of the public tasks at or above `base` back.
    bool take_back(uint64_t base) {
        if (top_.load(platform::relaxed) == split_local_ || bottom_ <= base)
            return false; // a stale top is smaller, so this cannot miss a task
        lock();
        const uint64_t top = top_.load(platform::relaxed);
        const uint64_t lowest = top > base ? top : base;
        const bool any = split_local_ > lowest;
        if (any) {
            split_local_ -= (split_local_ - lowest + 1) / 2;
            split_.store(split_local_, platform::relaxed); // read under the lock, or as a hint
        }
        if (split_local_ == top)
            wants_tasks_.store(1, platform::relaxed);
        unlock();
        return any;
    }

    bool make_room_for_batch() {
        return (ring_ && bottom_ + largest_batch <= full_at_) || make_room(largest_batch);
    }

    /// Room for `count` more tasks: a fresh look at top, else a ring twice as large.
    bool make_room(uint64_t count) {
        // acquire: pairs with take_from_top(), thieves have finished reading the slots below top
        const uint64_t top = top_.load(platform::acquire);
        uint64_t capacity = ring_ ? mask_ + 1 : 0;
        full_at_ = top + capacity;
        if (bottom_ + count <= full_at_)
            return true;
        if (capacity == 0)
            capacity = first_capacity / 2;
        do
            capacity *= 2;
        while (bottom_ + count > top + capacity);
        return replace_ring(capacity);
    }

    bool replace_ring(uint64_t capacity) {
        auto* ring =
            static_cast<TaskSlot*>(platform::allocate(capacity * sizeof(TaskSlot), cache_line));
        if (!ring)
            return false;
        lock(); // thieves read ring_ and mask_ under the lock
        const uint64_t top = top_.load(platform::relaxed);
        for (uint64_t i = top; i != bottom_; ++i)
            ring[i & (capacity - 1)] = ring_[i & mask_];
        TaskSlot* old = ring_;
        ring_ = ring;
        mask_ = capacity - 1;
        full_at_ = top + capacity;
        unlock();
        platform::deallocate(old);
        return true;
    }

    // The owner's line. ring_ and mask_ are also read by thieves, under the lock.
    alignas(cache_line) uint64_t bottom_ = 0;
    uint64_t split_local_ = 0; // the owner's copy of split_
    uint64_t full_at_ = 0;     // bottom_ may not pass this without make_room()
    TaskSlot* ring_ = nullptr;
    uint64_t mask_ = 0;

    // The shared line: written by thieves, and by the owner when it moves the split.
    alignas(cache_line) platform::Atomic<uint32_t> lock_{0};
    platform::Atomic<uint32_t> wants_tasks_{0};
    platform::Atomic<uint64_t> top_{0};
    platform::Atomic<uint64_t> split_{0};
    platform::Atomic<uint32_t> limit_{shortest_limit};

    // Read by waiting threads that look for their stolen tasks. origin_ is guarded by lock_.
    alignas(cache_line) platform::Atomic<const TaskDeque*> victim_hint_{nullptr};
    Origin origin_;
};

} // namespace heddle::concurrent
