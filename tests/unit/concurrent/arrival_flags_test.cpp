// SPDX-License-Identifier: Apache-2.0
// Threads that arrive at a team barrier by flags, some of which count themselves now and then, as
// those do that look for tasks or are about to sleep. What one does before a barrier is seen behind
// it, in plain memory. More interleavings: tests/interleaving/arrival_flags_test.cpp.
#include "concurrent/arrival_flags.hpp"

#include "threads.hpp"

#include <gtest/gtest.h>

using heddle::concurrent::ArrivalFlags;
using heddle::concurrent::TeamBarrier;

namespace {

struct Team {
    TeamBarrier barrier;
    ArrivalFlags flags;
    int done[2][ArrivalFlags::most_threads] = {}; ///< phases, odd ones apart
};

/// Returns how often it has not seen another thread's phase. `often` of 200 looks end in rejoin(),
/// and as many in surely_completed().
int pass(Team& team, uint32_t me, uint32_t size, int phases, uint32_t often) {
    test::Random random(static_cast<int>(me));
    int missed = 0;
    for (int phase = 1; phase <= phases; ++phase) {
        team.done[phase % 2][me] = phase;
        ArrivalFlags::Place place(team.barrier, team.flags, me, size);
        uint32_t epoch;
        bool opened = place.arrive(epoch);
        while (!opened && !place.completed(epoch)) {
            const uint32_t choice = random.below(200);
            if (choice < often && place.rejoin(epoch))
                opened = place.arrive(epoch);
            else if (choice < 2 * often && place.surely_completed(epoch))
                break;
            else
                heddle::platform::yield();
        }
        for (uint32_t other = 0; other < size; ++other)
            missed += team.done[phase % 2][other] != phase;
    }
    return missed;
}

void meet(uint32_t size, int phases, uint32_t often) {
    Team team;
    team.barrier.reset(size);
    std::vector<int> missed(size);
    phases /= test::slower;
    test::on_threads(static_cast<int>(size), [&](int me) {
        const auto number = static_cast<uint32_t>(me);
        missed[number] = pass(team, number, size, phases, often);
    });
    EXPECT_EQ(missed, std::vector<int>(size));
    EXPECT_EQ(team.barrier.active(), size);
    EXPECT_EQ(team.barrier.epoch(), static_cast<uint32_t>(phases));
}

} // namespace

TEST(ArrivalFlags, open_when_all_are_raised) {
    meet(2, 3000, 0);
    meet(5, 1000, 0);
    meet(ArrivalFlags::most_threads, 300, 0);
}

TEST(ArrivalFlags, count_when_one_does) {
    meet(2, 3000, 5);
    meet(5, 1000, 5);
    meet(ArrivalFlags::most_threads, 300, 1);
}

TEST(ArrivalFlags, tell_who_opens_and_wakes) {
    TeamBarrier barrier;
    ArrivalFlags flags;
    barrier.reset(2);
    uint32_t epoch;
    ArrivalFlags::Place first(barrier, flags, 0, 2), second(barrier, flags, 1, 2);
    EXPECT_FALSE(first.arrive(epoch));
    EXPECT_FALSE(first.completed(epoch));
    EXPECT_FALSE(first.surely_completed(epoch)); // it counts itself, to sleep
    EXPECT_EQ(barrier.active(), 1u);
    EXPECT_FALSE(second.arrive(epoch));
    EXPECT_TRUE(second.completed(epoch));
    EXPECT_TRUE(second.has_opened());
    EXPECT_FALSE(first.has_opened());
    EXPECT_TRUE(first.completed(epoch));
}
