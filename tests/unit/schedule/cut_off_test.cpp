// SPDX-License-Identifier: Apache-2.0
// The cut-offs of the papers' task policies: when they say that a task runs at once, and what the
// adaptive one learns from how long tasks lasted. One thread; the times are given.
#include "schedule/policy/cut_off.hpp"

#include <gtest/gtest.h>

namespace heddle::schedule::policy {
namespace {

constexpr config::TaskPolicy adaptive{.kind = config::TaskPolicyKind::wlff, .adaptive = true};
constexpr uint64_t small = 1'000, large = 1'000'000;

/// `count` tasks of `level` lasted `ns` each, in a team of two.
void note(CutOff& cut_off, int count, int32_t level, uint64_t ns) {
    for (int i = 0; i < count; ++i)
        cut_off.note(level, ns, 2);
}

TEST(CutOff, MaxTasksCountsForEachThread) {
    constexpr config::TaskPolicy policy{.kind = config::TaskPolicyKind::bff, .max_tasks = 3};
    CutOff cut_off;
    for (int i = 0; i < 6; ++i) {
        EXPECT_FALSE(cut_off.applies(policy, 100, 2));
        cut_off.begin_task();
    }
    EXPECT_TRUE(cut_off.applies(policy, 0, 2));
    EXPECT_FALSE(cut_off.applies(policy, 0, 3));
    cut_off.end_task();
    EXPECT_FALSE(cut_off.applies(policy, 0, 2));
}

TEST(CutOff, MaxLevelCountsTheTasksAround) {
    constexpr config::TaskPolicy policy{.kind = config::TaskPolicyKind::bff, .max_level = 2};
    const CutOff cut_off;
    EXPECT_FALSE(cut_off.applies(policy, 1, 2));
    EXPECT_TRUE(cut_off.applies(policy, 2, 2));
}

TEST(CutOff, AdaptiveCutsFromTheFirstLevelOfSmallTasks) {
    CutOff cut_off;
    note(cut_off, 100, 1, large);
    note(cut_off, 31, 3, small);
    EXPECT_FALSE(cut_off.applies(adaptive, 2, 2)); // too few to tell
    note(cut_off, 1, 3, small);
    EXPECT_FALSE(cut_off.applies(adaptive, 1, 2)); // level 2: nothing is known of it
    EXPECT_TRUE(cut_off.applies(adaptive, 2, 2));
    EXPECT_TRUE(cut_off.applies(adaptive, 3, 2));
    EXPECT_TRUE(cut_off.profiles(2));
    EXPECT_FALSE(cut_off.profiles(3));
    note(cut_off, 32, 2, small);
    EXPECT_TRUE(cut_off.applies(adaptive, 1, 2));
    note(cut_off, 100, 3, small); // timed before that was known: no way back
    EXPECT_TRUE(cut_off.applies(adaptive, 1, 2));
    EXPECT_FALSE(cut_off.applies(adaptive, 0, 2));
}

TEST(CutOff, AdaptiveWaitsForMoreTasksInLargeTeams) {
    CutOff cut_off;
    for (int i = 0; i < 63; ++i)
        cut_off.note(1, small, 16);
    EXPECT_FALSE(cut_off.applies(adaptive, 0, 16));
    cut_off.note(1, small, 16);
    EXPECT_TRUE(cut_off.applies(adaptive, 0, 16));
}

TEST(CutOff, AdaptiveJudgesByTheAverage) {
    CutOff cut_off;
    note(cut_off, 1, 1, large);
    note(cut_off, 51, 1, small); // 1.051 ms in all, over 52
    EXPECT_FALSE(cut_off.applies(adaptive, 0, 2));
    note(cut_off, 1, 1, small); // below 20 us
    EXPECT_TRUE(cut_off.applies(adaptive, 0, 2));
}

TEST(CutOff, VeryDeepLevelsAreNotTimed) {
    const CutOff cut_off;
    EXPECT_TRUE(cut_off.profiles(64));
    EXPECT_FALSE(cut_off.profiles(65));
}

} // namespace
} // namespace heddle::schedule::policy
