// SPDX-License-Identifier: Apache-2.0
// Regions of one thread: those inside are the outermost ones of several threads, and keep their
// team as they would outside.
#include "construct/icvs.hpp"
#include "construct/parallel.hpp"
#include "team/cpu_pressure.hpp"

#include <gtest/gtest.h>

namespace {

using namespace heddle;

/// The team of a region of `size` threads, which must be this many.
team::Team& team_of(unsigned size) {
    static team::Team* seen;
    construct::parallel(
        [](void*) {
            if (team::self().number == 0)
                seen = team::self().team;
        },
        nullptr, size);
    EXPECT_EQ(seen->size, static_cast<int32_t>(size));
    return *seen;
}

/// `body` in a region of one thread.
template <class Body>
void alone(Body body) {
    construct::parallel([](void* raw) { (*static_cast<Body*>(raw))(); }, &body, 1);
}

TEST(RegionOfOneThread, HasTheThreadsOfTheRegionsOutside) {
    team::Team& outside = team_of(5);
    const team::Member* const last = &team::member_at(outside, 4);
    alone([&] {
        alone([&] {
            EXPECT_EQ(team::self().team->level, 2);
            EXPECT_EQ(team::self().team->active_level, 0);
            team::Team& inside = team_of(5);
            EXPECT_EQ(&inside, &outside);
            EXPECT_EQ(inside.level, 3);
            EXPECT_EQ(inside.active_level, 1);
            EXPECT_EQ(inside.parent, &team::self());
        });
        EXPECT_EQ(&team_of(3), &outside);
    });
    EXPECT_EQ(team_of(5).level, 1);
    EXPECT_EQ(&team::member_at(outside, 4), last);
}

TEST(Pool, TellsWhenItHasMoreThreadsThanCpus) {
    team_of(static_cast<unsigned>(team::cpu_pressure.cpus.load(platform::relaxed)) + 1);
    EXPECT_FALSE(team::cpu_pressure.cpu_share.has_room());
}

TEST(RegionOfOneThread, LetsThoseInsideKeepTheirs) {
    alone([] {
        const team::Team& inside = team_of(4);
        EXPECT_GE(inside.attached, 4);
        EXPECT_FALSE(inside.lends);
        construct::parallel(
            [](void*) {
                EXPECT_EQ(team::cpu_pressure.borrowed.load(platform::relaxed), 0)
                    << "no thread is counted twice";
            },
            nullptr, 2);
    });
}

TEST(RegionOfOneThread, InARegionOfSeveralIsNested) {
    static team::Team* innermost;
    config::Icvs& icvs = construct::task_icvs_for_write();
    const int levels = icvs.max_active_levels;
    icvs.max_active_levels = 2;
    construct::parallel(
        [](void*) {
            if (team::self().number != 1)
                return;
            alone([] {
                innermost = &team_of(3);
                EXPECT_TRUE(innermost->lends);
                EXPECT_EQ(innermost->attached, 1) << "a thread of the pool keeps none for itself";
            });
        },
        nullptr, 2);
    EXPECT_NE(innermost, nullptr);
    icvs.max_active_levels = levels;
}

} // namespace
