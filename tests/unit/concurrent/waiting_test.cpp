// SPDX-License-Identifier: Apache-2.0
// The waiting policy on a platform with a script: a clock that polls and yields move, and a count
// of interruptions that the test sets.
#include "concurrent/waiting.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace heddle::concurrent;

constexpr uint64_t ms = 1'000'000;

/// One thread's time: a poll takes 25 ns, a yield 1 us, and at `stop_at` others run for `stop_ns`.
struct Script {
    static inline uint64_t now, relaxes, yields, looks, stops, stop_at, stop_ns;
    static inline uint64_t yield_ns, used, asked;
    static inline bool stop_counts;  ///< the system says that it took the CPU away
    static inline bool yield_counts; ///< somebody else runs in a yield
    static inline bool yields_to_us; ///< who runs in a yield is a thread of this process
    static inline uint64_t ask_ns;   ///< how long the system takes to say what the process has used
    static inline std::vector<uint64_t> naps;

    static void reset() {
        now = 1'000 * ms;
        relaxes = yields = looks = stops = 0;
        stop_at = ~uint64_t{0};
        stop_ns = 4 * ms;
        stop_counts = true;
        yield_ns = 1'000;
        used = asked = ask_ns = 0;
        yield_counts = yields_to_us = true;
        naps.clear();
    }
    static void pass(uint64_t ns) {
        now += ns;
        if (now < stop_at)
            return;
        now += stop_ns;
        stops += stop_counts;
        stop_at = ~uint64_t{0};
    }
    static void relax() {
        ++relaxes;
        pass(poll_ns);
    }
    static void yield() {
        ++yields;
        used += yields_to_us ? yield_ns : 0;
        stops += yield_counts;
        pass(yield_ns);
    }
    static void nap(uint64_t ns) {
        naps.push_back(ns);
        now += ns;
    }
    static uint64_t process_cpu_ns() {
        ++asked;
        pass(ask_ns);
        return used;
    }
    static uint64_t now_ns() {
        ++looks;
        return now;
    }
    static uint64_t preempted() { return stops; }
};

using Waiting = WaitingOn<Script>;

/// How long a thread spins and yields before it parks.
uint64_t until_parked(Waiting& waiting) {
    const uint64_t start = Script::now;
    while (waiting.again()) {
    }
    return Script::now - start;
}

