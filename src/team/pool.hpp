// SPDX-License-Identifier: Apache-2.0
// The process-wide pool of threads: created on first use, never ended, handed from team to team.
// Called by fork_join, attach and process; everything is under the pool's lock.
#pragma once

#include "team/worker.hpp"

namespace heddle::team {

/// An idle thread of the pool, else a new one; nullptr when the system refuses one.
Worker* take_from_pool();

/// Gives members[1..attached) of `team` back to the pool.
void release_threads(Team& team);

/// Ends the threads attached to `team` and those idle in the pool (omp_pause_resource).
void end_threads(Team& team);

/// One line for the first team that is smaller than asked for; never again in this process.
void warn_about_missing_threads(int wanted, int got);

/// A worker for a thread of the user: one whose thread has ended, else a new one.
Worker* take_root_worker();
void give_back_root_worker(Worker& worker);

/// In a forked child no thread of the pool exists any more.
void forget_pool_after_fork();

} // namespace heddle::team
