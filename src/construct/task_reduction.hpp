// SPDX-License-Identifier: Apache-2.0
// Task reductions of compilers that leave all of it to the runtime (OpenMP 5.2 sections 5.5.9 to
// 5.5.11): a thread's copies begin when one of its tasks first asks for one, and are combined in
// thread order at the taskgroup's end. Called by abi/kmp. The items are written by the thread that
// begins the reduction, before a task can refer to it; a thread's copies by its tasks, then, once
// the taskgroup has ended, by who combines them.
#pragma once

#include "team/team.hpp"

namespace heddle::construct {

/// One list item.
struct ReductionItem {
    void* original;                               ///< what the copies are combined into
    void* source;                                 ///< what the initializer may look at (omp_orig)
    size_t size;                                  ///< bytes, more than 0
    void (*initialize)(void* copy, void* source); ///< nullptr: a copy begins as zeros
    void (*finalize)(void* copy);                 ///< nullptr: nothing to do
    void (*combine)(void* original, void* copy);
};

struct TaskReductions;

/// Memory for the reductions of one construct with `count` items, which the caller describes. Dies
/// without memory.
TaskReductions& make_task_reductions(size_t count);
ReductionItem* items_of(TaskReductions& reductions);

/// taskgroup with task_reduction, after the taskgroup began: makes the items known to its tasks.
void begin_task_reductions(team::Member& member, TaskReductions& reductions);

/// reduction(task, ...) on parallel or a worksharing construct, encountered by each member: begins
/// a taskgroup whose tasks know the items. The members describe like items with originals of their
/// own and share the copies; who ends its taskgroup last combines them into its originals.
void begin_team_task_reductions(team::Member& member, TaskReductions& reductions);

/// Ends the innermost taskgroup and the reductions that were begun in it.
void end_reducing_taskgroup(team::Member& member);

/// in_reduction: the calling thread's copy of the item whose original, or any thread's copy, is at
/// `address`, in the innermost reduction from `group` outwards (nullptr: the current group) that
/// knows it. `address` itself where a thread alone has no reduction; dies when a team has none.
void* find_task_copy(const team::Member& member, const team::Group* group, void* address);

} // namespace heddle::construct
