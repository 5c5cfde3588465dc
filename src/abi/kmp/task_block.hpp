// SPDX-License-Identifier: Apache-2.0
// The memory of a task of clang, flang or icx: our header, then the task as generated code knows it
// (kmp_task_t), the task's private variables, and the block of pointers to shared variables.
// Allocated on the encountering thread from its worker's recycled blocks, filled by generated code,
// given back by who executed the task. Facts: LLVM's OpenMP runtime interface.
#pragma once

#include "abi/kmp/ident.hpp"
#include "schedule/create.hpp"

namespace heddle::abi::kmp {

struct Task;
using TaskEntry = int32_t (*)(Gtid global, Task* task);

/// What generated code reads and writes; the private variables follow.
struct Task {
    void* shareds; ///< where the block of pointers to shared variables is
    TaskEntry routine;
    int32_t part; ///< untied tasks: at which scheduling point to go on
    union {
        int32_t (*destructors)(Gtid global, Task* task);
        int32_t data_1;
    };
    union {
        int32_t priority;
        void* data_2;
    };
};
static_assert(sizeof(Task) == 40);

/// Bits of TaskBlock::flags, as generated code passes them.
namespace task_flag {
inline constexpr int32_t tied = 1;
inline constexpr int32_t final = 2;
inline constexpr int32_t destructors = 8; ///< Task::destructors is called after the routine
inline constexpr int32_t proxy = 0x10;    ///< complete when the program says so, by its address
inline constexpr int32_t priority = 0x20; ///< Task::priority holds the clause
inline constexpr int32_t detachable = 0x40;
} // namespace task_flag

/// Ours: the block is one of those that the worker's task_blocks holds.
inline constexpr int32_t small = 1 << 30;

/// Ours: the task has an affinity clause.
inline constexpr int32_t with_affinity = 1 << 29;

/// Ours: a target construct's, which a tool is told of.
inline constexpr int32_t told_as_target = 1 << 28;

/// Tasks with an event.
inline constexpr int32_t special = task_flag::proxy | task_flag::detachable;

/// Our header in front of a Task. The encountering thread's until the task is queued, then the
/// executing thread's; `parties` alone is shared. It is a cache line, for private variables may
/// have that alignment, and generated code does not tell.
struct alignas(concurrent::cache_line) TaskBlock {
    team::Capture capture;             ///< where the memory goes back to; `data`: see begin_if0
    int32_t flags;                     ///< of task_flag
    uint32_t size;                     ///< bytes from the Task on to the shared variables' pointers
    uint32_t shareds_size;             ///< of those
    bool again;                        ///< untied: the part that runs has asked for the next one
    bool running;                      ///< untied: its parts are being executed
    platform::Atomic<uint8_t> parties; ///< proxy: who has done with the memory
    union {
        team::TaskRecord* event; ///< detachable and proxy tasks
        const void* affinity;    ///< others: the first location of an affinity clause
    };
    size_t affinity_size; ///< bytes there

    Task& task() { return *reinterpret_cast<Task*>(this + 1); }
    static TaskBlock& of(Task& task) { return *(reinterpret_cast<TaskBlock*>(&task) - 1); }
};
static_assert(sizeof(TaskBlock) == 64);

/// A block for a task with `size` bytes from the Task on (Task and private variables) and `shareds`
/// bytes behind them; Task::shareds, routine and part are set. Dies without memory.
TaskBlock& allocate_task(team::Member& member, int32_t flags, size_t size, size_t shareds,
                         TaskEntry routine);

/// The same where `flags` has only `tied`, or nothing, and a block is at hand; nullptr otherwise.
inline TaskBlock* take_plain(team::Member& member, int32_t flags, size_t size, size_t shareds,
                             TaskEntry routine) {
    const size_t to_shareds = (size + 7) & ~size_t{7};
    if (HEDDLE_UNLIKELY(to_shareds + shareds > team::task_block_size - sizeof(TaskBlock)))
        return nullptr;
    auto* block = static_cast<TaskBlock*>(member.worker->task_blocks.take());
    if (HEDDLE_UNLIKELY(!block))
        return nullptr;
    block->size = static_cast<uint32_t>(to_shareds);
    block->shareds_size = static_cast<uint32_t>(shareds);
    block->flags = flags | small;
    block->again = block->running = false;
    Task& task = block->task();
    task.shareds = shareds ? reinterpret_cast<char*>(&task) + to_shareds : nullptr;
    task.routine = routine;
    task.part = 0;
    return block;
}

/// Creates the task whose block generated code has filled in: it is queued, or runs at once. The
/// block is given back when it has run. `deferrable` is the value of the if clause.
void create_task(team::Member& member, TaskBlock& block, bool deferrable,
                 const schedule::Dependences& dependences = {});

/// The same for a task without clauses, but for untied, that does not run at once.
void queue_plain(team::Member& member, TaskBlock& block);

/// An untied task is a sequence of parts: at a scheduling point the routine submits itself and
/// returns. Runs the parts that are asked for, here and now: this is one of the threads that they
/// may run on.
void run_parts(TaskBlock& block, Gtid global);

/// The task has been executed, or discarded: its destructors, then its memory.
void finish_task(team::Member& member, TaskBlock& block);

/// Parties of a proxy task's block. leave_proxy(): true, the caller is the second and frees it.
inline constexpr uint8_t executed = 1, completed = 2;
bool leave_proxy(TaskBlock& block, uint8_t party);

/// Gives back the memory of a task that has run, or never will. Calls no destructors.
void free_task(team::Worker* worker, TaskBlock& block);

} // namespace heddle::abi::kmp
