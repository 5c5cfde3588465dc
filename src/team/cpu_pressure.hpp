// SPDX-License-Identifier: Apache-2.0
// How long a wait may spin: the wait-policy ICV, GOMP_SPINCOUNT, whether more threads of ours can
// run than CPUs are granted, and whether others run there. Called by every wait above concurrent/.
// `borrowed` is changed when a nested team forms or dissolves, where places deny a team CPUs and
// when its thread of the user ends, and by hosts; relaxed, it is a statistic.
#pragma once

#include "concurrent/waiting.hpp"

#include <algorithm>

namespace heddle::team {

/// Which hosts give their threads back to the pool after a region, for there would be too many:
/// nobody; those with long regions while no other is in one, for a thread that is awake serves all;
/// also when there are several at once; all of them.
enum class Shares : uint32_t { nobody, in_turn, long_regions, all_regions };

struct CpuPressure {
    /// Pool threads in nested teams, CPUs that teams cannot use for their places, and `rivals`.
    platform::Atomic<int32_t> borrowed{0};
    platform::Atomic<uint64_t> relaxed_limits{0}; ///< spins << 32 | yields while CPUs suffice
    platform::Atomic<uint64_t> crowded_limits{0}; ///< the same when threads exceed CPUs
    platform::Atomic<uint32_t> lock_spins{0};     ///< at most, for a lock, where nothing adapts
    platform::Atomic<int32_t> cpus{1};
    // Several threads of the program open regions: team/hosts.hpp.
    platform::Atomic<uint32_t> several_hosts{0}; ///< 1: they do
    /// Written under the pool's lock; who misses a change does so for one region.
    platform::Atomic<Shares> shares{Shares::nobody};
    platform::Atomic<uint32_t> hosts_in_turn{
        0}; ///< 1: one in a region at a time, as far as is known
    platform::Atomic<int32_t> hosts_at_once{1}; ///< that are in regions, as a rule
    platform::Atomic<int32_t> rivals{0}; ///< threads that others' teams have beside one's own
    concurrent::CpuShare cpu_share;      ///< of those CPUs: may we spin there?
    /// The same where the settings say how to wait: may threads that exceed the CPUs yield there?
    concurrent::CpuShare crowd_share;
};
extern CpuPressure cpu_pressure;

/// By default. A poll with its pause takes about 25 ns, so this is 11 ms: longer than the time
/// slice of another process that has the CPU of whom we wait for. Who sleeps before that one goes
/// on leaves its CPU idle; Linux moves the other process there, where it is in the way of the next
/// wake-up: in a chain of 64 barriers beside a process that computes, for ten slices.
inline constexpr uint32_t default_spins = 440'000;

/// 1.6 us: whom we wait for may be running elsewhere. 20 us made ten processes 12% slower.
inline constexpr uint32_t shared_spins = 64;

/// By any thread. Reads the settings: before the first wait, and when one has changed. Spins that
/// go on under the old ones end soon.
void set_up_cpu_pressure();
/// In a forked child, which has this thread alone.
void forget_cpu_pressure_after_fork();

/// How many of `cpus` the team of one host has, where several are in regions.
inline int32_t share_of_host(int32_t cpus) {
    const int32_t hosts = cpu_pressure.hosts_at_once.load(platform::relaxed);
    if (HEDDLE_LIKELY(hosts <= 1))
        return cpus;
    const int32_t share = (cpus + hosts / 2) / hosts;
    return share < 1 ? 1 : share;
}

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

/// The bounds for an episode of waiting where all that want to run may spin.
inline concurrent::WaitLimits relaxed_wait_limits() {
    const uint64_t packed = cpu_pressure.relaxed_limits.load(platform::relaxed);
    return {static_cast<uint32_t>(packed >> 32), static_cast<uint32_t>(packed),
            &cpu_pressure.cpu_share};
}

/// The same for a team of `team_size` that is_crowded(), or has been a moment ago.
concurrent::WaitLimits crowded_wait_limits(int32_t team_size);

/// The bounds for an episode of waiting by a thread of a team of `team_size`.
inline concurrent::WaitLimits wait_limits(int32_t team_size) {
    return HEDDLE_UNLIKELY(is_crowded(team_size)) ? crowded_wait_limits(team_size)
                                                  : relaxed_wait_limits();
}

/// Polls where nobody has promised that the wait ends soon: 4 ms, as long as libgomp spins. Between
/// regions: one after a serial part of 1 ms finds its threads awake (30 us a region otherwise), and
/// an idle process is quiet soon after. For a lock: only who sleeps is let in before newcomers.
inline constexpr uint32_t brief_spins = 150'000;
/// The same for yields, each of which may take a time slice; and the least of any crowd.
inline constexpr uint32_t brief_yields = 16;
/// The most of one.
inline constexpr uint32_t most_yields = 1000;

/// The same as `limits`, but no policy lets it go on for ever.
inline concurrent::WaitLimits bounded(concurrent::WaitLimits limits) {
    limits.spins = std::min(limits.spins, default_spins);
    limits.yields = std::min(limits.yields, most_yields);
    return limits;
}

/// wait_limits() for a thread that waits for a lock.
inline concurrent::WaitLimits brief_wait_limits(int32_t team_size) {
    concurrent::WaitLimits limits = wait_limits(team_size);
    if (cpu_pressure.cpu_share.adapts()) {
        limits.spins = std::min(limits.spins, brief_spins);
        limits.yields = std::min(limits.yields, brief_yields);
        return limits;
    }
    if (limits.yields == 0) // not crowded
        limits.spins = std::min(limits.spins, cpu_pressure.lock_spins.load(platform::relaxed));
    return limits.yields == concurrent::for_ever ? bounded(limits) : limits;
}

/// Of threads whose host takes turns with others, 1 ms and more. Those of all of them are more than
/// the CPUs, but when the next host is woken it finds a CPU that is not idle, and its threads
/// awake: with two hosts on two CPUs a region of 10 us and that take 13 us, and 37 if all sleep.
inline constexpr uint32_t turn_yields = 3000;

/// wait_limits() for a thread that waits for a region. With other teams about, it may not be needed
/// for some time: it yields briefly.
inline concurrent::WaitLimits region_wait_limits(int32_t team_size) {
    concurrent::WaitLimits limits = wait_limits(team_size);
    if (!cpu_pressure.cpu_share.adapts()) {
        if (!cpu_pressure.cpu_share.has_room())
            limits.spins = std::min(limits.spins, brief_spins);
        return limits;
    }
    limits.spins = std::min(limits.spins, brief_spins);
    if (HEDDLE_UNLIKELY(cpu_pressure.hosts_in_turn.load(platform::relaxed) != 0) &&
        limits.yields != 0)
        limits.yields = turn_yields;
    else if (cpu_pressure.borrowed.load(platform::relaxed) != 0)
        limits.yields = std::min(limits.yields, brief_yields);
    return limits;
}

} // namespace heddle::team
