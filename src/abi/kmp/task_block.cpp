// SPDX-License-Identifier: Apache-2.0
// Allocating, executing and freeing the tasks of clang, flang and icx. To the scheduler each is a
// task that captures one word, the address of its block.
// execute() runs on the executing thread, in the task's frame. A proxy task's block is given back
// by the second of two parties: who executed it, and who said that it is complete (`parties`, one
// acq_rel RMW each).
#include "abi/kmp/task_block.hpp"

#include "schedule/affinity.hpp"
#include "schedule/cancel.hpp"
#include "schedule/capture.hpp"
#include "team/tool_events.hpp"
#include "tool/modules.hpp"

namespace heddle::abi::kmp {

namespace {

TaskBlock& captured_block(void* captured) { return **static_cast<TaskBlock**>(captured); }

void execute(void* captured) {
    TaskBlock& block = captured_block(captured);
    team::Member& member = *team::self_or_null();
    const Gtid global = global_number(member);
    Task& task = block.task();
    if (HEDDLE_UNLIKELY(block.flags & with_affinity))
        schedule::note_affinity(member, block.affinity);
    if (HEDDLE_LIKELY(block.flags & task_flag::tied)) {
        task.routine(global, &task);
    } else {
        block.running = block.again = true;
        run_parts(block, global);
    }
    finish_task(member, block);
}

/// The same where a tool is told: what calls the program's code has a frame that it can know.
void execute_told(void* captured) {
    TaskBlock& block = captured_block(captured);
    team::Member& member = *team::self_or_null();
    const Gtid global = global_number(member);
    if (HEDDLE_UNLIKELY(block.flags & with_affinity))
        schedule::note_affinity(member, block.affinity);
    team::ToolTask& told = *team::tool_of(member).task;
    told.frame.exit_frame.ptr = __builtin_frame_address(0);
    if (HEDDLE_UNLIKELY(!(block.flags & task_flag::tied)))
        block.running = true;
    do {
        block.again = false;
        block.task().routine(global, &block.task());
    } while (HEDDLE_UNLIKELY(!(block.flags & task_flag::tied)) && block.again);
    told.frame.exit_frame.ptr = nullptr;
    finish_task(member, block);
}

/// What generated code calls: the routine, for execute() is the same for all.
const void* code_of(const void* captured) {
    return reinterpret_cast<const void*>(
        captured_block(const_cast<void*>(captured)).task().routine);
}

void discard(void* captured) { finish_task(*team::self_or_null(), captured_block(captured)); }

__attribute__((constructor)) void tell_detours() {
    tool::add_detour(execute, code_of);
    tool::add_detour(execute_told, code_of);
    tool::add_detour(discard, code_of);
}

} // namespace

TaskBlock& allocate_task(team::Member& member, int32_t flags, size_t size, size_t shareds,
                         TaskEntry routine) {
    const size_t to_shareds = (size + 7) & ~size_t{7};
    const size_t needed = sizeof(TaskBlock) + to_shareds + shareds;
    auto* block = reinterpret_cast<TaskBlock*>(schedule::take_block(
        member, needed > team::task_block_size ? needed : team::task_block_size));
    if (HEDDLE_UNLIKELY(!block))
        platform::die("no memory for a task");
    const bool is_small = block->capture.home == &member.worker->captures[team::task_class];
    block->flags = (flags & ~(small | with_affinity | told_as_target)) | (is_small ? small : 0);
    block->size = static_cast<uint32_t>(to_shareds);
    block->shareds_size = static_cast<uint32_t>(shareds);
    Task& task = block->task();
    task.shareds = shareds ? reinterpret_cast<char*>(&task) + to_shareds : nullptr;
    task.routine = routine;
    task.part = 0;
    if (HEDDLE_UNLIKELY((flags & (task_flag::tied | special)) != task_flag::tied)) {
        block->again = block->running = false;
        block->parties.store(0, platform::relaxed);
        block->event = flags & task_flag::proxy ? &schedule::make_event(member) : nullptr;
    }
    return *block;
}

void run_parts(TaskBlock& block, Gtid global) {
    while (block.again) {
        block.again = false;
        block.task().routine(global, &block.task());
    }
}

void finish_task(team::Member& member, TaskBlock& block) {
    if (block.flags & task_flag::destructors)
        block.task().destructors(global_number(member), &block.task());
    if (!(block.flags & task_flag::proxy) || leave_proxy(block, executed))
        free_task(member.worker, block);
}

void create_task(team::Member& member, TaskBlock& block, bool deferrable,
                 const schedule::Dependences& dependences) {
    TaskBlock* captured = &block;
    schedule::NewTask task{HEDDLE_UNLIKELY(team::tells(member)) ? execute_told : execute,
                           &captured,
                           nullptr,
                           sizeof captured,
                           alignof(TaskBlock*),
                           !(block.flags & task_flag::tied),
                           (block.flags & task_flag::final) != 0};
    task.discard = discard;
    task.target = (block.flags & told_as_target) != 0;
    schedule::TaskClauses clauses{dependences};
    if (block.flags & task_flag::priority)
        clauses.priority = block.task().priority;
    if (block.flags & special)
        clauses.event = block.event; // nullptr if nobody has asked for it
    if (block.flags & with_affinity) {
        clauses.affinity = block.affinity;
        clauses.affinity_size = block.affinity_size;
    }
    schedule::create_task(member, task, clauses, deferrable);
}

void queue_plain(team::Member& member, TaskBlock& block) {
    TaskBlock* captured = &block;
    const unsigned untied = block.flags & task_flag::tied ? 0 : schedule::plain_untied;
    if (HEDDLE_LIKELY(!schedule::needs_attention(member) && !schedule::may_cancel(member) &&
                      !team::counts(member)))
        schedule::create_plain_task(member, execute, &captured, sizeof captured,
                                    alignof(TaskBlock*), untied);
    else if (schedule::runs_unless_cancelled(member) &&
             !schedule::is_cancelled(member, *member.current->context()))
        schedule::run_now(member, execute, &captured, untied);
    else
        create_task(member, block, true); // it may be sorted, counted, or discarded
}

void free_task(team::Worker* worker, TaskBlock& block) {
    schedule::free_capture(worker, &block.capture);
}

bool leave_proxy(TaskBlock& block, uint8_t party) {
    // acq_rel: releases this party's use of the block, or acquires the other's before it is freed
    return block.parties.fetch_or(party, platform::acq_rel) != 0;
}

} // namespace heddle::abi::kmp
