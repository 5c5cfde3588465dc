// SPDX-License-Identifier: Apache-2.0
// GOMP_barrier, critical, atomic, ordered.
// Called by code that gcc generates, on each thread of the team.
#include "abi/export.hpp"
#include "construct/critical.hpp"
#include "construct/loop.hpp"
#include "schedule/wait.hpp"

using namespace heddle;

HEDDLE_EXPORT void GOMP_barrier() { schedule::wait_at_barrier(team::self()); }

HEDDLE_EXPORT void GOMP_critical_start() { construct::acquire(construct::unnamed_critical); }
HEDDLE_EXPORT void GOMP_critical_end() { construct::unnamed_critical.unlock(); }

HEDDLE_EXPORT void GOMP_critical_name_start(void** slot) {
    construct::acquire(*reinterpret_cast<concurrent::FutexLock*>(slot));
}
HEDDLE_EXPORT void GOMP_critical_name_end(void** slot) {
    reinterpret_cast<concurrent::FutexLock*>(slot)->unlock();
}

HEDDLE_EXPORT void GOMP_atomic_start() { construct::acquire_atomic_region(); }
HEDDLE_EXPORT void GOMP_atomic_end() { construct::atomic_region.unlock(); }

HEDDLE_EXPORT void GOMP_ordered_start() { construct::begin_ordered(team::self()); }
HEDDLE_EXPORT void GOMP_ordered_end() { construct::end_ordered(team::self()); }
