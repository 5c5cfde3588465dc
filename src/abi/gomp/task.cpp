// SPDX-License-Identifier: Apache-2.0
// GOMP_task, taskwait, taskyield, taskgroup; omp_fulfill_event.
// Called by code that gcc generates, on the encountering thread. Older compilers pass fewer
// arguments, so those after `flags` are read only when their flag says that they are there.
#include "construct/task.hpp"

#include "abi/export.hpp"
#include "abi/gomp/depend.hpp"
#include "abi/gomp/task_flags.hpp"
#include "construct/taskgroup.hpp"

using namespace heddle;
namespace flag = abi::task_flag;

namespace {

/// All but plain tasks.
[[gnu::noinline]] void task_with_clauses(const schedule::NewTask& task, bool if_clause,
                                         unsigned flags, void** depend, int priority,
                                         void* detach) {
    schedule::TaskClauses clauses;
    if (flags & flag::priority)
        clauses.priority = priority;
    if (flags & flag::detach)
        clauses.event = static_cast<void**>(detach);
    if (!(flags & flag::depend)) {
        construct::general_task(team::self(), task, if_clause, clauses);
        return;
    }
    const abi::DependList list(depend);
    clauses.dependences = list.get();
    construct::general_task(team::self(), task, if_clause, clauses);
}

} // namespace

HEDDLE_EXPORT void GOMP_task(void (*function)(void*), void* data, void (*copy)(void*, void*),
                             long size, long alignment, bool if_clause, unsigned flags,
                             void** depend, int priority, void* detach) {
    team::Member* member = team::self_or_null();
    constexpr unsigned plain = flag::untied | flag::mergeable;
    if (HEDDLE_UNLIKELY(!member || copy || (flags & ~plain))) {
        task_with_clauses({function, data, copy, static_cast<size_t>(size),
                           static_cast<size_t>(alignment), (flags & flag::untied) != 0,
                           (flags & flag::final) != 0},
                          if_clause, flags, depend, priority, detach);
        return;
    }
    construct::task(*member, function, data, static_cast<size_t>(size),
                    static_cast<size_t>(alignment), (flags & flag::untied) != 0, if_clause);
}

HEDDLE_EXPORT void GOMP_taskwait() {
    if (team::Member* member = team::self_or_null())
        construct::taskwait(*member);
}

HEDDLE_EXPORT void GOMP_taskwait_depend(void** depend) {
    const abi::DependList list(depend);
    schedule::wait_for_dependences(team::self(), list.get());
}

/// taskwait with depend and nowait: an empty task that later siblings may depend on (gcc 13).
HEDDLE_EXPORT void GOMP_taskwait_depend_nowait(void** depend) {
    const abi::DependList list(depend);
    construct::general_task(team::self(), {[](void*) {}, nullptr, nullptr, 0, 1, false, false},
                            true, {list.get()});
}

HEDDLE_EXPORT void GOMP_taskyield() { construct::taskyield(team::self()); }

HEDDLE_EXPORT void GOMP_taskgroup_start() { construct::begin_taskgroup(team::self()); }

HEDDLE_EXPORT void GOMP_taskgroup_end() { construct::end_taskgroup(team::self()); }

HEDDLE_EXPORT void omp_fulfill_event(uintptr_t event) {
    schedule::fulfill(*reinterpret_cast<schedule::TaskRecord*>(event));
}
/// Fortran passes the handle by value too.
HEDDLE_EXPORT void omp_fulfill_event_(uintptr_t event) { omp_fulfill_event(event); }
