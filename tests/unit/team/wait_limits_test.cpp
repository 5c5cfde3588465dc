// SPDX-License-Identifier: Apache-2.0
// How long waits may spin, by where the thread waits and by the policy.
#include "config/kmp_runtime.hpp"
#include "team/cpu_pressure.hpp"
#include "team/stand_in.hpp"

#include <gtest/gtest.h>

namespace {

using namespace heddle;

class WaitLimits : public testing::Test {
protected:
    static void set(config::WaitPolicy policy) {
        team::self(); // attaching looks at the settings, too
        config::set_wait_policy(policy);
        team::set_up_cpu_pressure();
    }
    static uint32_t inside() { return team::wait_limits(1).spins; }
    static uint32_t between() { return team::region_wait_limits(1).spins; }
    static uint32_t for_lock() { return team::brief_wait_limits(1).spins; }
};

TEST_F(WaitLimits, AdaptiveWaitsInsideOutlastASliceAndThoseBetweenDoNot) {
    constexpr uint32_t slice_ns = 10'000'000; // where the system's clock ticks 100 times a second
    set(config::WaitPolicy::unset);
    EXPECT_GT(inside(), slice_ns / concurrent::poll_ns);
    EXPECT_EQ(between(), team::brief_spins);
    EXPECT_LT(between(), slice_ns / 2 / concurrent::poll_ns);
}

TEST_F(WaitLimits, WhoAsksForAPolicyHasItEverywhere) {
    set(config::WaitPolicy::active);
    EXPECT_EQ(inside(), for_lock());
    EXPECT_EQ(inside(), between());
    EXPECT_GT(between(), team::brief_spins);
    set(config::WaitPolicy::unset);
}

/// Or threads that sleep make each other sleep for ever.
TEST_F(WaitLimits, PassiveThreadsSpinForAsLongAsAWakeUpTakes) {
    set(config::WaitPolicy::passive);
    EXPECT_EQ(inside(), concurrent::SpinBudget::least);
    EXPECT_EQ(between(), inside());
    EXPECT_EQ(for_lock(), 0u);
    set(config::WaitPolicy::unset);
    EXPECT_EQ(for_lock(), team::brief_spins);
}

TEST_F(WaitLimits, ACrowdHardlySpins) {
    set(config::WaitPolicy::unset);
    EXPECT_LE(team::wait_limits(1 << 20).spins, team::shared_spins);
    EXPECT_LE(team::brief_wait_limits(1 << 20).spins, team::shared_spins);
}

TEST_F(WaitLimits, ACrowdPollsMoreWhereYieldsTakeLong) {
    concurrent::YieldTimes& times = team::cpu_pressure.cpu_share.yield_times;
    set(config::WaitPolicy::unset);
    times.forget();
    const uint32_t few = team::wait_limits(1 << 20).spins;
    times.note(0, 4 * concurrent::YieldTimes::long_ns);
    EXPECT_GT(team::wait_limits(1 << 20).spins, few);
    EXPECT_GT(team::brief_wait_limits(1 << 20).spins, few);
    set(config::WaitPolicy::passive);
    EXPECT_LE(team::wait_limits(1 << 20).spins, few) << "who asks for a policy has it";
    times.forget();
    set(config::WaitPolicy::unset);
}

/// Sets a number of CPUs for a while.
class Cpus {
public:
    explicit Cpus(int32_t cpus) {
        team::cpu_pressure.cpus.store(cpus, platform::relaxed);
        team::cpu_pressure.cpu_share.set(cpus, true, 1000);
    }
    ~Cpus() { team::set_up_cpu_pressure(); }
};

TEST_F(WaitLimits, ACrowdTogetherYieldsForAWhileOfEachCpu) {
    set(config::WaitPolicy::unset);
    const Cpus cpus(4);
    const uint32_t few = team::wait_limits(16).yields;
    EXPECT_EQ(team::wait_limits(8).yields, 2 * few);
    EXPECT_EQ(team::wait_limits(5).yields, team::wait_limits(6).yields) << "the most";
    EXPECT_EQ(team::wait_limits(1 << 20).yields, team::brief_yields) << "the least";
    EXPECT_EQ(team::wait_limits(4).yields, 0u) << "no crowd";
    EXPECT_EQ(team::brief_wait_limits(8).yields, team::brief_yields);
    EXPECT_EQ(team::region_wait_limits(8).yields, 2 * few);
    team::cpu_pressure.borrowed.store(1, platform::relaxed);
    EXPECT_EQ(team::region_wait_limits(8).yields, team::brief_yields) << "other teams";
    team::cpu_pressure.borrowed.store(0, platform::relaxed);
}

TEST_F(WaitLimits, WhoAsksForAPolicyYieldsByIt) {
    set(config::WaitPolicy::passive);
    EXPECT_EQ(team::wait_limits(1 << 20).yields, team::brief_yields);
    EXPECT_EQ(team::region_wait_limits(1 << 20).yields, team::brief_yields);
    set(config::WaitPolicy::active);
    EXPECT_GT(team::brief_wait_limits(1 << 20).yields, team::brief_yields);
    set(config::WaitPolicy::unset);
}

/// They would have a whole slice each time.
TEST_F(WaitLimits, NobodyYieldsToOthersWhateverThePolicy) {
    concurrent::CpuShare& share = team::cpu_pressure.crowd_share;
    for (const config::WaitPolicy policy :
         {config::WaitPolicy::active, config::WaitPolicy::passive}) {
        set(policy);
        const concurrent::WaitLimits before = team::wait_limits(1 << 20);
        const uint32_t fitting = inside();
        const uint64_t slice = concurrent::slice_ns;
        const uint64_t later = platform::now_ns() + 1'000'000 * slice; // than this test takes
        share.interrupted(later, slice); // as Waiting finds out, by a yield
        EXPECT_EQ(team::wait_limits(1 << 20).yields, 0u);
        EXPECT_EQ(team::wait_limits(1 << 20).spins, before.spins);
        EXPECT_EQ(inside(), fitting) << "no crowd";
        share.look_at_time(later + 1'000 * slice);
        EXPECT_EQ(team::wait_limits(1 << 20).yields, before.yields) << "it is tried again";
        share.forget();
    }
    set(config::WaitPolicy::unset);
}

TEST_F(WaitLimits, AForkedChildHasForgottenWhoHadTheCpus) {
    set(config::WaitPolicy::unset);
    const concurrent::WaitLimits before = team::wait_limits(1 << 20);
    const uint64_t slice = concurrent::slice_ns;
    const uint64_t later = platform::now_ns() + 1'000'000 * slice; // than this test takes
    for (concurrent::CpuShare* share :
         {&team::cpu_pressure.cpu_share, &team::cpu_pressure.crowd_share}) {
        share->interrupted(later, slice);
        EXPECT_TRUE(share->is_shared());
    }
    EXPECT_EQ(team::wait_limits(1 << 20).yields, 0u);
    team::forget_cpu_pressure_after_fork();
    EXPECT_FALSE(team::cpu_pressure.cpu_share.is_shared());
    EXPECT_FALSE(team::cpu_pressure.crowd_share.is_shared());
    EXPECT_EQ(team::wait_limits(1 << 20).yields, before.yields);
}

/// Whom it waits for may be without a CPU for as long as it spins or yields.
TEST_F(WaitLimits, NobodySpinsForEverWithMoreThreadsThanCpus) {
    constexpr uint32_t long_ns = 100'000'000, yield_ns = 300;
    team::Member& member = team::self();
    for (const config::WaitPolicy policy :
         {config::WaitPolicy::active, config::WaitPolicy::passive, config::WaitPolicy::unset}) {
        set(policy);
        for (const concurrent::WaitLimits limits :
             {team::wait_limits(1 << 20), team::brief_wait_limits(1 << 20),
              team::region_wait_limits(1 << 20)}) {
            EXPECT_LT(limits.spins, long_ns / concurrent::poll_ns);
            EXPECT_LT(limits.yields, long_ns / yield_ns);
        }
        member.offers = true; // as many run as there are CPUs
        EXPECT_LT(team::wait_limits(member).spins, long_ns / concurrent::poll_ns);
        member.offers = false;
    }
    set(config::WaitPolicy::active);
    EXPECT_EQ(team::wait_limits(member).yields, concurrent::for_ever) << "no crowd";
    EXPECT_EQ(team::region_wait_limits(1).yields, concurrent::for_ever);
    set(config::WaitPolicy::unset);
}

TEST_F(WaitLimits, ActiveThreadsWithoutACpuWaitForRegionsAsByDefault) {
    set(config::WaitPolicy::active);
    concurrent::CpuShare& share = team::cpu_pressure.cpu_share;
    share.note_threads(1 << 20);
    EXPECT_EQ(between(), team::brief_spins);
    share.note_threads(1);
    EXPECT_GT(between(), team::brief_spins);
    set(config::WaitPolicy::unset);
}

} // namespace
