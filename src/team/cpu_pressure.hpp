// SPDX-License-Identifier: Apache-2.0
// How long a wait may spin: the wait-policy ICV, GOMP_SPINCOUNT, whether more threads of ours can
// run than CPUs are granted, and whether others run there. Called by every wait above concurrent/.
// `borrowed` is changed when a nested team forms or dissolves, or one of a host thread that shares;
// relaxed, it is a statistic.
#pragma once

#include "concurrent/waiting.hpp"

namespace heddle::team {

struct CpuPressure {
    /// Pool threads in nested teams, CPUs that teams cannot use for their places, and where host
    /// threads share: the teams of those that entered their region while another was in one.
    platform::Atomic<int32_t> borrowed{0};
    platform::Atomic<uint64_t> relaxed_limits{0}; ///< spins << 32 | yields while CPUs suffice
    platform::Atomic<uint64_t> crowded_limits{0}; ///< the same when threads exceed CPUs
    platform::Atomic<int32_t> cpus{1};
    /// Host threads share the pool: each gives its team's threads back after the region. Written
    /// under the pool's lock; relaxed, for whoever misses a change does so for one region.
    platform::Atomic<uint32_t> shares{0};
    platform::Atomic<int32_t> hosts_in_regions{0}; ///< of those that share
    concurrent::CpuShare cpu_share;                ///< of those CPUs: may we spin there?
};
extern CpuPressure cpu_pressure;

/// 1.6 us: whom we wait for may be running elsewhere. 20 us made ten processes 12% slower.
inline constexpr uint32_t shared_spins = 64;

/// By any thread. Reads the settings: before the first wait, and when one has changed. Spins that
/// go on under the old ones end soon.
void set_up_cpu_pressure();
/// In a forked child, which has this thread alone.
void forget_cpu_pressure_after_fork();

/// Are there more threads, with a team of this size, than CPUs granted?
inline bool exceeds_cpus(int32_t team_size) {
    return team_size + cpu_pressure.borrowed.load(platform::relaxed) >
           cpu_pressure.cpus.load(platform::relaxed);
}

/// Do more threads than may spin want to run, with a team of this size?
inline bool is_crowded(int32_t team_size) {
    return team_size + cpu_pressure.borrowed.load(platform::relaxed) >
           cpu_pressure.cpu_share.spinners();
}

/// The bounds for an episode of waiting by a thread of a team of `team_size`.
inline concurrent::WaitLimits wait_limits(int32_t team_size) {
    concurrent::CpuShare& share = cpu_pressure.cpu_share;
    bool crowded = is_crowded(team_size);
    if (HEDDLE_UNLIKELY(crowded && share.is_shared())) {
        share.look_at_time(platform::now_ns());
        if (share.is_shared())
            return {shared_spins, 0, &share}; // no yield: another process would get a whole slice
        crowded = is_crowded(team_size);
    }
    const uint64_t packed = (crowded ? cpu_pressure.crowded_limits : cpu_pressure.relaxed_limits)
                                .load(platform::relaxed);
    return {static_cast<uint32_t>(packed >> 32), static_cast<uint32_t>(packed), &share};
}

/// Polls where nobody has promised that the wait ends soon: 4 ms, as long as libgomp spins. Between
/// regions: one after a serial part of 1 ms finds its threads awake (30 us a region otherwise), and
/// an idle process is quiet soon after. For a lock: only who sleeps is let in before newcomers.
inline constexpr uint32_t brief_spins = 150'000;

/// The same for a thread that waits for a region, or for a lock.
inline concurrent::WaitLimits brief_wait_limits(int32_t team_size) {
    concurrent::WaitLimits limits = wait_limits(team_size);
    if (limits.spins > brief_spins && limits.share->adapts())
        limits.spins = brief_spins;
    return limits;
}

} // namespace heddle::team
