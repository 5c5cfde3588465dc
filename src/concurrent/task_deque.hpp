// SPDX-License-Identifier: Apache-2.0
// A worker's deque of tasks held in place in 64-byte slots. Newest part [split, bottom): private,
// the owner pushes and pops with plain stores. Oldest part [top, split): public, thieves and the
// owner take from it under a lock; the owner moves the split, and where it is away a thief may.
// Ordering: publish() releases the slots to steal()'s acquire of split; top is changed under the
// lock only; pop() and seize() are ordered by a fence that the thief makes every thread pass.
// Indices never wrap. Protocol, invariant and proof: docs/protocols/task-deque.md.
#pragma once

#include "concurrent/stolen_batches.hpp"
#include "concurrent/waiting.hpp"

namespace heddle::concurrent {

/// One deferred task. The deque copies slots, sets `stolen` in `tag` and reads that; nothing else.
struct alignas(cache_line) TaskSlot {
    static constexpr uintptr_t stolen = 1; ///< bit of `tag`: taken from another worker's deque
    static constexpr uintptr_t flags = 63; ///< bits of `tag` beside whose child the task is
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
    /// Values of wants_tasks() beside 0. `roots`: by a thread that waits inside a task and has
    /// found only leaves among what descends from that.
    static constexpr uint32_t wanted = 1, noted = 2, roots_wanted = 3;

    TaskDeque() = default;
    ~TaskDeque() { platform::deallocate(ring_); }
    TaskDeque(const TaskDeque&) = delete;
    TaskDeque& operator=(const TaskDeque&) = delete;

    // ---- owner ----

    /// Before a region: the deque is empty; `shared` says whether thieves will look at it.
    void begin_region(bool shared) {
        if (HEDDLE_UNLIKELY(seized_.load(platform::relaxed) != 0))
            look_after_seizure();
        HEDDLE_CHECK(bottom() == top_.load(platform::relaxed) && split_local_ == bottom());
        wants_tasks_.store(shared ? wanted : 0, platform::relaxed);
    }

    /// A thief has emptied the public part, or has found it empty. Relaxed: only a hint.
    uint32_t wants_tasks() const { return wants_tasks_.load(platform::relaxed); }
    /// Has the owner yet to see that?
    bool has_request() const { return (wants_tasks() & wanted) != 0; }
    /// Where the word is: code that users compile reads it too (include/heddle.h).
    static constexpr size_t wants_tasks_offset() {
        return __builtin_offsetof(TaskDeque, wants_tasks_);
    }

    uint64_t bottom() const { return bottom_.own(); }

    /// Upper bound of the number of tasks; relaxed: a stale top only makes it larger.
    uint64_t size() const { return bottom() - top_.load(platform::relaxed); }

    /// Queue length up to which new tasks are deferred, set by thieves from how long batches last.
    uint32_t limit() const { return limit_.load(platform::relaxed); }

    /// After a seizure some that are public may count as private until the owner comes to the lock.
    bool has_private() const { return bottom() != split_local_; }

    /// The slot that push() will add, to be filled first; nullptr when there is no memory.
    TaskSlot* reserve() {
        if (HEDDLE_UNLIKELY(bottom() == full_at_) && !make_room(1))
            return nullptr;
        return &ring_[bottom() & mask_];
    }
    /// Release: the slot, to a thief that seizes it.
    void push() { bottom_.set_own(bottom() + 1, platform::release); }

    /// How many have left at the old end, so far as the owner knows.
    uint64_t taken() const { return top_.load(platform::relaxed); }

    /// How many tasks it takes to be worth a steal, as far as thieves have found out.
    uint32_t grain() const { return limit() / shortest_limit; }
    uint64_t private_size() const { return bottom() - split_local_; }

    /// The owner has seen that tasks are wanted, and gathers a grain before it publishes.
    void note_request() { wants_tasks_.store(noted, platform::relaxed); }

    /// Up to `count` tasks may be pushed without another look at the length.
    void fill(uint64_t count) { filled_at_ = bottom() + count; }

    /// Are there fewer tasks than fill() said, and is there room for one more?
    bool is_filling() const { return bottom() < filled_at_ && bottom() != full_at_; }

    /// While is_filling(): the slot that push() will add. Those after it may be in the caches of
    /// thieves; they are asked for in time.
    TaskSlot& next_slot() {
        platform::prefetch_for_write(&ring_[(bottom() + prefetched_slots) & mask_]);
        return ring_[bottom() & mask_];
    }

