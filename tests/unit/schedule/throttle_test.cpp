// SPDX-License-Identifier: Apache-2.0
// Which tasks run at once: in a team of one all, whatever its deque is asked for.
#include "schedule/throttle.hpp"

#include "construct/parallel.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// What the tasks of a region have been.
struct Seen {
    int asked_before = 0; ///< a thief of the region before asks ahead of that task; none: -1
    bool has_run[4] = {};
    int at_once = 0;
    uint64_t queued = 0;
};

struct OneTask {
    bool* has_run;
};

void run(void* data) { *static_cast<OneTask*>(data)->has_run = true; }

void create_tasks(void* raw) {
    Seen& seen = *static_cast<Seen*>(raw);
    team::Member& member = team::self();
    for (int i = 0; i < 4; ++i) {
        if (i == seen.asked_before)
            member.deque.ask_for_tasks();
        OneTask task{&seen.has_run[i]};
        schedule::create_plain_task(member, run, &task, sizeof task, alignof(OneTask), 0);
        seen.at_once += seen.has_run[i];
    }
    seen.queued = member.deque.size();
}

class TeamOfOne : public testing::TestWithParam<int> {};

TEST_P(TeamOfOne, RunsEachTaskAtOnce) {
    Seen seen{.asked_before = GetParam()};
    construct::parallel(create_tasks, &seen, 1);
    EXPECT_EQ(seen.at_once, 4);
    EXPECT_EQ(seen.queued, 0u);
}

INSTANTIATE_TEST_SUITE_P(AskedBefore, TeamOfOne, testing::Values(-1, 0, 2));

} // namespace
} // namespace heddle
