// SPDX-License-Identifier: Apache-2.0
// GOMP_taskloop and GOMP_taskloop_ull.
// Called by code that gcc generates, on the encountering thread. The block of captured data begins
// with two words for the bounds; with reductions the third points to their description.
#include "construct/taskloop.hpp"

#include "abi/export.hpp"
#include "abi/gomp/task_flags.hpp"
#include "construct/reduction.hpp"
#include "construct/taskgroup.hpp"
#include "schedule/cancel.hpp"
#include "team/tool_events.hpp"

using namespace heddle;

namespace {

void taskloop(const schedule::NewTask& task, unsigned flags, uint64_t number, int priority,
              const construct::LoopBounds& bounds, team::Caller caller) {
    using namespace abi::task_flag;
    team::Member& member = team::self();
    const team::ToldEntry entry(member, caller);
    const bool in_group = (flags & nogroup) == 0;
    auto* block = flags & reduction ? static_cast<uintptr_t**>(task.data)[2] : nullptr;
    if (bounds.count == 0 || schedule::is_cancelled(member, *member.current->context())) {
        if (in_group && block)
            block[2] = 0; // tells the caller that there is nothing to combine
        return;
    }
    const uint64_t tasks = number ? number : static_cast<uint64_t>(member.team_size);
    const construct::TaskloopShares shares =
        flags & grainsize
            ? construct::share_by_grainsize(bounds.count, number, (flags & strict) != 0)
            : construct::share_by_tasks(bounds.count, tasks);
    if (in_group) {
        construct::begin_taskgroup(member);
        if (block)
            construct::register_reductions(member, block);
    }
    if (HEDDLE_UNLIKELY(entry.is_told()))
        team::tell_work(member, ompt_work_taskloop, ompt_scope_begin, bounds.count, caller.code);
    construct::taskloop(member, task, flags & abi::task_flag::priority ? priority : 0,
                        (flags & if_clause) != 0, bounds, shares);
    if (HEDDLE_UNLIKELY(entry.is_told()))
        team::tell_work(member, ompt_work_taskloop, ompt_scope_end, bounds.count, caller.code);
    if (in_group)
        construct::end_taskgroup(member);
}

schedule::NewTask describe(void (*function)(void*), void* data, void (*copy)(void*, void*),
                           long size, long alignment, unsigned flags) {
    return {function,
            data,
            copy,
            static_cast<size_t>(size),
            static_cast<size_t>(alignment),
            (flags & abi::task_flag::untied) != 0,
            (flags & abi::task_flag::final) != 0};
}

} // namespace

HEDDLE_EXPORT void GOMP_taskloop(void (*function)(void*), void* data, void (*copy)(void*, void*),
                                 long size, long alignment, unsigned flags, unsigned long number,
                                 int priority, long start, long end, long step) {
    taskloop(describe(function, data, copy, size, alignment, flags), flags, number, priority,
             construct::signed_bounds(start, end, step), HEDDLE_CALLER);
}

HEDDLE_EXPORT void GOMP_taskloop_ull(void (*function)(void*), void* data,
                                     void (*copy)(void*, void*), long size, long alignment,
                                     unsigned flags, unsigned long number, int priority,
                                     unsigned long long start, unsigned long long end,
                                     unsigned long long step) {
    taskloop(describe(function, data, copy, size, alignment, flags), flags, number, priority,
             construct::unsigned_bounds((flags & abi::task_flag::up) != 0, start, end, step),
             HEDDLE_CALLER);
}