class WaitingPolicy : public testing::Test {
protected:
    void SetUp() override {
        Script::reset();
        share.set(2, true, 160'000);
    }

    /// As often as it is no reason yet not to spin.
    void stop_twice() {
        EXPECT_FALSE(share.interrupted(Script::now - 10 * ms, ms / 2));
        EXPECT_FALSE(share.interrupted(Script::now - 5 * ms, ms / 2));
    }

    CpuShare share;
    SpinBudget budget;
    const WaitLimits limits{160'000, 0, &share}; // 4 ms
};

TEST_F(WaitingPolicy, PollsAsOftenAsAllowedThenYields) {
    Waiting waiting(WaitLimits{100, 3});
    int polls = 0;
    while (waiting.again())
        ++polls;
    EXPECT_EQ(polls, 103);
    EXPECT_EQ(Script::relaxes, 100 - Waiting::eager_tries);
    EXPECT_EQ(Script::yields, 3u);
    EXPECT_FALSE(waiting.again()) << "once spent, always spent";
    waiting.restart(WaitLimits{100, 3});
    EXPECT_TRUE(waiting.again());
}

TEST_F(WaitingPolicy, WithoutLimitsParksAtOnce) {
    Waiting waiting(WaitLimits{0, 0});
    EXPECT_FALSE(waiting.again());
}

TEST_F(WaitingPolicy, ForEverIsAsLongAsAllThreadsHaveACpu) {
    share.set(2, false, ~uint32_t{0}); // who asks for that has no use for what is learnt
    share.note_threads(2);
    Waiting waiting(WaitLimits{100, for_ever, &share});
    for (int i = 0; i < 10'000; ++i)
        ASSERT_TRUE(waiting.again());
    EXPECT_EQ(Script::yields, 0u);
    share.note_threads(3);
    int polls = 0;
    while (waiting.again())
        ASSERT_LE(++polls, 100);
    share.note_threads(2);
    waiting.restart(WaitLimits{100, for_ever, &share});
    EXPECT_TRUE(waiting.again());
    share.set(2, false, 100); // another policy meanwhile
    polls = 0;
    while (waiting.again())
        ASSERT_LE(++polls, 100);
}

TEST_F(WaitingPolicy, ShortWaitsDoNotReadTheClock) {
    Waiting waiting(limits);
    for (uint32_t i = 0; i < Waiting::first_look; ++i)
        EXPECT_TRUE(waiting.again());
    EXPECT_EQ(Script::looks, 0u);
    EXPECT_TRUE(waiting.again());
    EXPECT_EQ(Script::looks, 1u);
}

TEST_F(WaitingPolicy, SpinsForTheWholeBudgetOnAnIdleMachine) {
    Waiting waiting(limits);
    EXPECT_NEAR(static_cast<double>(until_parked(waiting)), 4.0 * ms, 0.1 * ms);
    EXPECT_FALSE(share.is_shared());
}

TEST_F(WaitingPolicy, TwoInterruptionsAreForgotten) {
    Waiting waiting(limits);
    Script::stop_at = Script::now + 1 * ms;
    Script::stop_ns = ms / 2;
    EXPECT_GT(until_parked(waiting), 7 * ms / 2);
    EXPECT_FALSE(share.is_shared());
    EXPECT_FALSE(share.interrupted(Script::now += 5 * ms, ms / 2));
    EXPECT_FALSE(share.interrupted(Script::now += (CpuShare::soon + 1) * ms, ms / 2));
    EXPECT_FALSE(share.interrupted(Script::now += 5 * ms, ms / 2));
    EXPECT_FALSE(share.is_shared());
    EXPECT_TRUE(share.interrupted(Script::now += 5 * ms, ms / 2)) << "the third in a row";
    EXPECT_TRUE(share.is_shared());
}

TEST_F(WaitingPolicy, OneWholeSliceOfOthersIsEnough) {
    Waiting waiting(limits);
    Script::stop_at = Script::now + 1 * ms;
    Script::stop_ns = 40 * ms;
    EXPECT_LT(until_parked(waiting), 42 * ms);
    EXPECT_TRUE(share.is_shared());
}

TEST_F(WaitingPolicy, StopsSpinningWhenOthersTakeTheCpu) {
    Waiting waiting(limits);
    stop_twice();
    Script::stop_at = Script::now + 1 * ms;
    Script::stop_ns = ms / 2;
    EXPECT_NEAR(static_cast<double>(until_parked(waiting)), 1.5 * ms, 0.1 * ms);
    EXPECT_TRUE(share.is_shared());
    EXPECT_EQ(share.spinners(), 0);
}

TEST_F(WaitingPolicy, NoticesWhoTookTheCpuUntilTheWaitWasOver) {
    for (int i = 0; i < 3; ++i) { // twice is forgotten
        EXPECT_FALSE(share.is_shared());
        Waiting waiting(limits);
        Script::stop_at = Script::now + ms;
        Script::stop_ns = ms / 2;
        while (Script::now < Script::stop_at && waiting.again()) {
        }
    }
    EXPECT_TRUE(share.is_shared());
}

TEST_F(WaitingPolicy, ALookoutThatWakesIsNoOther) {
    for (const uint32_t naps : {1u, 0u}) { // as often as the thread was stopped; never
        SetUp();
        share.forget();
        stop_twice(); // so the next one counts
        Waiting waiting(limits);
        for (uint32_t i = 0; i < 2 * Waiting::first_look; ++i)
            EXPECT_TRUE(waiting.again());
        for (uint32_t i = 0; i < naps; ++i)
            share.note_nap();
        Script::stop_at = Script::now + ms;
        Script::stop_ns = ms / 2;
        until_parked(waiting);
        EXPECT_EQ(share.is_shared(), naps == 0);
    }
}

TEST_F(WaitingPolicy, ALookoutDoesNotHideWhoComputes) {
    Waiting waiting(limits);
    for (uint32_t i = 0; i < 2 * Waiting::first_look; ++i)
        EXPECT_TRUE(waiting.again());
    share.note_nap();
    Script::stop_at = Script::now + ms;
    until_parked(waiting);
    EXPECT_TRUE(share.is_shared());
}

TEST_F(WaitingPolicy, ASpinYieldsToPassers) {
    share.note_passer(Script::now);
    Waiting waiting(limits);
    EXPECT_NEAR(static_cast<double>(until_parked(waiting)), 4.0 * ms, 0.1 * ms);
    const uint64_t turn_ns = Waiting::passers_interval * poll_ns + Script::yield_ns;
    EXPECT_NEAR(static_cast<double>(Script::yields), 4.0 * ms / turn_ns, 0.1 * ms / turn_ns);
    EXPECT_EQ(Script::asked, 0u);
    const uint64_t yields = Script::yields;
    Script::now += 2 * ms;
    Waiting next(limits); // the last one came long ago
    until_parked(next);
    EXPECT_EQ(Script::yields, yields);
    EXPECT_FALSE(share.passers.any());
}

TEST_F(WaitingPolicy, APasserEndsNoSpinThatWatches) {
    Waiting waiting(limits);
    while (Script::looks < 3)
        EXPECT_TRUE(waiting.again());
    EXPECT_EQ(Script::yields, 0u);
    share.note_passer(Script::now);
    for (uint32_t i = 0; i < Waiting::look_interval; ++i)
        EXPECT_TRUE(waiting.again());
    EXPECT_GE(Script::yields, 1u);
    EXPECT_NEAR(static_cast<double>(until_parked(waiting)), 4.0 * ms, 0.2 * ms);
}

TEST_F(WaitingPolicy, NoSliceOfAnotherIsGivenToPassersForLong) {
    for (int i = 0; i < 3; ++i) {
        share.note_passer(Script::now);
        Script::yield_ns = 3 * ms;
        Waiting waiting(limits);
        until_parked(waiting);
        EXPECT_EQ(Script::yields, 1u);
        EXPECT_FALSE(share.is_shared()) << "by a thread of ours perhaps";
    }
    Script::now += (Passers::refusal + 1) * ms;
    share.note_passer(Script::now);
    Waiting waiting(limits);
    until_parked(waiting);
    EXPECT_EQ(Script::yields, 2u);
}

TEST_F(WaitingPolicy, AHaltOfTheMachineInAYieldIsNobody) {
    share.note_passer(Script::now);
    Script::yield_ns = 2 * ms;
    Script::yield_counts = false;
    Waiting waiting(limits);
    until_parked(waiting);
    EXPECT_GE(Script::yields, 2u);
    EXPECT_FALSE(share.passers.are_refused(Script::now));
}

TEST_F(WaitingPolicy, AForkedChildHasNoPassers) {
    share.note_passer(Script::now);
    Script::yield_ns = 3 * ms;
    Waiting waiting(limits);
    until_parked(waiting);
    EXPECT_TRUE(share.passers.are_refused(Script::now));
    share.forget();
    EXPECT_FALSE(share.passers.any());
    EXPECT_FALSE(share.passers.are_refused(Script::now));
}

TEST_F(WaitingPolicy, WithFixedLimitsNobodyYieldsToPassers) {
    share.set(2, false, 160'000);
    share.note_passer(Script::now);
    Waiting waiting(limits);
    until_parked(waiting);
    EXPECT_EQ(Script::yields, 0u);
}

// The passer itself, and who waits for its end; but not what computes beside them.
TEST_F(WaitingPolicy, APasserIsNoOther) {
    for (const bool refused : {false, true}) {
        SetUp();
        share.forget();
        stop_twice(); // so the next one counts
        if (refused)
            share.passers.yielded(Script::now, ms);
        Waiting waiting(limits);
        for (uint32_t i = 0; i < 2 * Waiting::first_look; ++i)
            EXPECT_TRUE(waiting.again());
        Script::stop_at = Script::now + 1;
        Script::stop_ns = ms / 2;
        share.note_passer(Script::now);
        while (Script::stops == 0)
            EXPECT_TRUE(waiting.again());
        until_parked(waiting);
        EXPECT_EQ(share.is_shared(), refused);
    }
}

TEST_F(WaitingPolicy, ASleepIsNoInterruption) {
    for (int i = 0; i < 2; ++i) {
        Waiting waiting(limits);
        until_parked(waiting);
        Script::now += 100 * ms;
        ++Script::stops;
    }
    EXPECT_FALSE(share.is_shared());
}

TEST_F(WaitingPolicy, AHaltOfTheWholeMachineIsNobodysCpu) {
    Waiting waiting(limits);
    Script::stop_at = Script::now + 1 * ms;
    Script::stop_counts = false; // as when the host of a virtual machine takes it
    until_parked(waiting);
    EXPECT_FALSE(share.is_shared());
}

TEST_F(WaitingPolicy, WithFixedLimitsNothingIsLearnt) {
    share.set(2, false, 160'000);
    Waiting waiting(limits, budget);
    share.interrupted(Script::now, ms / 2);
    Script::stop_at = Script::now + 1 * ms;
    until_parked(waiting);
    EXPECT_FALSE(share.is_shared());
    EXPECT_EQ(Script::relaxes, 160'000 - Waiting::eager_tries);
}

TEST_F(WaitingPolicy, AChangeOfTheSettingsEndsASpin) {
    for (const bool adapts : {true, false}) {
        share.set(2, adapts, 160'000);
        Waiting waiting(limits);
        for (uint32_t i = 0; i < 2 * Waiting::first_look; ++i)
            EXPECT_TRUE(waiting.again());
        share.set(2, adapts, 1'000);
        EXPECT_LT(until_parked(waiting), ms / 10);
    }
}

TEST_F(WaitingPolicy, AChangeOfTheSettingsEndsEndlessYields) {
    share.set(2, false, ~uint32_t{0});
    Waiting waiting(WaitLimits{0, ~uint32_t{0}, &share});
    for (int i = 0; i < 1000; ++i)
        EXPECT_TRUE(waiting.again());
    share.set(2, true, 160'000);
    EXPECT_FALSE(waiting.again());
}

class YieldingPolicy : public WaitingPolicy {
protected:
    const WaitLimits crowded{64, 16, &share};
    /// How many yields an episode has.
    uint64_t yields() {
        const uint64_t before = Script::yields;
        Waiting waiting(crowded);
        until_parked(waiting);
        return Script::yields - before;
    }
};

TEST_F(YieldingPolicy, QuickYieldsAskNothing) {
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(yields(), 16u);
    EXPECT_EQ(Script::asked, 0u);
}

TEST_F(YieldingPolicy, NobodyYieldsForSlicesOfOthers) {
    Script::yield_ns = 3 * ms;
    Script::yields_to_us = false;
    EXPECT_EQ(yields(), 2u) << "the first one leaves a doubt, the second one answers it";
    EXPECT_TRUE(share.is_shared());
    EXPECT_EQ(share.spinners(), 0);
}

TEST_F(YieldingPolicy, ThreadsOfOursMayComputeMeanwhile) {
    Script::yield_ns = 3 * ms;
    EXPECT_EQ(yields(), 16u);
    EXPECT_EQ(Script::asked, 2 * 15u);
    EXPECT_FALSE(share.is_shared());
}

TEST_F(YieldingPolicy, ADoubtEnds) {
    Script::yield_ns = 3 * ms;
    yields();
    Script::yield_ns = 1'000;
    Script::asked = 0;
    yields();
    EXPECT_EQ(Script::asked, 16u);
    Script::now += (CpuShare::doubt_lasts + 1) * ms;
    yields();
    EXPECT_EQ(Script::asked, 16u);
    share.doubt(Script::now);
    share.forget();
    yields();
    EXPECT_EQ(Script::asked, 16u) << "a forked child has none";
}

// The system adds up what each thread has used: with thousands of them asking would be all they do.
TEST_F(YieldingPolicy, AQuestionThatTakesLongIsRare) {
    share.doubt(Script::now);
    Script::yield_ns = 1'000;
    Script::ask_ns = 100'000;
    EXPECT_EQ(yields(), 16u);
    EXPECT_EQ(Script::asked, 1u);
    Script::now += CpuShare::worth_an_answer * Script::ask_ns;
    share.doubt(Script::now);
    yields();
    EXPECT_EQ(Script::asked, 2u);
    share.forget();
    share.doubt(Script::now);
    yields();
    EXPECT_EQ(Script::asked, 3u) << "a forked child has one thread";
}

TEST_F(YieldingPolicy, WithFixedLimitsNothingIsAsked) {
    share.set(2, false, 160'000);
    Script::yield_ns = 3 * ms;
    Script::yields_to_us = false;
    EXPECT_EQ(yields(), 16u);
    EXPECT_EQ(Script::asked, 0u);
    EXPECT_FALSE(share.is_shared());
}

TEST_F(YieldingPolicy, LearnsHowLongYieldsTake) {
    Script::yield_ns = 2 * YieldTimes::long_ns;
    yields();
    EXPECT_TRUE(share.yield_times.are_long());
    share.forget();
    EXPECT_FALSE(share.yield_times.are_long()) << "a forked child has none";
    share.set(2, false, 160'000);
    yields();
    EXPECT_FALSE(share.yield_times.are_long()) << "and with fixed limits nothing is learnt";
}

TEST_F(WaitingPolicy, PollsOnlyForAMomentAfterASleep) {
    Waiting waiting(limits);
    until_parked(waiting);
    waiting.rest();
    EXPECT_LT(until_parked(waiting), 4'000u);
    waiting.restart(limits);
    EXPECT_GT(until_parked(waiting), 3 * ms);
}

TEST_F(WaitingPolicy, WhoFindsNoSleepPollsForAsLongAsEver) {
    Waiting waiting(limits);
    until_parked(waiting);
    waiting.rest(false);
    EXPECT_GT(until_parked(waiting), 3 * ms);
    EXPECT_TRUE(Script::naps.empty());
}

TEST_F(WaitingPolicy, WhoFindsNoSleepAndMayNotPollStaysAwayForLongerEachTime) {
    Waiting waiting(WaitLimits{.spins = Waiting::short_spin, .yields = 0});
    for (uint32_t i = 0; i < Waiting::tolerated_refusals; ++i)
        waiting.rest(false);
    EXPECT_TRUE(Script::naps.empty()) << "it may have been the last barrier's";
    for (int i = 0; i < 8; ++i)
        waiting.rest(false);
    const std::vector<uint64_t> longer{50'000, 100'000, 200'000, 400'000, 800'000, ms, ms, ms};
    EXPECT_EQ(Script::naps, longer);
    waiting.rest();
    waiting.rest(false);
    EXPECT_EQ(Script::naps, longer) << "after a sleep it begins anew";
}

TEST_F(WaitingPolicy, NobodySpinsForAWhileThenItIsTried) {
    stop_twice();
    share.interrupted(Script::now, ms / 2);
    EXPECT_EQ(share.spinners(), 0);
    Script::now += (CpuShare::first_pause - 1) * ms;
    share.look_at_time(Script::now);
    EXPECT_TRUE(share.is_shared());
    Script::now += 3 * ms;
    share.look_at_time(Script::now);
    EXPECT_FALSE(share.is_shared());
    EXPECT_EQ(share.spinners(), 2);
}

/// For how many milliseconds nobody spins after an interruption now.
uint32_t pause_after_interruption(CpuShare& share) {
    const uint64_t start = Script::now;
    share.interrupted(Script::now, slice_ns);
    while (share.is_shared())
        share.look_at_time(Script::now += ms);
    return static_cast<uint32_t>((Script::now - start) / ms);
}

TEST_F(WaitingPolicy, TriesMoreRarelyWhereItIsInVain) {
    uint32_t expected = CpuShare::first_pause;
    for (int i = 0; i < 8; ++i) {
        EXPECT_NEAR(pause_after_interruption(share), expected, 2);
        expected = expected < CpuShare::longest_pause ? 2 * expected : expected;
        Script::now += 5 * ms; // spun, and was interrupted soon
    }
    EXPECT_EQ(expected, CpuShare::longest_pause);
    Script::now += uint64_t{CpuShare::longest_pause + 1} * ms; // was not, for long
    EXPECT_NEAR(pause_after_interruption(share), CpuShare::first_pause, 2);
}

TEST_F(WaitingPolicy, TriesSoonerWhereItHasPaid) {
    uint32_t pause = 0;
    while (pause + 2 < CpuShare::longest_pause) {
        pause = pause_after_interruption(share);
        Script::now += 5 * ms;
    }
    Script::now += (CpuShare::soon + 1 - 5) * ms;
    EXPECT_NEAR(pause_after_interruption(share), CpuShare::longest_pause / 2, 2);
    Script::now += (CpuShare::soon + 1) * ms;
    EXPECT_NEAR(pause_after_interruption(share), CpuShare::longest_pause / 4, 2);
    Script::now += 2 * (CpuShare::soon + 1) * ms;
    EXPECT_NEAR(pause_after_interruption(share), CpuShare::longest_pause / 16, 2);
    share.interrupted(Script::now += 60 * ms, 10 * ms);
    const uint64_t start = Script::now;
    while (share.is_shared())
        share.look_at_time(Script::now += ms);
    EXPECT_NEAR(static_cast<double>(Script::now - start) / ms, CpuShare::longest_pause / 8, 2)
        << "10 ms lost in 60 are too many";
}

// They did, once the pause was long: each one made the next pause as long again.
TEST_F(WaitingPolicy, ServicesDoNotKeepThreadsFromSpinning) {
    while (pause_after_interruption(share) + 2 < CpuShare::longest_pause)
        Script::now += 5 * ms;
    for (int i = 0; i < 50; ++i) {
        EXPECT_FALSE(share.interrupted(Script::now += 60 * ms, ms / 10));
        EXPECT_FALSE(share.is_shared());
    }
}

TEST_F(WaitingPolicy, ManySpinnersThatAreInterruptedAreOneEvent) {
    for (int i = 0; i < 8; ++i)
        EXPECT_FALSE(share.interrupted(Script::now, ms / 2));
    for (int i = 0; i < 8; ++i)
        share.interrupted(Script::now, slice_ns);
    const uint64_t start = Script::now;
    while (share.is_shared())
        share.look_at_time(Script::now += ms);
    EXPECT_LE((Script::now - start) / ms, CpuShare::first_pause + 2);
}

TEST_F(WaitingPolicy, AnInterruptionDoesNotOutliveTheSettings) {
    share.set(2, false, 160'000); // while a thread was about to report one
    share.interrupted(Script::now, 5 * ms);
    EXPECT_FALSE(share.is_shared());
    EXPECT_EQ(share.spinners(), 2);
}

TEST_F(WaitingPolicy, AForkedChildBeginsAnew) {
    pause_after_interruption(share);
    Script::now += 5 * ms;
    pause_after_interruption(share);
    Script::now += 5 * ms;
    share.forget();
    EXPECT_FALSE(share.interrupted(Script::now, ms / 2)) << "was not tried in vain";
    EXPECT_NEAR(pause_after_interruption(share), CpuShare::first_pause, 2);
}

TEST_F(WaitingPolicy, WhatOneThreadFindsOutEndsTheSpinsOfAll) {
    Waiting waiting(limits);
    while (Script::looks == 0)
        EXPECT_TRUE(waiting.again());
    share.interrupted(Script::now, 5 * ms);
    EXPECT_LT(until_parked(waiting), 100'000u);
}

TEST_F(WaitingPolicy, ANewEpisodeHasTheLimitsOfNow) {
    Waiting waiting(WaitLimits{64, 0, &share});
    until_parked(waiting);
    waiting.restart(limits);
    EXPECT_GT(until_parked(waiting), 3 * ms);
}

TEST_F(WaitingPolicy, TheClockOfTheShareMayWrapAround) {
    Script::now = 0xffffffffull * ms; // the last millisecond of 49 days
    EXPECT_NEAR(pause_after_interruption(share), CpuShare::first_pause, 2);
    Script::now += 5 * ms;
    EXPECT_NEAR(pause_after_interruption(share), 2 * CpuShare::first_pause, 2);
}

/// A wait that takes `lasts`: spins, then sleeps for the rest. Returns how long it spun.
uint64_t wait_for(uint64_t lasts, WaitLimits limits, SpinBudget& budget) {
    Waiting waiting(limits, budget);
    const uint64_t start = Script::now;
    while (Script::now - start < lasts)
        if (!waiting.again()) {
            const uint64_t spun = Script::now - start;
            Script::now = start + lasts;
            waiting.ended(budget);
            return spun;
        }
    return lasts;
}

TEST_F(WaitingPolicy, LongWaitsShortenTheSpin) {
    uint64_t last = 8 * ms;
    for (int i = 0; i < 8; ++i) {
        const uint64_t spun = wait_for(100 * ms, limits, budget);
        EXPECT_LT(spun, last * 6 / 10 + poll_ns * Waiting::look_interval);
        last = spun;
    }
    EXPECT_EQ(budget.polls(limits.spins), SpinBudget::least);
    wait_for(100 * ms, limits, budget);
    EXPECT_EQ(budget.polls(limits.spins), SpinBudget::least);
}

TEST_F(WaitingPolicy, WaitsThatEndSoonLengthenItAgain) {
    for (int i = 0; i < 10; ++i)
        wait_for(100 * ms, limits, budget);
    EXPECT_LT(wait_for(1 * ms, limits, budget), ms / 10); // slept, and learnt
    EXPECT_EQ(wait_for(1 * ms, limits, budget), 1 * ms);  // spins to the end
    EXPECT_EQ(wait_for(3 * ms / 2, limits, budget), 3 * ms / 2);
    EXPECT_LT(wait_for(3 * ms, limits, budget), 5 * ms / 2);
    EXPECT_EQ(wait_for(3 * ms, limits, budget), 3 * ms);
    EXPECT_EQ(budget.polls(limits.spins), limits.spins) << "never beyond the limit";
}

TEST_F(WaitingPolicy, AWaitThatMayNotSpinTeachesNothing) {
    WaitLimits short_limits = limits;
    short_limits.spins = 64;
    for (int i = 0; i < 10; ++i)
        wait_for(100 * ms, short_limits, budget);
    EXPECT_EQ(budget.polls(limits.spins), limits.spins);
}

} // namespace
