// SPDX-License-Identifier: Apache-2.0
// The task, taskwait and taskyield constructs (OpenMP 5.2 sections 12.5, 15.5, 12.7).
// Called by the ABI layers on the encountering thread; the fast paths are inline.
#pragma once

#include "schedule/create.hpp"
#include "schedule/throttle.hpp"
#include "schedule/wait.hpp"
#include "team/cpu_pressure.hpp"

namespace heddle::construct {

/// The slow path of task(), inlined so that it knows the caller.
[[gnu::always_inline]] inline void task_later(team::Member& member, team::TaskFunction function,
                                              void* data, size_t size, size_t alignment,
                                              unsigned bits, team::Caller caller) {
    asm volatile("" ::: "memory"); // reads the word again: the fast path has no register for it
    if (HEDDLE_UNLIKELY(team::counts(member)))
        schedule::create_counted_task(member, function, data, size, alignment, bits, caller.code);
    else
        schedule::create_plain_task(member, function, data, size, alignment, bits);
}

/// A task with plain captured data, not final: the fast path. `untied` is 0 or Frame::untied_bit,
/// `deferrable` the if clause's value.
[[gnu::always_inline]] inline void task(team::Member& member, team::TaskFunction function,
                                        void* data, size_t size, size_t alignment, unsigned untied,
                                        bool deferrable) {
    if (schedule::runs_at_once(member))
        schedule::run_now(member, function, data, untied);
    else
        task_later(member, function, data, size, alignment,
                   untied | (deferrable ? 0 : schedule::plain_undeferred), HEDDLE_CALLER);
}

/// Any task construct. `deferrable` is the value of the if clause.
inline void general_task(team::Member& member, const schedule::NewTask& task, bool deferrable,
                         const schedule::TaskClauses& clauses = {}) {
    schedule::create_task(member, task, clauses, deferrable);
}

/// Until the current task's children are complete.
[[gnu::always_inline]] inline void taskwait(team::Member& member) {
    if (HEDDLE_UNLIKELY(member.current->family != nullptr))
        schedule::wait_for_children_of(member, HEDDLE_CALLER);
}

/// Runs a ready task if the constraints allow one, else offers the core if others need it.
inline void taskyield(team::Member& member) {
    if (HEDDLE_UNLIKELY(team::tells(member)))
        team::tool_of(member).leaving = ompt_task_yield; // if it is suspended for another
    if (schedule::run_one(member))
        return;
    if (team::is_crowded(member.team_size))
        platform::yield();
    else
        platform::relax();
}

} // namespace heddle::construct
