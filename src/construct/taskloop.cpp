// SPDX-License-Identifier: Apache-2.0
// Dealing the iterations of a taskloop out. Runs on the encountering thread.
// The captured block of the construct serves every task that runs at once: such a task is over
// before the next one's bounds are written.
#include "construct/taskloop.hpp"

namespace heddle::construct {

TaskloopShares share_by_grainsize(uint64_t count, uint64_t grainsize, bool strict) {
    grainsize = grainsize == 0 ? 1 : grainsize;
    if (strict)
        return {(count - 1) / grainsize + 1, grainsize, 0};
    const uint64_t tasks = count / grainsize ? count / grainsize : 1;
    return {tasks, count / tasks, count % tasks};
}

TaskloopShares share_by_tasks(uint64_t count, uint64_t tasks) {
    tasks = tasks == 0 ? 1 : tasks < count ? tasks : count;
    return {tasks, count / tasks, count % tasks};
}

void taskloop(team::Member& member, const schedule::NewTask& task, int priority, bool deferrable,
              const LoopBounds& bounds, const TaskloopShares& shares) {
    const bool plain = !task.copy && !task.final && priority == 0;
    schedule::TaskClauses clauses;
    clauses.priority = priority;
    uint64_t words[2] = {bounds.start, bounds.start};
    schedule::NewTask each = task;
    each.first_words = words;
    uint64_t left = bounds.count;
    for (uint64_t i = 0; i < shares.tasks; ++i) {
        uint64_t share = shares.share + (i < shares.more ? 1 : 0);
        share = share < left ? share : left;
        left -= share;
        words[0] = words[1];
        words[1] += share * bounds.increment;
        if (!task.copy)
            __builtin_memcpy(task.data, words, sizeof words);
        if (plain)
            construct::task(member, task.function, task.data, task.size, task.alignment,
                            task.untied ? 1 : 0, deferrable);
        else
            general_task(member, each, deferrable, clauses);
    }
}

} // namespace heddle::construct
