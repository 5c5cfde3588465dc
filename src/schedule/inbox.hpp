// SPDX-License-Identifier: Apache-2.0
// Tasks that became ready outside any worker of their team, because omp_fulfill_event completed
// their predecessor: a list under a lock, looked at by waiting members. Each entry, like each
// detached task, holds the team's barrier as if it were an active thread.
#pragma once

#include "schedule/record.hpp"

namespace heddle::schedule {

/// Adds `record` and wakes who may wait for it. By any thread.
void put_into_inbox(team::Team& team, TaskRecord& record);

/// The barriers of `team` do not open before a matching drop_hold() or release_hold(). By an active
/// thread of the team, or for what holds them already.
void hold(team::Team& team);
/// By an active thread of the team.
void drop_hold(team::Team& team);
/// What has held the barriers is complete. By any thread.
void release_hold(team::Team& team);

/// A queue of one of the papers' policies has tasks, or has none any more: it holds the barriers
/// and counts as an entry, so that waiting threads ask the policy. By an active thread of the team.
void begin_offer(team::Team& team);
void end_offer(team::Team& team);

/// Runs `record`, which the caller, an active thread, has taken from where it held the barrier.
void run_ready(Member& member, TaskRecord& record);

/// Are the children of `family` also those of the task of `frame`?
bool is_child_of(const Frame& frame, const Family& family);

/// Is `group` around the children of `family`, which has unfinished ones?
bool is_inside(const Group* group, const Family& family);

} // namespace heddle::schedule
