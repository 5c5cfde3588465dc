// SPDX-License-Identifier: Apache-2.0
// The task, taskwait and taskyield constructs (OpenMP 5.2 sections 12.5, 15.5, 12.7).
// Called by the ABI layers on the encountering thread; the fast paths are inline.
#pragma once

#include "schedule/create.hpp"
#include "schedule/throttle.hpp"
#include "schedule/wait.hpp"

namespace heddle::construct {

/// A task with plain captured data, not final: the fast path. `untied` is 0 or Frame::untied_bit,
/// `deferrable` the if clause's value.
inline void task(team::Member& member, team::TaskFunction function, void* data, size_t size,
                 size_t alignment, unsigned untied, bool deferrable) {
    if (schedule::runs_at_once(member))
        schedule::run_now(member, function, data, untied);
    else
        schedule::create_plain_task(member, function, data, size, alignment,
                                    untied | (deferrable ? 0 : schedule::plain_undeferred));
}

/// Any task construct. `deferrable` is the value of the if clause.
inline void general_task(team::Member& member, const schedule::NewTask& task, bool deferrable,
                         const schedule::TaskClauses& clauses = {}) {
    schedule::create_task(member, task, clauses, deferrable);
}

/// Until the current task's children are complete.
inline void taskwait(team::Member& member) {
    if (HEDDLE_UNLIKELY(member.current->family != nullptr))
        schedule::wait_for_children(member);
}

/// Runs a ready task if the constraints allow one, else offers the core.
inline void taskyield(team::Member& member) {
    if (!schedule::run_one(member))
        platform::yield();
}

} // namespace heddle::construct
