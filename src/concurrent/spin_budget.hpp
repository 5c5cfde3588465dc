// SPDX-License-Identifier: Apache-2.0
// How long it pays to spin in one kind of wait, learnt from those that ended asleep.
// One thread's own. A wait that would have ended within the limit makes the budget twice as long as
// it was; one that took longer halves it, for that spin was in vain.
// Source: Karlin, Li, Manasse & Owicki, Empirical studies of competitive spinning, SOSP 1991.
#pragma once

#include "concurrent/check.hpp"

namespace heddle::concurrent {

/// A poll with its pause takes about 25 ns.
inline constexpr uint32_t poll_ns = 25;

class SpinBudget {
public:
    /// Polls, where `limit` are allowed.
    uint32_t polls(uint32_t limit) const { return limit < polls_ ? limit : polls_; }

    /// A wait that could have spun for `limit` polls took `lasted_ns`, the end of it asleep.
    void slept(uint64_t lasted_ns, uint32_t limit) {
        if (limit <= least)
            return; // it could not spin for long anyway
        if (lasted_ns < uint64_t{limit} * poll_ns) {
            const uint64_t twice = lasted_ns * 2 / poll_ns;
            polls_ = twice < least ? least : twice < limit ? static_cast<uint32_t>(twice) : limit;
        } else {
            const uint32_t half = polls(limit) / 2;
            polls_ = half < least ? least : half;
        }
    }

    /// 30 us, what sleeping and being woken takes: a shorter spin cannot be in vain for long.
    static constexpr uint32_t least = 1200;

private:
    uint32_t polls_ = ~uint32_t{0};
};

} // namespace heddle::concurrent
