// SPDX-License-Identifier: Apache-2.0
// Dealing the iterations of a taskloop out. Runs on the encountering thread.
// The captured block of the construct serves every task that runs at once: such a task is over
// before the next one's bounds are written.
#include "construct/taskloop.hpp"

#include "schedule/hints.hpp"
#include "team/tool_events.hpp"

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

namespace {

/// Word by word: two stores that one wider load would have to wait for cost 2 ns a task.
void set_bounds(void* data, uint64_t begin, uint64_t end) {
    __builtin_memcpy(data, &begin, sizeof begin);
    __builtin_memcpy(static_cast<char*>(data) + sizeof begin, &end, sizeof end);
}

} // namespace

void taskloop(team::Member& member, const schedule::NewTask& task, int priority, bool deferrable,
              const LoopBounds& bounds, const TaskloopShares& shares) {
    const schedule::LoopScope hints(member, shares.tasks);
    const bool plain = !task.copy && !task.final && priority == 0;
    schedule::TaskClauses clauses;
    clauses.priority = priority;
    uint64_t words[2]; // of the constructed copies
    schedule::NewTask each = task;
    each.first_words = words;
    for_each_share(bounds, shares, [&](uint64_t begin, uint64_t iterations, bool) {
        const uint64_t end = begin + iterations * bounds.increment;
        if (HEDDLE_UNLIKELY(team::tells(member)))
            team::tool_of(member).chunk = {begin, iterations};
        if (plain && HEDDLE_LIKELY(!team::counts(member))) {
            set_bounds(task.data, begin, end);
            construct::task(member, task.function, task.data, task.size, task.alignment,
                            task.untied ? 1 : 0, deferrable);
        } else {
            set_bounds(task.copy ? words : task.data, begin, end);
            general_task(member, each, deferrable, clauses);
        }
    });
}

} // namespace heddle::construct
