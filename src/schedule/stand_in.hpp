// SPDX-License-Identifier: Apache-2.0
// Executing parts of a region for threads that would find no CPU, one after another and, where one
// has to wait for others, in turns: each on a stack of its own, left and gone on with.
// Called at the region's end and by waits inside it, on any thread of the team; team/stand_in says
// which regions are on offer. Written by the thread that stands in, which has the other's
// membership to itself. Protocol: docs/protocols/stand-in.md.
#pragma once

#include "team/stand_in.hpp"

namespace heddle::schedule {

/// The primary has finished its own part: executes all parts that nobody has begun, and finishes
/// those that it has. Afterwards it waits at the region's end as always.
void stand_in_for_others(team::Member& member);

/// The same on a thread of the pool. True: nobody has called it, so it has left the region, to
/// sleep while others stand in for it in the next one.
bool end_part(team::Member& member);

/// Before a wait for others of the team: may it use go_on_elsewhere()? Else it has called them, if
/// some have yet to begin.
inline bool shares_thread(team::Member& member) {
    if (HEDDLE_LIKELY(!member.offers) || member.at_end)
        return false;
    const bool may_leave = member.part.carrier->carrier.may_leave;
    if (!may_leave)
        team::call_others(member);
    return may_leave;
}

/// A part of a region on offer that waits until ready(condition): its thread executes others that
/// can go on or have not begun. It returns true when it has done so and comes back, by this thread
/// or another; false: there is none, and the caller waits here.
/// `epoch`: of the team's barrier, if it waits there, and all that do are to be passed over until
/// that opens. `at_barrier`: at this one or another, where who goes on with the part runs tasks.
bool go_on_elsewhere(team::Member& member, team::Ready ready, const void* condition,
                     const uint32_t* epoch = nullptr, bool at_barrier = false);

/// Has the member's thread left parts that it must look after? Then it sleeps for moments only.
inline bool has_left_parts(const team::Member& member) {
    return member.offers && member.part.carrier->carrier.stopped.any();
}
inline constexpr uint64_t moment_ns = 100'000;

} // namespace heddle::schedule
