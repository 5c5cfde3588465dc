// SPDX-License-Identifier: Apache-2.0
// Waiting at task scheduling points: for children, for a taskgroup, at a barrier. A waiting worker
// runs tasks: its own newest first, then what was stolen from it, and in a barrier anybody's.
// Called by construct/; docs/protocols/task-waiting.md has the constraints and the proof.
#pragma once

#include "schedule/run_task.hpp"

namespace heddle::schedule {

/// Until all children of the current task are complete (taskwait). The task has a family.
void wait_for_children(Member& member);

/// Until the group's tasks and all their descendants are complete (end of taskgroup).
void wait_for_group(Member& member, Group& group);

/// The team's barrier; no task of the team is unfinished when it returns.
void wait_at_barrier(Member& member);

/// Runs one ready task that the current task may be suspended for; false when there is none.
bool run_one(Member& member);

} // namespace heddle::schedule
