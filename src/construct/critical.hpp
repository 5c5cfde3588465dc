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

extern concurrent::FutexLock unnamed_critical;
extern concurrent::FutexLock atomic_region;

/// Somebody holds the lock.
void await_lock(concurrent::FutexLock& lock, tool::WaitKind kind);

/// `kind`: what the lock is called while the thread waits.
inline void acquire(concurrent::FutexLock& lock, tool::WaitKind kind = tool::WaitKind::critical) {
    if (platform::own::has_locks()) // to try first would only cost time
        return lock.lock({0, 0});
    if (HEDDLE_UNLIKELY(!lock.try_lock()))
        await_lock(lock, kind);
}

/// The atomic region is a few instructions long: who finds it taken stays off its line meanwhile,
/// for longer and longer, so that others run through it many times before the line moves.
inline void acquire_atomic_region() {
    if (platform::own::has_locks())
        return acquire(atomic_region);
    for (int pauses = 4; pauses <= 128; pauses *= 2) {
        if (HEDDLE_LIKELY(atomic_region.try_lock()))
            return;
        for (int i = 0; i < pauses; ++i)
            platform::relax();
    }
    acquire(atomic_region);
}

} // namespace heddle::construct
