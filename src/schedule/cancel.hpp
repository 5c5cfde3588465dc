// SPDX-License-Identifier: Apache-2.0
// Is a task cancelled, so that it need not begin (OpenMP 5.2 section 11.2)? Asked before a task is
// created and before it is executed, on any worker. Relaxed: cancellation is a request, and what
// depends on it having been seen is ordered by the barrier or the taskgroup's end.
#pragma once

#include "team/counting.hpp"

namespace heddle::schedule {

/// Is cancel-var true?
inline bool may_cancel(const team::Member& member) {
    return (member.deferring & team::cancellable) != 0;
}

/// `context` is the task's: its taskgroups, of which any may be cancelled, or its parallel region.
inline bool is_cancelled(const team::Member& member, const team::Context& context) {
    if (HEDDLE_LIKELY(!may_cancel(member)))
        return false;
    if (member.team->cancelled.load(platform::relaxed))
        return true;
    for (const team::Group* group = context.group; group; group = group->outer_context()->group)
        if (group->cancelled.load(platform::relaxed))
            return true;
    return false;
}

/// Counts a deferred task, `stolen` or not, on the way into it. True: is_cancelled(), so it is
/// discarded, and counted as that as well.
inline bool count_run_or_discard(team::Member& member, const team::Context& context, bool stolen) {
    if (HEDDLE_LIKELY((member.deferring & (team::cancellable | team::counting)) == 0))
        return false;
    team::count_run(member, stolen);
    if (!is_cancelled(member, context))
        return false;
    team::count(member, team::Counter::discarded);
    return true;
}

} // namespace heddle::schedule
