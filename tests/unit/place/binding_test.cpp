// SPDX-License-Identifier: Apache-2.0
// Where the threads of a team go: the examples of OpenMP, and what must hold for every team size,
// partition and parent. Source: OpenMP 5.2 section 10.1.3.
#include "place/binding.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace heddle::place {
namespace {

using config::ProcBind;

std::vector<Position> team_of(const Placement& placement, int threads) {
    std::vector<Position> team;
    for (int i = 0; i < threads; ++i)
        team.push_back(position_of(placement, threads, i));
    return team;
}

/// The places of threads 0, 1, ...
std::string places(ProcBind policy, int threads, int parent, Partition partition) {
    std::string text;
    for (const Position& at : team_of({policy, {parent, partition}}, threads))
        text += (text.empty() ? "" : " ") + std::to_string(at.place);
    return text;
}

std::string partitions(int threads, int parent, Partition partition) {
    std::string text;
    for (const Position& at : team_of({ProcBind::spread, {parent, partition}}, threads))
        text += (text.empty() ? "" : " ") + std::to_string(at.partition.first) + "+" +
                std::to_string(at.partition.count);
    return text;
}

TEST(Binding, Primary) { EXPECT_EQ(places(ProcBind::primary, 3, 5, {2, 4}), "5 5 5"); }

TEST(Binding, Close) {
    EXPECT_EQ(places(ProcBind::close, 4, 0, {0, 8}), "0 1 2 3");
    EXPECT_EQ(places(ProcBind::close, 4, 6, {0, 8}), "6 7 0 1");
    EXPECT_EQ(places(ProcBind::true_, 4, 6, {4, 4}), "6 7 4 5");
    EXPECT_EQ(places(ProcBind::close, 6, 2, {0, 3}), "2 2 0 0 1 1");
    EXPECT_EQ(places(ProcBind::close, 5, 0, {0, 3}), "0 0 1 1 2");
    EXPECT_EQ(places(ProcBind::close, 1, 7, {0, 8}), "7");
}

TEST(Binding, Spread) {
    EXPECT_EQ(places(ProcBind::spread, 4, 0, {0, 8}), "0 2 4 6");
    EXPECT_EQ(partitions(4, 0, {0, 8}), "0+2 2+2 4+2 6+2");
    EXPECT_EQ(places(ProcBind::spread, 5, 0, {0, 8}), "0 2 4 6 7");
    EXPECT_EQ(partitions(5, 0, {0, 8}), "0+2 2+2 4+2 6+1 7+1");
    EXPECT_EQ(places(ProcBind::spread, 4, 2, {0, 7}), "2 4 6 0");
    EXPECT_EQ(partitions(4, 2, {0, 7}), "2+2 4+2 6+1 0+2");
    EXPECT_EQ(places(ProcBind::spread, 2, 5, {4, 4}), "5 6"); // the primary stays where it is
    EXPECT_EQ(partitions(2, 5, {4, 4}), "4+2 6+2");
    EXPECT_EQ(places(ProcBind::spread, 5, 1, {0, 2}), "1 1 1 0 0");
    EXPECT_EQ(partitions(5, 1, {0, 2}), "1+1 1+1 1+1 0+1 0+1");
    EXPECT_EQ(partitions(1, 3, {2, 5}), "2+5");
}

void check_any(const Placement& placement, int threads) {
    const Partition& all = placement.parent.partition;
    const std::vector<Position> team = team_of(placement, threads);
    std::vector<int> held(static_cast<size_t>(all.count));
    EXPECT_EQ(team[0].place, placement.parent.place);
    for (const Position& at : team) {
        EXPECT_GE(at.place, at.partition.first);
        EXPECT_LT(at.place, at.partition.first + at.partition.count);
        EXPECT_GE(at.partition.first, all.first);
        EXPECT_LE(at.partition.first + at.partition.count, all.first + all.count);
        ++held[static_cast<size_t>(at.place - all.first)];
    }
    if (placement.policy == ProcBind::primary)
        return;
    const auto [least, most] = std::minmax_element(held.begin(), held.end());
    if (threads > all.count) {
        EXPECT_EQ(*least, threads / all.count);
        EXPECT_EQ(*most, (threads + all.count - 1) / all.count);
    } else {
        EXPECT_EQ(*most, 1);
    }
    int turns = 0; // around the places once: numbers go up but where they wrap
    for (size_t i = 1; i < team.size(); ++i)
        turns += team[i].place < team[i - 1].place;
    EXPECT_LE(turns, 1);
}

TEST(Binding, HoldsForEveryTeam) {
    for (ProcBind policy : {ProcBind::primary, ProcBind::close, ProcBind::spread})
        for (int count = 1; count <= 9; ++count)
            for (int offset = 0; offset < count; ++offset)
                for (int threads = 1; threads <= 20; ++threads) {
                    SCOPED_TRACE(testing::Message() << static_cast<int>(policy) << " " << count
                                                    << " " << offset << " " << threads);
                    check_any({policy, {3 + offset, {3, count}}}, threads);
                }
}

/// The parts of `spread` are all of the partition, once.
TEST(Binding, SpreadDividesThePartition) {
    for (int count = 1; count <= 9; ++count)
        for (int threads = 1; threads <= count; ++threads) {
            int sum = 0;
            for (const Position& at :
                 team_of({ProcBind::spread, {count / 2, {0, count}}}, threads)) {
                sum += at.partition.count;
                EXPECT_GE(at.partition.count, count / threads);
                EXPECT_LE(at.partition.count, (count + threads - 1) / threads);
            }
            EXPECT_EQ(sum, count);
        }
}

} // namespace
} // namespace heddle::place
