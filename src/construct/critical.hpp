// SPDX-License-Identifier: Apache-2.0
// The critical construct and the runtime's atomic region (OpenMP 5.2 sections 15.2, 15.8.4).
// Called by the ABI layers. A named critical locks in place, in the zeroed word the compiler emits,
// which all shared objects of the process have in common.
#pragma once

#include "concurrent/futex_lock.hpp"
#include "team/cpu_pressure.hpp"
#include "team/team.hpp"
#include "tool/events.hpp"

namespace heddle::construct {

/// For atomic operations that the hardware lacks.
struct alignas(concurrent::cache_line) AtomicRegion {
    concurrent::FutexLock lock;
    platform::Atomic<uint32_t> pauses{0}; ///< what the next to wait begins with: a hint, relaxed
};

extern concurrent::FutexLock unnamed_critical;
extern AtomicRegion atomic_region;

/// Somebody holds the lock.
void await_lock(concurrent::FutexLock& lock, tool::WaitKind kind);

/// `kind`: what the lock is called while the thread waits.
inline void acquire(concurrent::FutexLock& lock, tool::WaitKind kind = tool::WaitKind::critical) {
    if (platform::own::has_locks()) // to try first would only cost time
        return lock.lock({0, 0});
    if (HEDDLE_UNLIKELY(!lock.try_lock()))
        await_lock(lock, kind);
}

/// Somebody is in the atomic region, which is a few instructions long: the thread stays off its
/// line meanwhile.
void await_atomic_region();

inline void acquire_atomic_region() {
    if (platform::own::has_locks())
        return acquire(atomic_region.lock);
    if (HEDDLE_UNLIKELY(!atomic_region.lock.try_lock()))
        await_atomic_region();
}

} // namespace heddle::construct