    /// How long the tasks of the last batch from here lasted, with all that came of them. `tiny`:
    /// so many in a row were not worth a steal that the thief pauses. `large`: the owner is away
    /// for long when it runs one.
    enum TaskSize : uint32_t { tiny, medium, large };
    TaskSize task_size() const { return static_cast<TaskSize>(task_size_.load(platform::relaxed)); }

    /// Makes the older half of the private part public, or `all` of it; there is one. The seq_cst
    /// exchange releases the slots and is the notifier's write of the Dekker pair with EventCount.
    /// Nothing happens if a thief has moved the split instead.
    void publish(bool all = false) {
        HEDDLE_CHECK(has_private());
        wants_tasks_.store(0, platform::relaxed); // before split: see the protocol page
        uint64_t split = split_local_;
        const uint64_t half = split + (bottom() - split + 1) / 2;
        const uint64_t raised = all ? bottom() : half;
        if (HEDDLE_UNLIKELY(in_shares_.own() != (all ? 1 : 0)))
            in_shares_.set_own(all ? 1 : 0, platform::relaxed);
        if (HEDDLE_LIKELY(split_.compare_exchange_strong(split, raised, platform::seq_cst,
                                                         platform::relaxed)))
            split_local_ = raised;
        else
            look_after_seizure();
    }

    /// The newest task at or above index `base`; the slot stays valid until the next reserve().
    TaskSlot* pop(uint64_t base) {
        for (;;) {
            if (HEDDLE_UNLIKELY(bottom() == split_local_) && !take_back(base))
                return nullptr;
            const uint64_t newest = bottom() - 1;
            if (newest + 1 <= base)
                return nullptr;
            bottom_.set_own(newest, platform::release); // the slots below, as push() does
            platform::compiler_fence(); // the processor's is the thief's: see seize()
            if (HEDDLE_LIKELY(seized_.load(platform::relaxed) == 0))
                return &ring_[newest & mask_];
            bottom_.set_own(newest + 1, platform::release);
            look_after_seizure();
        }
    }

    using Batch = StolenBatches::Batch;

    // ---- thieves (each is the owner of `*this`, another thread owns the victim) ----

    /// Relaxed look from outside: worth a steal()?
    bool looks_stealable() const {
        return split_.load(platform::relaxed) > top_.load(platform::relaxed);
    }
    /// The same with the seq_cst load that EventCount's Dekker needs.
    bool surely_stealable() const {
        return split_.load(platform::seq_cst) > top_.load(platform::relaxed);
    }

    /// A thief found nothing: the owner will publish when it next has something. The owner taking
    /// its own tasks back is no such sign: with nobody hungry it need not defer again.
    void ask_for_tasks(uint32_t request = wanted) {
        if (wants_tasks_.load(platform::relaxed) == 0)
            wants_tasks_.store(request, platform::relaxed);
    }

    /// Takes such a request back: what is stolen here is not worth its price at the moment.
    void ask_no_more() { wants_tasks_.store(0, platform::relaxed); }

    /// Does the owner have tasks that nobody else can take? A hint.
    bool withholds() const {
        return bottom_.load(platform::relaxed) > split_.load(platform::relaxed);
    }
    /// Where the owner is in its deque: the same twice, and it has not been here in between. A
    /// hint.
    uint64_t position() const {
        return bottom_.load(platform::relaxed) + split_.load(platform::relaxed);
    }

    /// The owner does not come to publish what it has: makes the older half of that public in its
    /// stead. False: nothing has changed.
    bool seize() {
        if (!try_lock())
            return false;
        // From the fence on the owner's pop() sees the word, or this thread sees its `bottom`.
        bool done = false, ordered = seized_.load(platform::relaxed) != 0;
        if (!ordered) {
            seized_.store(1, platform::relaxed);
            ordered = platform::fence_all_threads();
            if (!ordered)
                seized_.store(0, platform::relaxed);
        }
        uint64_t split = split_.load(platform::relaxed);
        while (ordered && !done) {
            const uint64_t bottom = bottom_.load(platform::acquire); // pairs with push()
            if (bottom <= split)
                break;
            // relaxed: thieves take the lock, and sleepers are not told
            done = split_.compare_exchange_strong(split, split + (bottom - split + 1) / 2,
                                                  platform::relaxed, platform::relaxed);
        }
        unlock();
        return done;
    }

    /// Moves up to half of the victim's public part here, or one of so many parts of it where all
    /// was made public at once, so that the oldest is popped first. Returns how many. If any,
    /// `batch` describes them, and end_batch() follows when they are all done.
    uint64_t steal(TaskDeque& victim, Batch& batch, uint64_t parts = 2) {
        const bool whole = victim.in_shares_.load(platform::relaxed) != 0; // a hint
        return steal_if(victim, batch, whole ? parts : 2, wanted,
                        [](uint64_t) { return largest_batch; });
    }

