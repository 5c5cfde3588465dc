// SPDX-License-Identifier: Apache-2.0
// How long a wait may spin: the wait-policy ICV, GOMP_SPINCOUNT, and whether more threads of ours
// can run than CPUs are granted. Called by every wait above concurrent/.
// `borrowed` is changed when a nested team forms or dissolves, or one of a host thread that shares;
// relaxed, it is a statistic.
#pragma once

#include "concurrent/waiting.hpp"

namespace heddle::team {

struct CpuPressure {
    /// Pool threads in nested teams, CPUs that teams cannot use for their places, and where host
    /// threads share: the teams of all that are in a region but the first.
    platform::Atomic<int32_t> borrowed{0};
    platform::Atomic<uint64_t> relaxed_limits{0}; ///< spins << 32 | yields while CPUs suffice
    platform::Atomic<uint64_t> crowded_limits{0}; ///< the same when threads exceed CPUs
    platform::Atomic<int32_t> cpus{1};
    /// Host threads share the pool: each gives its team's threads back after the region. Written
    /// under the pool's lock; relaxed, for whoever misses a change does so for one region.
    platform::Atomic<uint32_t> shares{0};
    platform::Atomic<int32_t> hosts_in_regions{0}; ///< of those that share
};
extern CpuPressure cpu_pressure;

/// Reads the settings once; before the first wait.
void set_up_cpu_pressure();

/// Do more threads of ours run than CPUs are granted, with a team of this size?
inline bool is_crowded(int32_t team_size) {
    return team_size + cpu_pressure.borrowed.load(platform::relaxed) >
           cpu_pressure.cpus.load(platform::relaxed);
}

/// The bounds for an episode of waiting by a thread of a team of `team_size`.
inline concurrent::WaitLimits wait_limits(int32_t team_size) {
    const bool crowded = is_crowded(team_size);
    const uint64_t packed = (crowded ? cpu_pressure.crowded_limits : cpu_pressure.relaxed_limits)
                                .load(platform::relaxed);
    return {static_cast<uint32_t>(packed >> 32), static_cast<uint32_t>(packed)};
}

} // namespace heddle::team
