// SPDX-License-Identifier: Apache-2.0
// Executing other threads' parts of a region, where its team has more threads than there are CPUs.
// Called at the region's end, by the primary and by threads of the pool, for themselves.
// Who stands in has the other's membership to itself: its thread sleeps, or finds its part taken.
#pragma once

#include "team/stand_in.hpp"

namespace heddle::construct {

/// The member has finished its part of a region that is on offer: executes all parts that nobody
/// has begun. Afterwards the member waits at the region's end as always.
void stand_in_for_others(team::Member& member);

/// The same on a thread of the pool. True: nobody has called it, so it has left the region, to
/// sleep while others stand in for it in the next one.
bool end_part(team::Member& member);

} // namespace heddle::construct