    /// Does a batch that was stolen lie here, or run? A hint.
    bool holds_batches() const { return batches_.any(); }

    /// The same as steal(), but only what descends from a task that `holder`, or whom it stole
    /// from, took from index `base` or above of this deque.
    uint64_t leapfrog(TaskDeque& holder, uint64_t base, Batch& batch, uint32_t request = wanted) {
        if (!holder.holds_batches()) // looked at again under the lock
            return 0;
        return steal_if(holder, batch, 2, request, [&](uint64_t top) {
            return holder.batches_.descendants_at(top, *this, base);
        });
    }

    /// What is run until end_batch() was in no deque: from what it leaves here nobody leapfrogs.
    void begin_unrelated(Batch& batch) { begin_batch(batch, nullptr, 0, 0); }

    /// Before the entry at `index` of the newest batch's deque runs.
    static void begin_entry(Batch& batch, uint64_t index) {
        if (index < batch.running.load(platform::relaxed))
            batch.running.store(index, platform::relaxed);
    }

    /// Index from which on everything descends from the batch entry that is running; 0 outside a
    /// batch. Other entries of the batch begin in its own loop only.
    uint64_t begun() const { return batches_.begun(); }

    /// The tasks of the last steal() or leapfrog() are done.
    void end_batch(const Batch& batch) {
        lock();
        batches_.end(batch);
        unlock();
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

    /// A thief's answer to that, after a batch.
    void note_task_size(TaskSize size) {
        if (task_size() != size)
            task_size_.store(size, platform::relaxed);
    }

private:
    static constexpr uint64_t first_capacity = 64;
    static constexpr uint64_t prefetched_slots = 12;

    static void copy_stolen(TaskSlot& to, const TaskSlot& from) {
        to = from;
        to.tag |= TaskSlot::stolen;
    }

    /// `request`: what its owner finds in wants_tasks() if nothing is left.
    /// most(top): how many entries from `top` on may be taken; called under the victim's lock.
    template <class Most>
    uint64_t steal_if(TaskDeque& victim, Batch& batch, uint64_t parts, uint32_t request,
                      Most&& most) {
        if (!victim.looks_stealable()) {
            victim.ask_for_tasks(request);
            return 0;
        }
        if (!make_room_for_batch() || !victim.try_lock())
            return 0;
        const uint64_t top = victim.top_.load(platform::relaxed);     // changed under the lock only
        const uint64_t split = victim.split_.load(platform::acquire); // pairs with publish()
        uint64_t count = split > top ? share(split - top, parts, victim.grain()) : 0;
        count = count < largest_batch ? count : largest_batch; // for which there is room
        const uint64_t limit = count ? most(top) : 0;
        count = count < limit ? count : limit;
        count = victim.alike_at(top, count);
        batch.again = count != 0 && victim.was_stolen(top);
        for (uint64_t i = 0; i < count; ++i)
            copy_stolen(ring_[(bottom() + (batch.again ? i : count - 1 - i)) & mask_],
                        victim.shared_ring_[(top + i) & victim.shared_mask_]);
        if (count != 0)
            victim.batches_.trace(top, batch);
        victim.take_from_top(top + count, split, request);
        victim.unlock();
        if (count != 0)
            begin_batch(batch, &victim, top, count);
        return count;
    }

    /// Under the lock, for a thief: does the entry come from another deque?
    bool was_stolen(uint64_t index) const { return (tag_at(index) & TaskSlot::stolen) != 0; }
    uintptr_t tag_at(uint64_t index) const { return shared_ring_[index & shared_mask_].tag; }

    /// How many of the `most` entries from `top` on lie in the same order: those that were stolen
    /// with the oldest next to `bottom`, the others with the newest there. Of stolen ones those of
    /// one parent: each batch has one index for each deque they were in, and that is of all then.
    uint64_t alike_at(uint64_t top, uint64_t most) const {
        const uintptr_t oldest = most != 0 ? tag_at(top) : 0;
        const uintptr_t compared =
            oldest & TaskSlot::stolen ? ~TaskSlot::flags | TaskSlot::stolen : TaskSlot::stolen;
        uint64_t count = most != 0 ? 1 : 0;
        while (count < most && ((tag_at(top + count) ^ oldest) & compared) == 0)
            ++count;
        return count;
    }

    /// One of so many parts of the `available` tasks, but no less than a grain if there are so
    /// many.
    static uint64_t share(uint64_t available, uint64_t parts, uint64_t grain) {
        const uint64_t part = (available + parts - 1) / parts;
        return part >= grain ? part : available < grain ? available : grain;
    }

    void begin_batch(Batch& batch, const TaskDeque* victim, uint64_t first, uint64_t count) {
        batch.victim = victim;
        batch.first = first;
        batch.count = count;
        batch.start = bottom();
        HEDDLE_CHECK(bottom() + count <= full_at_);
        batch.running.store(bottom() + count, platform::relaxed);
        lock();
        batches_.begin(batch);
        unlock();
        bottom_.set_own(bottom() + count, platform::relaxed); // released by the lock
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
    void take_from_top(uint64_t top, uint64_t split, uint32_t request) {
        top_.store(top, platform::release);
        if (top >= split)
            wants_tasks_.store(request, platform::relaxed);
    }

    /// The private part is empty: moves half of the public tasks at or above `base` back.
    bool take_back(uint64_t base) {
        if (top_.load(platform::relaxed) == split_local_ || bottom() <= base)
            return false; // a stale top is smaller, so this cannot miss a task
        lock();
        // No thief has moved it since pop() looked: there was nothing above it.
        HEDDLE_CHECK(split_.load(platform::relaxed) == split_local_);
        const uint64_t top = top_.load(platform::relaxed);
        const uint64_t lowest = top > base ? top : base;
        const bool any = split_local_ > lowest;
        if (any) {
            split_local_ -= (split_local_ - lowest + 1) / 2;
            split_.store(split_local_, platform::relaxed); // read under the lock, or as a hint
        }
        unlock();
        return any;
    }

    /// A thief has moved the split in the owner's stead: the owner takes note.
    [[gnu::noinline]] void look_after_seizure() {
        lock();
        split_local_ = split_.load(platform::relaxed);
        seized_.store(0, platform::relaxed);
        unlock();
    }

    bool make_room_for_batch() {
        return (ring_ && bottom() + largest_batch <= full_at_) || make_room(largest_batch);
    }

    /// Room for `count` more tasks: a fresh look at top, else a ring twice as large.
    bool make_room(uint64_t count) {
        // acquire: pairs with take_from_top(), thieves have finished reading the slots below top
        const uint64_t top = top_.load(platform::acquire);
        uint64_t capacity = ring_ ? mask_ + 1 : 0;
        full_at_ = top + capacity;
        if (bottom() + count <= full_at_)
            return true;
        if (capacity == 0)
            capacity = first_capacity / 2;
        do
            capacity *= 2;
        while (bottom() + count > top + capacity);
        return replace_ring(capacity);
    }

    bool replace_ring(uint64_t capacity) {
        auto* ring =
            static_cast<TaskSlot*>(platform::allocate(capacity * sizeof(TaskSlot), cache_line));
        if (!ring)
            return false;
        lock(); // thieves read the old ring, and where the new one is, under the lock
        const uint64_t top = top_.load(platform::relaxed);
        for (uint64_t i = top; i != bottom(); ++i)
            ring[i & (capacity - 1)] = ring_[i & mask_];
        TaskSlot* old = ring_;
        ring_ = shared_ring_ = ring;
        mask_ = shared_mask_ = capacity - 1;
        full_at_ = top + capacity;
        unlock();
        platform::deallocate(old);
        return true;
    }

    friend struct TaskDequeLayout; // tests/unit/team/layout_test.cpp

    // Read by the owner at every task, written by thieves when they become hungry.
    alignas(cache_line) platform::Atomic<uint32_t> wants_tasks_{0};
    platform::Atomic<uint32_t> limit_{shortest_limit};
    platform::Atomic<uint32_t> task_size_{medium};
    platform::Atomic<uint32_t> in_shares_{0}; ///< all was made public the last time; owner's

    // The owner's line.
    alignas(cache_line) platform::Atomic<uint64_t> bottom_{0};
    uint64_t split_local_ = 0; // the owner's copy of split_
    uint64_t full_at_ = 0;     // bottom_ may not pass this without make_room()
    uint64_t filled_at_ = 0;   // nor this without a look at the length: see is_filling()
    TaskSlot* ring_ = nullptr;
    uint64_t mask_ = 0;
    // Guarded by lock_, but pop() reads it without; here, for it hardly ever changes.
    platform::Atomic<uint32_t> seized_{0};

    // The shared line: written by thieves, and by the owner when it moves the split.
    alignas(cache_line) platform::Atomic<uint32_t> lock_{0};
    platform::Atomic<uint64_t> top_{0};
    platform::Atomic<uint64_t> split_{0};
    TaskSlot* shared_ring_ = nullptr; // ring_ and mask_ for thieves, guarded by lock_
    uint64_t shared_mask_ = 0;

    StolenBatches batches_; // changed by the owner under the lock
};

} // namespace heddle::concurrent
