// SPDX-License-Identifier: Apache-2.0
// Waiting at task scheduling points: for children, for a taskgroup, at a barrier. A waiting worker
// runs tasks: its own newest first, then what was stolen from it, and in a barrier anybody's.
// Called by construct/; docs/protocols/task-waiting.md has the constraints and the proof.
#pragma once

#include "schedule/run_task.hpp"
#include "team/tool_events.hpp"

namespace heddle::schedule {

/// Until all children of the current task are complete (taskwait). The task has a family.
void wait_for_children(Member& member);

/// Until the group's tasks and all their descendants are complete (end of taskgroup).
void wait_for_group(Member& member, Group& group);

/// Until the predecessors of `waiter` are complete.
void wait_for_predecessors(Member& member, team::TaskRecord& waiter);

/// Runs the newest descendant of the current task in this worker's deque; false: there is none.
bool run_own_child(Member& member);

/// Runs descendants of the current task until at most `most` children of `family` are unfinished,
/// or none is ready: it never sleeps, for the current task may have to do something for the others.
void run_until_fewer(Member& member, const Family& family, int64_t most);

/// wait_for_children(), of which a tool is told, if there is one, that `caller` called.
void wait_for_children_of(Member& member, team::Caller caller);

/// The team's barrier, where the implicit task has deferred no child since the last one, and where
/// it has one, or is watched by a tool, which hears of a region of kind `kind`.
void wait_without_family(Member& member);
void wait_with_family(Member& member, ompt_sync_region_t kind, team::Caller caller);

/// The team's barrier; no task of the team is unfinished when it returns.
[[gnu::always_inline]] inline void
wait_at_barrier(Member& member, ompt_sync_region_t kind = ompt_sync_region_barrier_explicit) {
    if (HEDDLE_UNLIKELY(member.implicit_task.family != nullptr))
        wait_with_family(member, kind, HEDDLE_CALLER);
    else
        wait_without_family(member);
}

/// Runs all tasks in the member's deque, and what comes of them. Then it can arrive at a barrier.
void finish_own_tasks(Member& member);

/// The barrier at the end of a region, on a thread of the pool: it does nothing for the team after
/// it, and may leave it when its next region has begun.
void wait_at_region_end(Member& member);

/// Runs tasks that lie in others' deques, or are meant for all, until none is left. By an active
/// thread whose own deque is empty.
void run_tasks_of_others(Member& member);

/// The barrier behind copyprivate where the region may be cancelled: then it lasts until all have
/// copied, or have gone to the region's end, and code goes on behind it. A tool is told of `code`.
void wait_for_copies(Member& member, const void* code);

/// A barrier that is a cancellation point of `parallel`: returns early once the region is
/// cancelled, but behind copyprivate. True: it is, and the thread goes to the region's end.
bool wait_at_cancellable_barrier(Member& member);

/// Runs one ready task that the current task may be suspended for; false when there is none.
bool run_one(Member& member);

} // namespace heddle::schedule
