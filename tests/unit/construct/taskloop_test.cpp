// SPDX-License-Identifier: Apache-2.0
// How a taskloop deals its iterations out: grainsize and num_tasks, strict or not, at the limits;
// and the bounds that its tasks get, upwards, downwards and unsigned.
#include "construct/taskloop.hpp"

#include "construct/parallel.hpp"
#include "construct/taskgroup.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

using namespace heddle;
using construct::share_by_grainsize;
using construct::share_by_tasks;
using construct::TaskloopShares;

namespace {

/// Iterations of all the tasks together; the last one of a strict loop gets what is left.
uint64_t dealt(const TaskloopShares& shares) { return shares.tasks * shares.share + shares.more; }

} // namespace

TEST(TaskloopShares, GrainsizeGivesAtLeastThatAndLessThanTwice) {
    for (uint64_t count = 1; count < 200; ++count)
        for (uint64_t grain = 1; grain < 60; ++grain) {
            const TaskloopShares shares = share_by_grainsize(count, grain, false);
            EXPECT_EQ(dealt(shares), count);
            EXPECT_LT(shares.more, shares.tasks);
            EXPECT_GE(shares.share, std::min(count, grain));
            EXPECT_LT(shares.share + (shares.more ? 1 : 0), 2 * grain);
        }
}

TEST(TaskloopShares, StrictGrainsizeGivesThatButToTheLast) {
    for (uint64_t count = 1; count < 200; ++count)
        for (uint64_t grain = 1; grain < 60; ++grain) {
            const TaskloopShares shares = share_by_grainsize(count, grain, true);
            EXPECT_EQ(shares.share, grain);
            EXPECT_EQ(shares.more, 0u);
            EXPECT_GE(dealt(shares), count);
            EXPECT_LT(dealt(shares) - count, grain);
        }
}

TEST(TaskloopShares, NumTasksIsBoundedByTheIterations) {
    for (uint64_t count = 1; count < 100; ++count)
        for (uint64_t tasks = 1; tasks < 120; ++tasks) {
            const TaskloopShares shares = share_by_tasks(count, tasks);
            EXPECT_EQ(shares.tasks, std::min(count, tasks));
            EXPECT_EQ(dealt(shares), count);
            EXPECT_LT(shares.more, shares.tasks);
        }
}

TEST(TaskloopShares, HoldsAtTheLimits) {
    EXPECT_EQ(share_by_grainsize(1, 0, false).tasks, 1u);
    EXPECT_EQ(share_by_grainsize(5, 0, true).tasks, 5u);
    EXPECT_EQ(share_by_grainsize(5, ULLONG_MAX, false).tasks, 1u);
    EXPECT_EQ(share_by_grainsize(5, ULLONG_MAX, true).tasks, 1u);
    EXPECT_EQ(share_by_grainsize(ULLONG_MAX, 1, true).tasks, ULLONG_MAX);
    EXPECT_EQ(share_by_grainsize(ULLONG_MAX, ULLONG_MAX, true).tasks, 1u);
    EXPECT_EQ(share_by_grainsize(ULLONG_MAX, 2, true).tasks, 1ull << 63);
    EXPECT_EQ(share_by_tasks(7, 0).tasks, 1u);
    EXPECT_EQ(share_by_tasks(ULLONG_MAX, 3).share, ULLONG_MAX / 3);
}

namespace {

struct Part {
    uint64_t begin, end;
};

/// Captured data as gcc lays them out: the two words of the bounds first.
struct Captured {
    uint64_t begin, end;
    std::vector<Part>* parts;
};

void note(void* data) {
    const auto& captured = *static_cast<Captured*>(data);
    captured.parts->push_back({captured.begin, captured.end});
}

void construct_copy(void* to, void* from) {
    *static_cast<Captured*>(to) = *static_cast<Captured*>(from);
    static_cast<Captured*>(to)->begin = 99; // the runtime writes the bounds after this
}

/// The parts that the tasks of a team of one got, in the order of creation.
std::vector<Part> parts_of(const construct::LoopBounds& bounds, const TaskloopShares& shares,
                           void (*copy)(void*, void*), bool final, bool deferrable) {
    std::vector<Part> parts;
    team::Member& member = construct::begin_parallel(1);
    construct::begin_taskgroup(member);
    Captured captured{0, 0, &parts};
    schedule::NewTask task{};
    task.function = note;
    task.data = &captured;
    task.copy = copy;
    task.size = sizeof captured;
    task.alignment = alignof(Captured);
    task.final = final;
    construct::taskloop(member, task, 0, deferrable, bounds, shares);
    construct::end_taskgroup(member);
    construct::end_parallel();
    return parts;
}

void expect_parts(const construct::LoopBounds& bounds, const TaskloopShares& shares) {
    for (int variant = 0; variant < 8; ++variant) {
        const auto parts = parts_of(bounds, shares, variant & 1 ? construct_copy : nullptr,
                                    (variant & 2) != 0, (variant & 4) != 0);
        ASSERT_EQ(parts.size(), shares.tasks);
        uint64_t at = bounds.start, left = bounds.count;
        for (uint64_t i = 0; i < shares.tasks; ++i) {
            const uint64_t share = std::min(left, shares.share + (i < shares.more ? 1 : 0));
            EXPECT_EQ(parts[i].begin, at);
            at += share * bounds.increment;
            left -= share;
            EXPECT_EQ(parts[i].end, at);
        }
        EXPECT_EQ(left, 0u);
    }
}

} // namespace

TEST(Taskloop, GivesEachTaskItsBounds) {
    expect_parts(construct::signed_bounds(0, 100, 1), share_by_tasks(100, 7));
    expect_parts(construct::signed_bounds(-5, 60, 3), share_by_grainsize(22, 4, true));
    expect_parts(construct::signed_bounds(60, -5, -3), share_by_grainsize(22, 4, false));
    expect_parts(construct::unsigned_bounds(true, ULLONG_MAX - 20, ULLONG_MAX, 3),
                 share_by_tasks(7, 3));
    expect_parts(construct::unsigned_bounds(false, ULLONG_MAX, ULLONG_MAX - 20, 0ull - 3),
                 share_by_grainsize(7, 2, true));
    expect_parts(construct::signed_bounds(LONG_MIN, LONG_MAX, LONG_MAX), share_by_tasks(3, 5));
}
