// SPDX-License-Identifier: Apache-2.0
// GOMP_task, taskwait, taskyield, taskgroup; omp_fulfill_event.
// Called by code that gcc generates, on the encountering thread. Older compilers pass fewer
// arguments, so those after `flags` are read only when their flag says that they are there.
#include "construct/task.hpp"

#include "abi/export.hpp"
#include "abi/gomp/depend.hpp"
#include "abi/gomp/task_flags.hpp"
#include "construct/call_task.hpp"
#include "construct/taskgroup.hpp"

using namespace heddle;
namespace flag = abi::task_flag;

namespace {

constexpr unsigned plain = flag::untied | flag::mergeable;

/// detach: the handle goes to the variable and into the first captured word.
void give_event(team::Member& member, void*& variable, void* data, schedule::TaskClauses& clauses) {
    clauses.event = &schedule::make_event(member);
    variable = *static_cast<void**>(data) = clauses.event;
}

void create(const schedule::NewTask& task, bool if_clause, const schedule::TaskClauses& clauses) {
    construct::general_task(team::self(), task, if_clause, clauses);
}

[[gnu::noinline]] void task_with_clauses(void (*function)(void*), void* data,
                                         void (*copy)(void*, void*), long size, long alignment,
                                         bool if_clause, unsigned flags, void** const* depend,
                                         const int* priority, void* const* detach,
                                         const void* code) {
    team::Member& member = team::self();
    const team::ToldEntry entry(member, {code, HEDDLE_CALLER.frame}); // below its frame
    // With no unfinished child there is none to wait for: the addresses need not be looked at.
    if (!copy && (flags & ~plain) == flag::depend && schedule::runs_at_once(member) &&
        !schedule::has_unfinished_children(*member.current)) {
        schedule::run_now(member, function, data, flags & flag::untied);
        return;
    }
    const bool final = (flags & flag::final) != 0;
    // Nobody is hungry, and neither priorities nor cancellation need attention.
    const bool at_once = !(flags & (flag::depend | flag::detach)) && schedule::runs_at_once(member);
    if (at_once && !copy && (!final || member.current->context()->final)) {
        schedule::run_now(member, function, data, flags & flag::untied);
        return;
    }
    const schedule::NewTask task{function,
                                 data,
                                 copy,
                                 static_cast<size_t>(size),
                                 static_cast<size_t>(alignment),
                                 (flags & flag::untied) != 0,
                                 final};
    if (at_once) {
        schedule::run_undeferred(member, task);
        return;
    }
    schedule::TaskClauses clauses;
    if (flags & flag::priority)
        clauses.priority = *priority;
    if (flags & flag::detach)
        give_event(member, *static_cast<void**>(*detach), data, clauses);
    if (!(flags & flag::depend)) {
        create(task, if_clause, clauses);
        return;
    }
    const abi::DependList list(*depend);
    clauses.dependences = list.get();
    create(task, if_clause, clauses);
}

/// All but plain tasks. The arguments after `flags` come by address: GOMP_task would otherwise load
/// them into registers, and save those, for every plain task (12 instructions of 52). Those that
/// only a copy function keeps from being plain run at once here, where few registers are saved.
[[gnu::noinline]] void task_not_plain(void (*function)(void*), void* data,
                                      void (*copy)(void*, void*), long size, long alignment,
                                      bool if_clause, unsigned flags, void** const* depend,
                                      const int* priority, void* const* detach, const void* code) {
    team::Member* member = team::self_or_null();
    if (HEDDLE_UNLIKELY(!member || !copy || (flags & ~plain) || !schedule::runs_at_once(*member) ||
                        size > static_cast<long>(schedule::largest_stack_copy))) {
        task_with_clauses(function, data, copy, size, alignment, if_clause, flags, depend, priority,
                          detach, code);
        return;
    }
    schedule::run_on_stack(
        *member, function, static_cast<size_t>(size), static_cast<size_t>(alignment),
        (member->current->context_bits & ~team::Frame::own_bits) | (flags & flag::untied),
        [copy, data](void* room) { copy(room, data); });
}

} // namespace

// Aligned, for the linker puts it anywhere else: 48 bytes into a line fib takes 9 % longer.
HEDDLE_EXPORT __attribute__((aligned(64))) void GOMP_task(void (*function)(void*), void* data,
                                                          void (*copy)(void*, void*), long size,
                                                          long alignment, bool if_clause,
                                                          unsigned flags, void** depend,
                                                          int priority, void* detach) {
    team::Member* member = team::self_or_null();
    if (HEDDLE_UNLIKELY(!member || copy || (flags & ~plain))) {
        task_not_plain(function, data, copy, size, alignment, if_clause, flags, &depend, &priority,
                       &detach, __builtin_return_address(0));
        return;
    }
    construct::task(*member, function, data, static_cast<size_t>(size),
                    static_cast<size_t>(alignment), flags & flag::untied, if_clause);
}

HEDDLE_EXPORT void GOMP_taskwait() {
    if (team::Member* member = team::self_or_null())
        construct::taskwait(*member);
}

HEDDLE_EXPORT void GOMP_taskwait_depend(void** depend) {
    const abi::DependList list(depend);
    team::Member& member = team::self();
    const team::ToldEntry entry(member, HEDDLE_CALLER);
    schedule::wait_for_dependences(member, list.get());
}

/// taskwait with depend and nowait: an empty task that later siblings may depend on (gcc 13).
HEDDLE_EXPORT void GOMP_taskwait_depend_nowait(void** depend) {
    const abi::DependList list(depend);
    team::Member& member = team::self();
    const team::ToldEntry entry(member, HEDDLE_CALLER);
    construct::Call nothing{__builtin_return_address(0)};
    construct::general_task(member, construct::call_task(nothing), true, {list.get()});
}

HEDDLE_EXPORT void GOMP_taskyield() {
    team::Member& member = team::self();
    const team::ToldEntry entry(member, HEDDLE_CALLER);
    construct::taskyield(member);
}

namespace {
[[gnu::noinline]] void begin_told_taskgroup(team::Member& member, team::Caller caller) {
    const team::ToldEntry entry(member, caller);
    construct::tell_and_open_taskgroup(member);
}
[[gnu::noinline]] void end_told_taskgroup(team::Member& member, team::Caller caller) {
    const team::ToldEntry entry(member, caller);
    construct::tell_and_close_taskgroup(member);
}
} // namespace

HEDDLE_EXPORT void GOMP_taskgroup_start() {
    team::Member& member = team::self();
    if (HEDDLE_UNLIKELY(team::tells(member)))
        return begin_told_taskgroup(member, HEDDLE_CALLER);
    construct::open_taskgroup(member);
}

HEDDLE_EXPORT void GOMP_taskgroup_end() {
    team::Member& member = team::self();
    if (HEDDLE_UNLIKELY(team::tells(member)))
        return end_told_taskgroup(member, HEDDLE_CALLER);
    construct::close_taskgroup(member);
}

HEDDLE_EXPORT void omp_fulfill_event(uintptr_t event) {
    schedule::fulfill(*reinterpret_cast<schedule::TaskRecord*>(event));
}
/// Fortran passes the handle by value too.
HEDDLE_EXPORT void omp_fulfill_event_(uintptr_t event) { omp_fulfill_event(event); }
