// SPDX-License-Identifier: Apache-2.0
// The taskloop construct (OpenMP 5.2 section 12.6): how the iterations are dealt out to tasks.
// Called by the ABI layers on the encountering thread, inside the construct's taskgroup if it has
// one. The tasks are ordinary ones: deferred when somebody is hungry, otherwise run at once.
#pragma once

#include "construct/loop.hpp"
#include "construct/task.hpp"

namespace heddle::construct {

/// How many tasks, and how many iterations each.
struct TaskloopShares {
    uint64_t tasks;
    uint64_t share; ///< iterations of a task
    uint64_t more;  ///< the first so many tasks have one iteration more
};

/// grainsize clause: at least `grainsize` iterations a task and less than twice as many; `strict`:
/// exactly so many, but for the last task. `count` is at least 1, a grainsize of 0 counts as 1.
TaskloopShares share_by_grainsize(uint64_t count, uint64_t grainsize, bool strict);

/// num_tasks clause, strict or not: that many tasks, or one an iteration. Without the clause
/// `tasks` is the team's size.
TaskloopShares share_by_tasks(uint64_t count, uint64_t tasks);

/// Deals the iterations out in their order: create(first, iterations, is_last), `first` being the
/// user's value of the task's first iteration.
template <class Create>
void for_each_share(const LoopBounds& bounds, const TaskloopShares& shares, Create&& create) {
    uint64_t begin = bounds.start, left = bounds.count;
    for (uint64_t i = 0; i < shares.tasks; ++i) {
        uint64_t share = shares.share + (i < shares.more ? 1 : 0);
        share = share < left ? share : left;
        left -= share;
        create(begin, share, left == 0);
        begin += share * bounds.increment;
    }
}

/// Creates the tasks. The first two words of each task's captured data become the user's values
/// [begin, end) of its iterations; `data` itself is used for that.
void taskloop(team::Member& member, const schedule::NewTask& task, int priority, bool deferrable,
              const LoopBounds& bounds, const TaskloopShares& shares);

} // namespace heddle::construct
