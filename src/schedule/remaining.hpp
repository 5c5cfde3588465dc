// SPDX-License-Identifier: Apache-2.0
// The barrier behind copyprivate in a cancelled region, which threads must not leave early: others
// still copy what lies on their stacks. Those that remain in the region wait for each other; who
// has gone to its end is not waited for. Called by schedule/wait_at_barrier and, at the end,
// construct/parallel and schedule/stand_in. docs/protocols/cancelled-region.md.
#pragma once

#include "schedule/cancel.hpp"

namespace heddle::schedule {

/// Waits until every thread of the cancelled region has come here or gone to the region's end. All
/// that remain come to the same barriers in the same order.
void wait_for_remaining(team::Member& member);

/// The member has come to the end of a region that may be cancelled.
void leave_remaining(team::Member& member);

/// The member has executed the code of its implicit task, and goes to the region's end.
inline void note_code_over(team::Member& member) {
    if (HEDDLE_UNLIKELY(may_cancel(member)))
        leave_remaining(member);
}

} // namespace heddle::schedule
