// SPDX-License-Identifier: Apache-2.0
// GOMP_barrier, critical, atomic, ordered.
// Called by code that gcc generates, on each thread of the team.
#include "abi/export.hpp"
#include "construct/critical.hpp"
#include "construct/told_mutex.hpp"
#include "construct/told_ordered.hpp"
#include "schedule/wait.hpp"

using namespace heddle;

static __attribute__((noinline)) void wait_as_new_thread() {
    schedule::wait_at_barrier(team::self());
}

HEDDLE_EXPORT void GOMP_barrier() {
    team::Member* const member = team::self_or_null();
    if (HEDDLE_LIKELY(member != nullptr))
        schedule::wait_at_barrier(*member);
    else
        wait_as_new_thread();
}

namespace {

/// A critical construct; a tool hears where the program entered it.
[[gnu::always_inline]] inline void lock(concurrent::FutexLock& critical) {
    if (HEDDLE_UNLIKELY(tool::has_tool()))
        return construct::told_lock(critical, ompt_mutex_critical, tool::WaitKind::critical,
                                    __builtin_return_address(0));
    construct::acquire(critical);
}

[[gnu::always_inline]] inline void unlock(concurrent::FutexLock& critical) {
    construct::release(critical, ompt_mutex_critical, __builtin_return_address(0));
}

} // namespace

HEDDLE_EXPORT void GOMP_critical_start() { lock(construct::unnamed_critical); }
HEDDLE_EXPORT void GOMP_critical_end() { unlock(construct::unnamed_critical); }

HEDDLE_EXPORT void GOMP_critical_name_start(void** slot) {
    lock(*reinterpret_cast<concurrent::FutexLock*>(slot));
}
HEDDLE_EXPORT void GOMP_critical_name_end(void** slot) {
    unlock(*reinterpret_cast<concurrent::FutexLock*>(slot));
}

HEDDLE_EXPORT void GOMP_atomic_start() {
    if (HEDDLE_UNLIKELY(tool::has_tool()))
        return construct::told_lock(construct::atomic_region.lock, ompt_mutex_atomic,
                                    tool::WaitKind::critical, __builtin_return_address(0));
    construct::acquire_atomic_region();
}
HEDDLE_EXPORT void GOMP_atomic_end() {
    construct::release(construct::atomic_region.lock, ompt_mutex_atomic,
                       __builtin_return_address(0));
}

HEDDLE_EXPORT void GOMP_ordered_start() {
    construct::tell_and_begin_ordered(team::self(), __builtin_return_address(0));
}
HEDDLE_EXPORT void GOMP_ordered_end() {
    construct::tell_and_end_ordered(team::self(), __builtin_return_address(0));
}
