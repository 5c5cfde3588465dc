// SPDX-License-Identifier: Apache-2.0
// GOMP_task, taskwait, taskyield, taskgroup.
// Called by code that gcc generates, on the encountering thread. Older compilers pass fewer
// arguments, so those after `flags` are read only when their flag says that they are there.
#include "construct/task.hpp"

#include "abi/export.hpp"
#include "construct/taskgroup.hpp"

using namespace heddle;

namespace {

/// Bits of GOMP_task's `flags`, as gcc sets them.
enum TaskFlag : unsigned {
    untied = 1,
    final = 2,
    mergeable = 4,
    depend = 8,
    priority = 16,
    detach = 8192,
};

/// All but plain tasks: final, with a copy function, undeferred, or with what is not there yet.
[[gnu::noinline]] void task_with_clauses(void (*function)(void*), void* data,
                                         void (*copy)(void*, void*), long size, long alignment,
                                         bool if_clause, unsigned flags) {
    if (flags & depend)
        platform::die("GOMP_task: the depend clause is not supported yet");
    if (flags & detach)
        platform::die("GOMP_task: the detach clause is not supported yet");
    construct::general_task(team::self(),
                            {function, data, copy, static_cast<size_t>(size),
                             static_cast<size_t>(alignment), (flags & untied) != 0,
                             (flags & final) != 0},
                            if_clause);
}

} // namespace

HEDDLE_EXPORT void GOMP_task(void (*function)(void*), void* data, void (*copy)(void*, void*),
                             long size, long alignment, bool if_clause, unsigned flags,
                             void** /*depend*/, int /*priority*/, void* /*detach*/) {
    team::Member* member = team::self_or_null();
    constexpr unsigned plain = untied | mergeable | priority;
    if (HEDDLE_UNLIKELY(!member || copy || (flags & ~plain))) {
        task_with_clauses(function, data, copy, size, alignment, if_clause, flags);
        return;
    }
    construct::task(*member, function, data, static_cast<size_t>(size),
                    static_cast<size_t>(alignment), (flags & untied) != 0, if_clause);
}

HEDDLE_EXPORT void GOMP_taskwait() {
    if (team::Member* member = team::self_or_null())
        construct::taskwait(*member);
}

HEDDLE_EXPORT void GOMP_taskyield() { construct::taskyield(team::self()); }

HEDDLE_EXPORT void GOMP_taskgroup_start() { construct::begin_taskgroup(team::self()); }

HEDDLE_EXPORT void GOMP_taskgroup_end() { construct::end_taskgroup(team::self()); }
