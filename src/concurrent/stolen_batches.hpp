// SPDX-License-Identifier: Apache-2.0
// The batches of stolen tasks that a deque holds, and where their tasks were before: by that a task
// that waits finds its descendants in other deques (leapfrogging). Part of TaskDeque.
// Written by the deque's owner under the deque's lock, read by other owners under it; `running` and
// any() are relaxed, the rest is plain. docs/protocols/task-deque.md.
#pragma once

#include "concurrent/check.hpp"

namespace heddle::concurrent {

class TaskDeque;

class alignas(cache_line) StolenBatches {
public:
    /// A deque that tasks were in before, and the lowest index that any of them had there, or a
    /// sibling had that was stolen with it.
    struct Origin {
        const TaskDeque* deque;
        uint64_t lowest;
    };

    /// Tasks that this deque took from another at once, kept on the thief's stack until all are
    /// done. The oldest is the first to run, the newest the first that others can take: so entry
    /// start + k of this deque came from index first + count - 1 - k of the victim, or from
    /// first + k if that had stolen them too.
    struct Batch {
        static constexpr size_t most_origins = 31;

        const TaskDeque* victim = nullptr;
        uint64_t first = 0;
        uint64_t count = 0;
        uint64_t start = 0;
        /// Lowest entry that has begun; what lies at or above it in this deque descends from it.
        /// Relaxed: publish() releases it together with the descendants that it explains.
        platform::Atomic<uint64_t> running{0};
        bool again = false;           ///< the victim had stolen them
        const Batch* outer = nullptr; ///< taken before this one; its entries lie below `start`
        /// Before the victim: all of the batch descends from what was stolen from these deques.
        /// Each is there once, the latest first.
        Origin origins[most_origins];
        size_t origins_known = 0;

        /// From where the entry at `index` came, or the entry that runs, if `index` is above that.
        /// Or a sibling of it, with a lower index, where the victim had stolen them.
        uint64_t index_at_victim(uint64_t index) const {
            const uint64_t begun = running.load(platform::relaxed);
            const uint64_t entry = index < begun ? index : begun;
            HEDDLE_CHECK(entry < start + count); // nothing lies above the batch if none has begun
            return again ? first : first + count - 1 - (entry - start);
        }
    };

    /// Are there any? A hint, for waiting threads that look for their stolen tasks.
    bool any() const { return any_.load(platform::relaxed); }

    /// Of the owner: what begun() of the deque says.
    uint64_t begun() const { return newest_ ? newest_->running.load(platform::relaxed) : 0; }

    /// Under the lock, as all that follow.
    void begin(Batch& batch) {
        batch.outer = newest_;
        newest_ = &batch;
        any_.store(true, platform::relaxed);
    }
    void end(const Batch& batch) {
        HEDDLE_CHECK(newest_ == &batch);
        newest_ = batch.outer;
        any_.store(newest_ != nullptr, platform::relaxed);
    }

    /// Notes in `stolen` where entries from `top` on were before, which are a batch now: siblings
    /// that wait here, or what descends from the entry that runs.
    void trace(uint64_t top, Batch& stolen) const {
        stolen.origins_known = 0;
        const Batch* batch = newest_;
        while (batch && top < batch->start)
            batch = batch->outer;
        if (!batch || !batch->victim)
            return;
        stolen.origins[stolen.origins_known++] = {batch->victim, batch->index_at_victim(top)};
        for (size_t i = 0; i < batch->origins_known; ++i)
            if (batch->origins[i].deque != batch->victim && // else lower there: says less
                stolen.origins_known < Batch::most_origins)
                stolen.origins[stolen.origins_known++] = batch->origins[i];
    }

    /// If the entry at `top` descends from what was taken from index `base` or above of `victim`:
    /// among how many from there on all that may be one batch do. Those after it that wait came
    /// from lower indices, but a batch has siblings only. docs/protocols/task-waiting.md.
    uint64_t descendants_at(uint64_t top, const TaskDeque& victim, uint64_t base) const {
        const Batch* batch = newest_;
        uint64_t end = ~uint64_t{0}; // entries from here on belong to a newer batch
        while (batch && top < batch->start) {
            end = batch->start;
            batch = batch->outer;
        }
        if (!batch)
            return 0;
        if (batch->victim != &victim) {
            for (size_t i = 0; i < batch->origins_known; ++i)
                if (batch->origins[i].deque == &victim && batch->origins[i].lowest >= base)
                    return end - top;
            return 0;
        }
        return batch->index_at_victim(top) >= base ? end - top : 0;
    }

private:
    platform::Atomic<bool> any_{false};
    const Batch* newest_ = nullptr;
};

} // namespace heddle::concurrent
