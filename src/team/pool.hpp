// SPDX-License-Identifier: Apache-2.0
// The process-wide pool of threads: created when a team misses one, handed from team to team, ended
// when the program or the end of its last thread asks for it.
// Called by fork_join, hosts, attach, pool_thread and abi/ompt; its lists are under the pool's
// lock.
#pragma once

#include "team/worker.hpp"

namespace heddle::team {

/// An idle thread of the pool for `team`, else a new one, which begins asleep if there are more
/// threads than CPUs (`crowded`); nullptr when the system refuses one.
Worker* take_from_pool(Team& team, bool crowded);

/// By a thread of the pool, at its end: another thread may have its worker from now on.
void leave_pool(Worker& worker);

/// Where many hosts share threads, one that misses `count` for a region waits for others to end
/// theirs rather than create more: for a bounded time, since those may wait for what this one is
/// about to do. One without long regions keeps its threads, so it may create more.
/// Returns all of them, linked by next_idle, or nullptr.
Worker* wait_for_threads(int count, bool has_long_regions);

/// Where host threads share: may each give its threads back after a region? False, and nobody
/// shares any more, once an object is loaded that may have threadprivate variables: these persist
/// from region to region of a host thread (OpenMP 5.2 section 5.2), so it must get the same
/// threads.
bool may_lend_outermost_teams();

/// Gives threads that wait_for_threads() returned back to the pool.
void give_back(Worker* threads);

/// The primary of `team`, a thread of the user, has ended.
void forget_host(Team& team);

/// The same where it has ended inside the region: the team keeps its threads.
void count_host_out(Team& team);

/// Gives members[1..attached) of `team` back to the pool.
void release_threads(Team& team);

/// Ends the threads attached to `team` and those idle in the pool (omp_pause_resource); returns how
/// many they are.
int end_threads(Team& team);

/// Ends the threads that are idle in the pool or attached to the next team of `member`, which is a
/// thread of the user outside regions or nobody, and waits until they have ended, for a bounded
/// time.
void end_all_threads(const Member* member);

/// One line for the first team that is smaller than asked for; never again in this process.
void warn_about_missing_threads(int wanted, int got);

/// A worker for a thread of the user: one whose thread has ended, else a new one; nullptr when
/// there is no memory.
Worker* take_root_worker();

/// When the thread of the user ends. The last one, where the main thread has ended before it, ends
/// the threads of the pool, which have come back to it: the process ends with its last thread.
void give_back_root_worker(Worker& worker);

/// The same for a worker whose memory nobody may use again.
void count_root_out();

/// In a forked child no thread of the pool exists any more, and of the user's at most the caller.
void forget_pool_after_fork(bool root_survives);

} // namespace heddle::team
