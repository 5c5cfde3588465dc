// SPDX-License-Identifier: Apache-2.0
// kmpc taskloops. Generated code makes one task as a pattern; each task of the loop is a copy of it
// with bounds of its own. Called by code that clang, flang and icx generate, on the encountering
// thread. OpenMP 5.2 section 12.6. Facts: LLVM's OpenMP runtime interface.
// While tasks run at once, one copy serves them all: a task is over before the next is written.
#include "construct/taskloop.hpp"

#include "abi/kmp/task_block.hpp"
#include "construct/taskgroup.hpp"
#include "schedule/cancel.hpp"
#include "schedule/hints.hpp"
#include "team/tool_events.hpp"

using namespace heddle;
using abi::kmp::Gtid;
using abi::kmp::Ident;
using abi::kmp::Task;
using abi::kmp::TaskBlock;
using construct::LoopBounds;
using construct::TaskloopShares;
using team::Member;
namespace flag = abi::kmp::task_flag;

namespace {

/// Completes a copy of the pattern: constructs private variables, notes whether the task has the
/// last iteration.
using Duplicate = void (*)(Task* copy, Task* pattern, int32_t is_last);

/// Which clause the construct has.
enum class Clause : int32_t { none, grainsize, num_tasks };

/// How many tasks a thread there are without a clause: enough to balance uneven iterations.
constexpr uint64_t tasks_per_thread = 10;

/// The task that generated code has made, and where in it the bounds of the iterations are.
struct Pattern {
    TaskBlock& block;
    size_t lower, upper;
    Duplicate duplicate;
};

/// Writes what differs from the pattern in a task that is a copy of it, but for its head, and that
/// has perhaps changed its private variables since.
void write(const Pattern& pattern, Task& task, uint64_t first, uint64_t last) {
    auto* const to = reinterpret_cast<char*>(&task);
    const auto* const from = reinterpret_cast<const char*>(&pattern.block.task());
    const size_t size = pattern.block.size; // a multiple of 8
    size_t i = sizeof(Task);
    for (; i + 16 <= size; i += 16)
        __builtin_memcpy(to + i, from + i, 16);
    if (i < size)
        __builtin_memcpy(to + i, from + i, 8);
    __builtin_memcpy(to + pattern.lower, &first, sizeof first);
    __builtin_memcpy(to + pattern.upper, &last, sizeof last);
}

/// A copy of the pattern, but for its private variables and bounds.
TaskBlock& allocate_copy(Member& member, const Pattern& pattern) {
    const TaskBlock& block = pattern.block;
    Task& task = pattern.block.task();
    TaskBlock& copy =
        abi::kmp::allocate_task(member, block.flags, block.size, block.shareds_size, task.routine);
    copy.task().data_2 = task.data_2;
    copy.task().destructors = task.destructors;
    if (task.shareds)
        __builtin_memcpy(copy.task().shareds, task.shareds, block.shareds_size);
    return copy;
}

void create_copy(Member& member, const Pattern& pattern, uint64_t first, uint64_t last,
                 bool is_last, bool deferrable) {
    TaskBlock& copy = allocate_copy(member, pattern);
    write(pattern, copy.task(), first, last);
    if (pattern.duplicate)
        pattern.duplicate(&copy.task(), &pattern.block.task(), is_last);
    abi::kmp::create_task(member, copy, deferrable);
}

/// A task that runs at once, and the thread that it runs on.
struct Run {
    Task* task;
    Gtid global;
};

void run_routine(void* raw) {
    const auto& run = *static_cast<const Run*>(raw);
    run.task->routine(run.global, run.task);
}

void create_tasks(Member& member, const Pattern& pattern, const LoopBounds& bounds,
                  const TaskloopShares& shares, bool deferrable) {
    const schedule::LoopScope hints(member, shares.tasks);
    const bool plain = (pattern.block.flags & ~abi::kmp::small) == flag::tied && !pattern.duplicate;
    Run run{nullptr, abi::kmp::global_number(member)};
    construct::for_each_share(
        bounds, shares, [&](uint64_t first, uint64_t iterations, bool is_last) {
            const uint64_t last = first + (iterations - 1) * bounds.increment;
            if (HEDDLE_UNLIKELY(!plain || !schedule::runs_at_once(member))) {
                if (HEDDLE_UNLIKELY(team::tells(member)))
                    team::tool_of(member).chunk = {first, iterations};
                create_copy(member, pattern, first, last, is_last, deferrable);
                return;
            }
            if (HEDDLE_UNLIKELY(!run.task))
                run.task = &allocate_copy(member, pattern).task();
            write(pattern, *run.task, first, last);
            schedule::run_now(member, run_routine, &run, 0);
        });
    if (run.task)
        abi::kmp::free_task(member.worker, TaskBlock::of(*run.task));
}

/// Bounds are inclusive, and whether they are signed is not known. A loop has no iteration if it
/// has none as a signed one and 2^63 or more as an unsigned one: compilers pass the bounds of loops
/// without iterations as they are, or 0 and -1.
LoopBounds bounds_of(uint64_t lower, uint64_t upper, int64_t step) {
    const auto signed_lower = static_cast<int64_t>(lower),
               signed_upper = static_cast<int64_t>(upper);
    const auto increment = static_cast<uint64_t>(step);
    const bool empty = step > 0
                           ? signed_lower > signed_upper && static_cast<int64_t>(upper - lower) < 0
                           : signed_lower < signed_upper && static_cast<int64_t>(lower - upper) < 0;
    if (empty)
        return {lower, lower, increment, 0};
    const uint64_t count =
        step > 0 ? (upper - lower) / increment + 1 : (lower - upper) / (0 - increment) + 1;
    return {lower, lower + count * increment, increment, count};
}

TaskloopShares share(const Member& member, uint64_t count, Clause clause, uint64_t value,
                     bool strict) {
    if (clause == Clause::grainsize)
        return construct::share_by_grainsize(count, value, strict);
    const uint64_t tasks = clause == Clause::num_tasks
                               ? value
                               : tasks_per_thread * static_cast<uint64_t>(member.team_size);
    return construct::share_by_tasks(count, tasks);
}

} // namespace

