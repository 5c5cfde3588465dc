// SPDX-License-Identifier: Apache-2.0
// Tasks with a record: made by the encountering thread, ready when their predecessors are complete,
// complete when executed and, with a detach clause, when their event is fulfilled.
// Called by task creation (make, enqueue), by run_slot (run) and by omp_fulfill_event (fulfill).
// docs/protocols/successor-list.md, docs/protocols/detach.md. OpenMP 5.2 sections 12.5, 15.9.5.
#pragma once

#include "schedule/throttle.hpp"
#include "team/task_record.hpp"

namespace heddle::schedule {

using team::TaskRecord;

struct ToldTask;

/// What a record costs both sides, about: to make it, to find its predecessors and to release its
/// successors on another core.
inline constexpr uint64_t record_price_ns = 600;

/// A record for `task` as a child of the current task, counted in its family, with room for
/// `links` predecessors and `uses` entries in the dependence table. With an `event` (detach clause)
/// that record becomes the task's. nullptr without memory.
TaskRecord* make_record(Member& member, const NewTask& task, size_t links, size_t uses,
                        TaskRecord* event);

/// The event of a task that is still to be created: its address is the handle, which may be
/// fulfilled from now on. Dies without memory.
TaskRecord& make_event(Member& member);

/// A record that stands for this thread while it waits for predecessors; freed by free_record().
TaskRecord* make_waiter(Member& member, size_t links);

void free_record(team::Worker* worker, TaskRecord& record);

/// `record` is complete and no sibling looks at it any more: frees it, or leaves that to fulfill().
void release_record(team::Worker* worker, TaskRecord& record);

/// Where the links and the uses of a record lie.
concurrent::SuccessorList::Link* links_of(TaskRecord& record);

/// All predecessors of `record` are complete: it goes to this worker's deque.
void enqueue_ready(Member& member, TaskRecord& record);

/// Executes the task that a slot of the deque stands for.
void run_record_slot(Member& member, const TaskSlot& slot);

/// Executes `record` on this worker's stack, now.
void run_record(Member& member, TaskRecord& record);
/// The same for one that its creator was about to queue.
void run_record_at_once(Member& member, TaskRecord& record);

/// The current task executes the structured block of an undeferred child between these two; it may
/// be complete later, when its `event` is fulfilled. `told`: what a tool is told of it, or nullptr.
/// Dies without memory.
void begin_undeferred_record(Member& member, TaskRecord& event, ToldTask* told);
void end_undeferred_record(Member& member, TaskRecord& event);

/// omp_fulfill_event on the event of `record`, by any thread.
void fulfill(TaskRecord& record);

/// Runs a task that became ready outside any worker, if the waiting current task may be suspended
/// for it: its own child, or one of `group`, which it waits for. False: there is none.
bool run_from_inbox(Member& member, const Group* group);

/// The same in a barrier, where any task may run; the caller is active there.
bool run_any_from_inbox(Member& member);

} // namespace heddle::schedule
