// SPDX-License-Identifier: Apache-2.0
// The limits behind wait_limits(), from OMP_WAIT_POLICY, GOMP_SPINCOUNT and the CPU budget.
// Called when a thread is attached, and when kmp_set_blocktime() has changed how long waits spin.
#include "team/cpu_pressure.hpp"

#include "concurrent/futex_lock.hpp"
#include "config/kmp_runtime.hpp"

namespace heddle::team {

CpuPressure cpu_pressure;

namespace {

constexpr uint64_t pack(uint64_t spins, uint64_t yields) { return spins << 32 | yields; }

// With more threads than CPUs the thread waited for is probably not running: let it. Without yields
// scikit-learn's trees on 8 threads and 2 CPUs take 2.5 times as long; without polls before them, a
// program of LLVM's suite whose threads wait in its own code as well takes 50 s instead of 3. Where
// yields are short, though, polls only add to them: there crowded_wait_limits() allows fewer.
constexpr uint64_t crowded_spins = 64, crowded_yields = brief_yields;
// Whom Linux wakes it also moves, and a CPU idles meanwhile: GROMACS with four threads on two CPUs
// slept 1,200 to 2,500 times a second and moved 60 to 140 times, and is slower for it. So all of a
// team together yield for about a millisecond of each CPU before they sleep.
constexpr int32_t yields_of_a_cpu = 2000;
constexpr uint32_t most_spins = 0xffffffff;
// Passive threads spin for as long as it takes to sleep and be woken: one that sleeps sooner comes
// too late at the next barrier, where the other then sleeps as well, and so on. Not for a lock: of
// two threads that take it all the time one sleeps meanwhile, and its line stays with the other.
constexpr uint32_t passive_spins = concurrent::SpinBudget::least, passive_lock_spins = 0;

/// One thread at a time sets the limits, so that the last one sets what it read last.
concurrent::FutexLock setting;

void set_limits() {
    const config::Settings& settings = config::settings();
    const config::WaitPolicy policy = config::wait_policy(settings);
    const int64_t spin_count = config::spin_count(settings);
    uint64_t spins = default_spins, yields = 0;
    uint64_t spins_crowded = crowded_spins, yields_crowded = crowded_yields;
    if (policy == config::WaitPolicy::active) {
        spins = most_spins;
        yields_crowded = most_yields; // and then they sleep: who is in whose way is not known
    } else if (policy == config::WaitPolicy::passive) {
        spins = passive_spins;
        spins_crowded = concurrent::Waiting::eager_tries;
        yields_crowded = brief_yields;
    }
    if (spin_count >= 0) {
        const auto count = static_cast<uint64_t>(spin_count);
        spins = count < most_spins ? count : most_spins;
        spins_crowded = spins < crowded_spins ? spins : crowded_spins;
        if (yields_crowded > crowded_yields)
            yields_crowded = crowded_yields;
    }
    const uint64_t most_tries = spins;
    if (spins == most_spins) { // or whom it waits for would not get this very CPU
        spins = default_spins;
        yields = concurrent::for_ever;
    }
    const bool is_passive = policy == config::WaitPolicy::passive && spin_count < 0;
    cpu_pressure.lock_spins.store(is_passive ? passive_lock_spins : most_spins, platform::relaxed);
    cpu_pressure.cpus.store(settings.available_cpus, platform::relaxed);
    cpu_pressure.relaxed_limits.store(pack(spins, yields), platform::relaxed);
    cpu_pressure.crowded_limits.store(pack(spins_crowded, yields_crowded), platform::relaxed);
    cpu_pressure.cpu_share.set(settings.available_cpus,
                               policy == config::WaitPolicy::unset && spin_count < 0,
                               static_cast<uint32_t>(most_tries));
    cpu_pressure.crowd_share.set(settings.available_cpus, true, static_cast<uint32_t>(most_tries));
}

uint32_t team_yields(int32_t team_size) {
    const int32_t cpus = cpu_pressure.cpus.load(platform::relaxed);
    const int32_t threads = team_size + cpu_pressure.borrowed.load(platform::relaxed);
    const int64_t yields = int64_t{yields_of_a_cpu} * cpus / std::max(threads, 1);
    return static_cast<uint32_t>(std::clamp<int64_t>(yields, crowded_yields, most_yields));
}

/// Are the CPUs others' still, by now?
bool is_still_shared(concurrent::CpuShare& share) {
    if (HEDDLE_LIKELY(!share.is_shared()))
        return false;
    share.look_at_time(platform::now_ns());
    return share.is_shared();
}

/// Who asks for a policy yields by it, but to threads of ours: another process that computes would
/// get a whole slice each time, and whoever sleeps is let in before it.
concurrent::WaitLimits without_yields_to_others(concurrent::WaitLimits limits) {
    concurrent::CpuShare& share = cpu_pressure.crowd_share;
    if (limits.yields == 0)
        return limits;
    limits.share = &share;
    if (is_still_shared(share))
        limits.yields = 0;
    return limits;
}

} // namespace

concurrent::WaitLimits crowded_wait_limits(int32_t team_size) {
    concurrent::CpuShare& share = cpu_pressure.cpu_share;
    if (!is_crowded(team_size))
        return relaxed_wait_limits();
    if (is_still_shared(share))
        return {shared_spins, 0, &share}; // no yield: another process would get a whole slice
    const uint64_t packed = cpu_pressure.crowded_limits.load(platform::relaxed);
    concurrent::WaitLimits limits{static_cast<uint32_t>(packed >> 32),
                                  static_cast<uint32_t>(packed), &share};
    if (!share.adapts())
        return without_yields_to_others(limits);
    limits.yields = team_yields(team_size);
    // Who yields soon lets a team of eight meet on two CPUs in 6 us, and in 10 with all polls. Of
    // hosts in turn some threads are between regions, and those that are not meet by polls.
    if (!share.yield_times.are_long() && cpu_pressure.hosts_in_turn.load(platform::relaxed) == 0)
        limits.spins = concurrent::Waiting::eager_tries;
    return limits;
}

void set_up_cpu_pressure() {
    const concurrent::LockGuard guard(setting);
    set_limits();
}

void forget_cpu_pressure_after_fork() {
    ::new (&setting) concurrent::FutexLock; // its holder may be a thread that is no more
    cpu_pressure.borrowed.store(0, platform::relaxed);
    cpu_pressure.cpu_share.forget();
    cpu_pressure.crowd_share.forget();
}

} // namespace heddle::team
