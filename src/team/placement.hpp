// SPDX-License-Identifier: Apache-2.0
// Places of a team's threads: the policy of a region, its threads' positions, the display of them.
// Called by fork_join, pool and attach, only where the environment asks for places or their
// display. The primary writes Team::placement before it posts; the mailbox's epoch releases it to
// the others. OpenMP 5.2 sections 10.1.3, 21.1.6 and 21.2.4.
#pragma once

#include "team/worker.hpp"

namespace heddle::team {

/// Whether the format of the display names threads, once a program has set one; before that it is
/// the environment's. Relaxed: a region that begins meanwhile may go by either.
inline constexpr int8_t as_in_environment = -1;
inline platform::Atomic<int8_t> display_names_threads{as_in_environment};

/// By the primary of `team`, whose threads are attached: binds it for the region, unless an
/// enclosing region has, decides where the others go and whether the region displays its threads.
/// `clause` is the proc_bind clause, false_ without one; bind-var false makes it mean nothing.
void place_team(Team& team, Member& primary, config::ProcBind clause);

/// The end of the outermost region on a thread of the user: it gets its affinity mask back, unless
/// KMP_AFFINITY is set without the modifier reset.
void leave_place(Team& team, Member& primary);

/// By each other thread, when it has begun its membership: moves to its place.
void take_place(Member& member);

/// By the thread that runs the teams of a league one after another: moves it, in the initial task
/// `initial` of team `number` of `size`, to the place that KMP_TEAMS_PROC_BIND means, as seen from
/// `outer`, which has met the teams construct while its thread was bound to `from` (-1: to none).
void place_initial_thread(Member& initial, const Member& outer, int32_t from, int number, int size);

/// After the last team: back to `from`.
void leave_league(Member& outer, int32_t from);

/// place-partition-var of the implicit task; it has a count of 0 when there are no places.
place::Partition partition_of(const Member& member);

/// The number of the calling thread's place, -1 when there are no places. A thread of the user that
/// is in no region counts as being at the first one, though it is not bound there.
int place_number(const Member& member);

} // namespace heddle::team
