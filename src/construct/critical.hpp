// SPDX-License-Identifier: Apache-2.0
// The critical construct and the runtime's atomic region (OpenMP 5.2 sections 15.2, 15.8.4).
// Called by the ABI layers. A named critical locks in place, in the zeroed word the compiler emits,
// which all shared objects of the process have in common.
#pragma once

#include "concurrent/futex_lock.hpp"
#include "team/cpu_pressure.hpp"
#include "team/team.hpp"

namespace heddle::construct {

extern concurrent::FutexLock unnamed_critical;
extern concurrent::FutexLock atomic_region;

inline void acquire(concurrent::FutexLock& lock) {
    if (HEDDLE_UNLIKELY(!lock.try_lock()))
        lock.lock(team::wait_limits(team::self().team_size));
}

} // namespace heddle::construct
