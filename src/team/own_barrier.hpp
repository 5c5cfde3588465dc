// SPDX-License-Identifier: Apache-2.0
// A team's barrier on a machine that has one of its own (platform::own): what is left to memory are
// the holds of detached tasks, of which nobody need know where no task was deferred.
// Used by schedule/wait_at_barrier on each member; a template, so that it is nothing where there is
// no such barrier. What the barrier releases and acquires is the platform's promise, as for an
// Atomic.
#pragma once

#include "team/large_team.hpp"

namespace heddle::team {

/// A member's place at the barrier of its team. Base: platform::own::Barrier.
template <class Base>
class OwnPlace : public Base {
public:
    static constexpr bool sleeps = false;

    explicit OwnPlace(const Member& member)
        : Base(member.team), barrier_(member.team->barrier), width_(barrier_width(*member.team)) {}

    bool completed(uint32_t epoch) {
        // Nobody arrives in memory, so the count there is what it began with, and the holds.
        return Base::completed(epoch) && !(Base::has_tasks() && barrier_.is_held(width_));
    }
    bool surely_completed(uint32_t epoch) { return completed(epoch); }

private:
    const concurrent::TeamBarrier& barrier_;
    const uint32_t width_;
};

} // namespace heddle::team