/// `lower` and `upper` point into `task`; grainsize (1) or num_tasks (2) is `value`, exactly so
/// much if `strict`. The pattern is used up.
static void taskloop(Task* task, int32_t if_clause, const uint64_t* lower, const uint64_t* upper,
                     int64_t step, int32_t nogroup, int32_t clause, uint64_t value, int32_t strict,
                     Duplicate duplicate, team::Caller caller) {
    Member& member = *team::self_or_null(); // attached by the allocation
    const team::ToldEntry entry(member, caller);
    const auto offset = [task](const uint64_t* bound) {
        return static_cast<size_t>(reinterpret_cast<const char*>(bound) -
                                   reinterpret_cast<const char*>(task));
    };
    const Pattern pattern{TaskBlock::of(*task), offset(lower), offset(upper), duplicate};
    const LoopBounds bounds = bounds_of(*lower, *upper, step);
    if (!nogroup)
        construct::begin_taskgroup(member);
    if (HEDDLE_UNLIKELY(entry.is_told()))
        team::tell_work(member, ompt_work_taskloop, ompt_scope_begin, bounds.count, caller.code);
    if (bounds.count != 0 && !schedule::is_cancelled(member, *member.current->context()))
        create_tasks(member, pattern, bounds,
                     share(member, bounds.count, static_cast<Clause>(clause), value, strict != 0),
                     if_clause != 0);
    if (HEDDLE_UNLIKELY(entry.is_told()))
        team::tell_work(member, ompt_work_taskloop, ompt_scope_end, bounds.count, caller.code);
    abi::kmp::finish_task(member, pattern.block);
    if (!nogroup)
        construct::end_taskgroup(member);
}

HEDDLE_EXPORT void __kmpc_taskloop_5(Ident*, Gtid, Task* task, int32_t if_clause,
                                     const uint64_t* lower, const uint64_t* upper, int64_t step,
                                     int32_t nogroup, int32_t clause, uint64_t value,
                                     int32_t strict, Duplicate duplicate) {
    taskloop(task, if_clause, lower, upper, step, nogroup, clause, value, strict, duplicate,
             HEDDLE_CALLER);
}

HEDDLE_EXPORT void __kmpc_taskloop(Ident*, Gtid, Task* task, int32_t if_clause,
                                   const uint64_t* lower, const uint64_t* upper, int64_t step,
                                   int32_t nogroup, int32_t clause, uint64_t value,
                                   Duplicate duplicate) {
    taskloop(task, if_clause, lower, upper, step, nogroup, clause, value, 0, duplicate,
             HEDDLE_CALLER);
}
