// SPDX-License-Identifier: Apache-2.0
// Sleeping until "something changed", for many sleepers: announce, look again, then commit.
// Sleepers: key = announce(); if the condition holds: withdraw(), else sleep(key).
// Notifiers: make the condition true with a seq_cst read-modify-write, then notify().
// Dekker: announce() and that write are both seq_cst, so one of the two sees the other.
// Protocol: docs/protocols/event-count.md.
#pragma once

#include "concurrent/check.hpp"

namespace heddle::concurrent {

class EventCount {
public:
    /// Announces a sleeper. The caller looks at its condition next, by seq_cst loads or under a
    /// lock that whoever changes it takes.
    uint32_t announce() {
        sleepers_.fetch_add(1, platform::seq_cst); // Dekker with notify()
        return epoch_.load(platform::acquire);     // pairs with the release in notify_slow()
    }

    void withdraw() { sleepers_.fetch_sub(1, platform::relaxed); }

    /// How a sleep ended: there was no notification; there was one, for this thread or another;
    /// there was one before the thread had fallen asleep.
    enum class Sleep { undisturbed, notified, too_late };

    /// Sleeps unless a notification came since announce() gave `key`. May return early.
    Sleep sleep(uint32_t key, uint64_t timeout_ns = platform::forever) {
        const bool slept = platform::wait_on(epoch_, key, timeout_ns);
        withdraw();
        if (!slept)
            return Sleep::too_late;
        return epoch_.load(platform::relaxed) != key ? Sleep::notified : Sleep::undisturbed;
    }

    /// Wakes up to `count` sleepers. The condition was made true by a seq_cst read-modify-write.
    void notify(int count) {
        if (HEDDLE_UNLIKELY(sleepers_.load(platform::seq_cst) != 0)) // Dekker with announce()
            notify_slow(count);
    }

    void notify_all() { notify(1 << 30); }

    /// The first half of notify(), for a caller that must think before the second.
    bool has_sleepers() const { return sleepers_.load(platform::seq_cst) != 0; }

private:
    void notify_slow(int count) {
        epoch_.fetch_add(1, platform::release); // pairs with announce()'s acquire
        platform::wake(epoch_, count);
    }

    platform::Atomic<uint32_t> epoch_{0};
    platform::Atomic<uint32_t> sleepers_{0};
};

} // namespace heddle::concurrent
