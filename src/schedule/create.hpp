// SPDX-License-Identifier: Apache-2.0
// Task constructs beyond the fast path: with a depend, detach, priority or affinity clause, or
// where tasks may be cancelled, are counted or watched. Decides whether the task runs at once,
// waits for its predecessors in a record, or goes to the deque, a box or a policy's queue; taskwait
// with depend clauses. Called on the encountering thread. OpenMP 5.2
// sections 12.4, 12.5, 15.5, 15.9.5.
#pragma once

#include "schedule/dependences.hpp"
#include "team/tool_events.hpp"

namespace heddle::schedule {

/// The clauses that need a record.
struct TaskClauses {
    Dependences dependences = {};
    int priority = 0;               ///< of the priority clause, not yet limited
    TaskRecord* event = nullptr;    ///< detach: of make_event()
    const void* affinity = nullptr; ///< where the first location of an affinity clause begins
    size_t affinity_size = 0;       ///< bytes there
};

/// Creates the task. `deferrable` is the value of the if clause.
void create_task(Member& member, const NewTask& task, const TaskClauses& clauses, bool deferrable);

/// A task without clauses where all are counted, or watched; `bits` as in create_plain_task().
[[gnu::noinline]] void create_counted_task(Member& member, TaskFunction function, void* data,
                                           size_t size, size_t alignment, unsigned bits,
                                           const void* code);

/// The same as create_task(), whether or not a tool is told.
void create_any_task(Member& member, const NewTask& task, const TaskClauses& clauses,
                     bool deferrable);

/// Until the current task's children that a task with `dependences` would have to wait for are
/// complete (taskwait with depend clauses, section 15.5).
void wait_for_dependences(Member& member, const Dependences& dependences);
/// The same where no tool is told.
void await_dependences(Member& member, const Dependences& dependences);

} // namespace heddle::schedule
