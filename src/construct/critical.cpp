// SPDX-License-Identifier: Apache-2.0
// The two locks every program shares, each in a cache line of its own, and waiting for a lock.
#include "construct/critical.hpp"

#include "team/watching.hpp"

namespace heddle::construct {

alignas(concurrent::cache_line) concurrent::FutexLock unnamed_critical;
AtomicRegion atomic_region;

void await_lock(concurrent::FutexLock& lock, tool::WaitKind kind) {
    team::Member& member = team::self();
    const team::WatchedWait watched(member, kind, &lock);
    lock.lock(team::brief_wait_limits(member.team_size));
}

// The pauses become longer until the region is free, so that others run through it many times
// before its line moves; the next to wait begins with half of the last one, for as many want it.
void await_atomic_region() {
    constexpr uint32_t fewest = 4, most = 128;
    const uint32_t hint = atomic_region.pauses.load(platform::relaxed);
    for (uint32_t pauses = hint < fewest ? fewest : hint; pauses <= most; pauses *= 2) {
        for (uint32_t i = 0; i < pauses; ++i)
            platform::relax();
        if (!atomic_region.lock.try_lock())
            continue;
        if (hint != pauses / 2)
            atomic_region.pauses.store(pauses / 2, platform::relaxed);
        return;
    }
    acquire(atomic_region.lock);
}

} // namespace heddle::construct
