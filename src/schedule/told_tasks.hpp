// SPDX-License-Identifier: Apache-2.0
// Explicit tasks while a tool is active: each has a ToldTask, which is what the scheduler executes,
// and which holds the captured data and the function of the program's task.
// Made on the encountering thread by create_task(); freed by who has executed the task, or, where a
// record may still be asked for it, with the record. Source: OpenMP 5.2 sections 19.5.2.5
// to 19.5.2.10.
#pragma once

#include "concurrent/futex_lock.hpp"
#include "schedule/create.hpp"
#include "team/tool_events.hpp"

namespace heddle::schedule {

struct ToldTask : team::ToolTask {
    TaskFunction function = nullptr;
    TaskFunction discard = nullptr;
    void* captured = nullptr;
    TaskRecord* event = nullptr;   ///< of a detach clause
    concurrent::FutexLock lock;    ///< of an event: what is told of it and of the task's end
    bool ended = false;            ///< the task is told to be detached, or to be cancelled
    bool fulfilled = false;        ///< that is told of its event
    ompt_dispatch_chunk_t chunk{}; ///< of a taskloop
    bool has_record = false;       ///< it is freed with it
};

/// What the scheduler executes.
void run_told_task(void* captured);

/// The tool's part of creating a task.
void create_told_task(Member& member, const NewTask& task, const TaskClauses& clauses,
                      bool deferrable);

/// The kind among a task's ompt_task_flag_t. A target task is an untied one (OpenMP 5.2, glossary).
constexpr int told_kind(bool target) {
    return target ? ompt_task_target | ompt_task_untied : ompt_task_explicit;
}

/// A task that generated code runs itself, between two calls. Begun and ended by the encountering
/// thread; `flags` are ompt_task_flag_t, `exit` is the frame of the code that calls it.
ToldTask* begin_told_undeferred(Member& member, int flags, TaskRecord* event, team::Caller caller,
                                void* exit);

/// The frame pointer of the code that has called the function that this is written in, which gets
/// one too.
#define HEDDLE_PROGRAM_FRAME (*static_cast<void**>(__builtin_frame_address(0)))
void end_told_undeferred(Member& member, ToldTask* task);

/// taskwait with a depend clause, which to a tool is an empty task.
void tell_and_wait_for_dependences(Member& member, const Dependences& dependences);

/// The task of a record whose function is run_told_task(); nullptr for other records.
ToldTask* told_task_of(const TaskRecord& record);
void free_told_task(ToldTask* task);

/// The event of the record's task is about to be fulfilled, before or after its body has ended.
void tell_fulfilled(const TaskRecord& record);

/// The sibling `successor` waits for `predecessor`.
void tell_dependence(const TaskRecord& predecessor, const TaskRecord& successor);

} // namespace heddle::schedule
