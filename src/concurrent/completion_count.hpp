// SPDX-License-Identifier: Apache-2.0
// Counts what is still outstanding: CompletionCount by any thread, SplitCounter with a private half
// that its owner changes without atomics (the split child counter of a task).
// add_local/done_local/complete/abandon/prepare_wait: owner only; done(): any thread.
// Ordering: every done() releases, complete() acquires. Protocol: docs/protocols/split-counter.md.
#pragma once

#include "concurrent/check.hpp"

namespace heddle::concurrent {

/// What the caller of done() must do.
enum class Completion {
    more,    ///< nothing
    wake,    ///< it was the last, and the owner said that it sleeps: wake it
    reclaim, ///< it was the last, and the owner has left: free the memory
};

/// One word: the count in units of 4, and two flags below it.
class CompletionCount {
public:
    void reset() { word_.store(0, platform::relaxed); }

    void add(int64_t count) { word_.fetch_add(count * unit, platform::relaxed); }

    /// `count` are finished, all by this thread.
    Completion done(int64_t count = 1) {
        // acq_rel: releases the finished work to complete(), and takes the others' for reclaim
        const int64_t now = word_.fetch_sub(count * unit, platform::acq_rel) - count * unit;
        if (now == waiting)
            return Completion::wake;
        return now == abandoned ? Completion::reclaim : Completion::more;
    }

    /// Outstanding according to this word alone; acquire pairs with the release in done().
    int64_t outstanding() const { return word_.load(platform::acquire) >> 2; }

    /// The owner will sleep, after adding `extra` to the count. True: all is done, don't sleep.
    bool prepare_wait(int64_t extra) {
        // acq_rel: releases the owner's waiter to done(), and takes the work of those who were
        // first
        return ((word_.fetch_add(extra * unit + waiting, platform::acq_rel) + extra * unit) >> 2) ==
               0;
    }
    /// Continues the release sequences of done(), which outstanding() acquires.
    void end_wait() { word_.fetch_sub(waiting, platform::acq_rel); }

    /// The owner leaves for good, after adding `extra`. True: all is done, the owner reclaims.
    bool abandon(int64_t extra) {
        // acq_rel: releases the owner's use of the counter to the last done(), or takes its work
        return ((word_.fetch_add(extra * unit + abandoned, platform::acq_rel) + extra * unit) >>
                2) == 0;
    }

private:
    static constexpr int64_t waiting = 1, abandoned = 2, unit = 4;
    platform::Atomic<int64_t> word_{0};
};

/// Invariant: outstanding = local_ + shared_.outstanding(); local_ belongs to the owner.
class SplitCounter {
public:
    void reset() {
        local_ = 0;
        abandoned_ = false;
        shared_.reset();
    }

    void add_local() { ++local_; }

    /// The owner itself finished one. False after abandon(): then done() must be called instead.
    bool done_local() {
        if (HEDDLE_UNLIKELY(abandoned_))
            return false;
        --local_;
        return true;
    }

    Completion done(int64_t count = 1) { return shared_.done(count); }

    /// How many are unfinished; by the owner.
    int64_t outstanding() const { return local_ + shared_.outstanding(); }
    bool complete() const { return outstanding() == 0; }

    /// Before the owner sleeps: the shared word gets the whole count. True: don't sleep.
    bool prepare_wait() { return shared_.prepare_wait(take_local()); }
    void end_wait() { shared_.end_wait(); }

    /// The owner leaves. True: nothing is outstanding, the owner reclaims.
    bool abandon() {
        abandoned_ = true;
        return shared_.abandon(take_local());
    }

private:
    int64_t take_local() {
        const int64_t local = local_;
        local_ = 0;
        return local;
    }

    int64_t local_ = 0;      // owner only
    bool abandoned_ = false; // owner only
    alignas(cache_line) CompletionCount shared_;
};

} // namespace heddle::concurrent
