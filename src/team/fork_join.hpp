// SPDX-License-Identifier: Apache-2.0
// Forming a team, starting its threads on a region, and dissolving it again; initial teams.
// Called by construct/parallel on the primary thread, in this order: form(), start(), [region and
// its closing barrier], dissolve(); by construct/teams and construct/target for initial teams.
// Ordering: the mailbox epoch releases the team to each thread.
#pragma once

#include "team/worker.hpp"

#include <cstdlib>

namespace heddle::team {

/// A team of `wanted` threads, or fewer when the system refuses threads (one warning), whose
/// primary is the calling thread. Afterwards self() is the primary's membership in it.
/// `wanted` is 1 or more; the nested levels and the thread limit were already considered. `clause`
/// is the proc_bind clause, false_ without one.
Member& form(Member& parent, int wanted, config::ProcBind clause);

/// Starts threads 1 to size-1 on run(member, function, data). There are any.
void start(Team& team, TaskFunction function, void* data,
           void (*run)(Member&, TaskFunction, void*));

/// The same where all that run() does for a thread's part is to call the function and to end: with
/// more threads than CPUs others may do it, see team/stand_in.hpp.
void start_or_offer(Team& team, TaskFunction function, void* data,
                    void (*run)(Member&, TaskFunction, void*));

/// After the closing barrier: the team's threads are free, self() is the parent again.
void dissolve(Member& primary);

/// The control variables of an initial task, of the host or of a device, that nobody has changed.
/// By an attached thread.
config::Icvs initial_icvs();

/// Puts the calling thread alone into a new team of level 0, the initial team of a contention group
/// of its own, whose implicit task has the control variables `icvs`. Afterwards self() is its
/// membership. Regions inside use the threads that they would use without it.
Member& begin_initial_team(Member& outer, const config::Icvs& icvs);

/// After the closing barrier: self() is the outer membership again.
void end_initial_team(Member& initial);

/// After the program's code in the implicit task of `member`, which is no primary's. Where that has
/// forked a process, the child's only thread is at its end here: so is the child.
inline void exit_if_forked(const Member& member) {
    if (HEDDLE_UNLIKELY(self_or_null() != &member))
        exit(0);
}

/// omp_pause_resource(_all): ends the calling thread's idle threads, and the pool's, which loses
/// their threadprivate data. False inside a parallel, teams or target region, where it may not.
bool pause_resources();
bool may_pause_resources();

/// Is its thread one of the user, in no parallel, teams or target region?
bool is_outside(const Member& member);

} // namespace heddle::team
