// SPDX-License-Identifier: Apache-2.0
// A list of descriptors under a lock: one thread's queue, or the pool that a team shares. New tasks
// go to its end; takers have the first task from either end that they may run. While there is one,
// the team's barriers are held and its waiting threads look here (schedule/inbox.hpp).
// Source: Duran et al., Evaluation of OpenMP task scheduling strategies (IWOMP 2008).
#pragma once

#include "concurrent/futex_lock.hpp"
#include "schedule/inbox.hpp"
#include "schedule/policy/descriptor.hpp"

namespace heddle::schedule::policy {

enum class End : uint8_t { oldest, newest };

class TwoEndedQueue {
public:
    /// By an active thread of `team`, as take().
    void put(team::Team& team, Descriptor& descriptor) {
        const concurrent::LockGuard guard(lock_);
        descriptor.next = nullptr;
        descriptor.previous = newest_;
        (newest_ ? newest_->next : oldest_) = &descriptor;
        newest_ = &descriptor;
        if (!descriptor.previous)
            begin_offer(team);
        // relaxed: a hint for looks_useful(), and take() looks under the lock
        size_.store(size_.load(platform::relaxed) + 1, platform::relaxed);
    }

    /// The first descriptor from `end` that `need` accepts; nullptr: there is none.
    Descriptor* take(team::Team& team, End end, const Need& need) {
        const concurrent::LockGuard guard(lock_);
        Descriptor* const found = find(end, need);
        if (found) {
            (found->previous ? found->previous->next : oldest_) = found->next;
            (found->next ? found->next->previous : newest_) = found->previous;
            size_.store(size_.load(platform::relaxed) - 1, platform::relaxed);
            if (!oldest_)
                end_offer(team);
        }
        return found;
    }

    /// Relaxed: who must not miss a task has acquired that it was put.
    bool looks_useful() const { return size_.load(platform::relaxed) != 0; }

private:
    /// The descendants of a task that waits are mostly new, and may lie behind many others in a
    /// pool that is used oldest first: after so many it is searched from the other end.
    static constexpr uint32_t patience = 64;

    Descriptor* find(End end, const Need& need) const {
        uint32_t looks = 0;
        if (end == End::oldest)
            for (Descriptor* at = oldest_; at && looks < patience; at = at->next, ++looks)
                if (accepts(*at, need))
                    return at;
        for (Descriptor* at = newest_; at; at = at->previous)
            if (accepts(*at, need))
                return at;
        return nullptr;
    }

    concurrent::FutexLock lock_;
    Descriptor* oldest_ = nullptr; // the list is under the lock
    Descriptor* newest_ = nullptr;
    platform::Atomic<uint64_t> size_{0};
};

} // namespace heddle::schedule::policy
