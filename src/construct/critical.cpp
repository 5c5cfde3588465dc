// SPDX-License-Identifier: Apache-2.0
// The two locks every program shares, each in a cache line of its own, and waiting for a lock.
#include "construct/critical.hpp"

#include "team/watching.hpp"

namespace heddle::construct {

alignas(concurrent::cache_line) concurrent::FutexLock unnamed_critical;
alignas(concurrent::cache_line) concurrent::FutexLock atomic_region;

void await_lock(concurrent::FutexLock& lock, tool::WaitKind kind) {
    team::Member& member = team::self();
    const team::WatchedWait watched(member, kind, &lock);
    lock.lock(team::brief_wait_limits(member.team_size));
}

} // namespace heddle::construct
