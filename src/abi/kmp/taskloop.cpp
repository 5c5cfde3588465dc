// SPDX-License-Identifier: Apache-2.0
// kmpc taskloops. Generated code makes one task as a pattern; each task of the loop is a copy of it
// with bounds of its own. Called by code that clang, flang and icx generate, on the encountering
// thread. OpenMP 5.2 section 12.6. Facts: LLVM's OpenMP runtime interface.
// While tasks run at once, one copy serves them all: a task is over before the next is written.
#include "construct/taskloop.hpp"

#include "abi/kmp/task_block.hpp"
#include "construct/taskgroup.hpp"
#include "schedule/cancel.hpp"

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

/// `bytes`, a multiple of 8, which are few.
void copy_bytes(void* to, const void* from, size_t bytes) {
    auto* target = static_cast<char*>(to);
    auto* source = static_cast<const char*>(from);
    size_t i = 0;
    for (; i + 16 <= bytes; i += 16)
        __builtin_memcpy(target + i, source + i, 16);
    if (i < bytes)
        __builtin_memcpy(target + i, source + i, 8);
}

/// Writes a task that may read the pattern's block of pointers to shared variables.
void write(const Pattern& pattern, Task& task, uint64_t first, uint64_t last) {
    copy_bytes(&task, &pattern.block.task(), pattern.block.size);
    __builtin_memcpy(reinterpret_cast<char*>(&task) + pattern.lower, &first, sizeof first);
    __builtin_memcpy(reinterpret_cast<char*>(&task) + pattern.upper, &last, sizeof last);
}

TaskBlock& allocate_copy(Member& member, const Pattern& pattern) {
    const TaskBlock& block = pattern.block;
    return abi::kmp::allocate_task(member, block.flags, block.size, block.shareds_size,
                                   pattern.block.task().routine);
}

void create_copy(Member& member, const Pattern& pattern, uint64_t first, uint64_t last,
                 bool is_last, bool deferrable) {
    TaskBlock& copy = allocate_copy(member, pattern);
    Task& task = copy.task();
    void* const shareds = task.shareds;
    write(pattern, task, first, last);
    task.shareds = shareds;
    if (shareds)
        __builtin_memcpy(shareds, pattern.block.task().shareds, copy.shareds_size);
    if (pattern.duplicate)
        pattern.duplicate(&task, &pattern.block.task(), is_last);
    abi::kmp::create_task(member, copy, deferrable);
}

void run_routine(void* raw) {
    auto& task = *static_cast<Task*>(raw);
    task.routine(abi::kmp::global_number(*team::self_or_null()), &task);
}

void create_tasks(Member& member, const Pattern& pattern, const LoopBounds& bounds,
                  const TaskloopShares& shares, bool deferrable) {
    const bool plain = pattern.block.flags == flag::tied && !pattern.duplicate;
    TaskBlock* reused = nullptr;
    construct::for_each_share(
        bounds, shares, [&](uint64_t first, uint64_t iterations, bool is_last) {
            const uint64_t last = first + (iterations - 1) * bounds.increment;
            if (!plain || !schedule::runs_at_once(member)) {
                create_copy(member, pattern, first, last, is_last, deferrable);
                return;
            }
            if (!reused)
                reused = &allocate_copy(member, pattern);
            write(pattern, reused->task(), first, last);
            schedule::run_now(member, run_routine, &reused->task(), 0);
        });
    if (reused)
        abi::kmp::free_task(member.worker, *reused);
}

/// Bounds are inclusive; whether they are signed is not known, so a loop has no iteration if that
/// is so either way. One iteration beyond its end is the end of a loop that has none.
LoopBounds bounds_of(uint64_t lower, uint64_t upper, int64_t step) {
    const auto signed_lower = static_cast<int64_t>(lower),
               signed_upper = static_cast<int64_t>(upper);
    const auto increment = static_cast<uint64_t>(step);
    const bool empty = step > 0
                           ? upper + 1 == lower || (lower > upper && signed_lower > signed_upper)
                           : upper - 1 == lower || (lower < upper && signed_lower < signed_upper);
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
HEDDLE_EXPORT void __kmpc_taskloop_5(Ident*, Gtid, Task* task, int32_t if_clause,
                                     const uint64_t* lower, const uint64_t* upper, int64_t step,
                                     int32_t nogroup, int32_t clause, uint64_t value,
                                     int32_t strict, Duplicate duplicate) {
    Member& member = *team::self_or_null(); // attached by the allocation
    const auto offset = [task](const uint64_t* bound) {
        return static_cast<size_t>(reinterpret_cast<const char*>(bound) -
                                   reinterpret_cast<const char*>(task));
    };
    const Pattern pattern{TaskBlock::of(*task), offset(lower), offset(upper), duplicate};
    const LoopBounds bounds = bounds_of(*lower, *upper, step);
    if (!nogroup)
        construct::begin_taskgroup(member);
    if (bounds.count != 0 && !schedule::is_cancelled(member, *member.current->context()))
        create_tasks(member, pattern, bounds,
                     share(member, bounds.count, static_cast<Clause>(clause), value, strict != 0),
                     if_clause != 0);
    abi::kmp::finish_task(member, pattern.block);
    if (!nogroup)
        construct::end_taskgroup(member);
}

HEDDLE_EXPORT void __kmpc_taskloop(Ident* ident, Gtid gtid, Task* task, int32_t if_clause,
                                   const uint64_t* lower, const uint64_t* upper, int64_t step,
                                   int32_t nogroup, int32_t clause, uint64_t value,
                                   Duplicate duplicate) {
    __kmpc_taskloop_5(ident, gtid, task, if_clause, lower, upper, step, nogroup, clause, value, 0,
                      duplicate);
}
