// SPDX-License-Identifier: Apache-2.0
// Who begins with which iterations when it is known where their data are: on a machine that we say
// has four domains, for a team whose threads say where they run.
#include "team/loop_data.hpp"

#include "../place/machine.hpp"
#include "place/distributed.hpp"
#include "place/locality.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <random>

namespace heddle::team {
namespace {

class LoopDataTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        place::Machine machine;
        machine.available = place::set_of({0, 1, 2, 3});
        machine.file("node/online", "0,1021-1023");
        for (int cpu = 0; cpu < 4; ++cpu)
            machine.file("node/node" + std::to_string(cpu == 0 ? 0 : 1020 + cpu) + "/cpulist",
                         std::to_string(cpu));
        place::assume_machine(machine.available, machine.root());
        for (int domain = 0; domain < 4; ++domain)
            all.add(domain, 1);
        array = static_cast<char*>(place::allocate_distributed(8 * page, 0, all));
    }
    static void TearDownTestSuite() { place::free_distributed(array); }

    /// A region of threads in these domains, and what each begins with: `first-end`, - for nothing.
    std::string dealt(const std::vector<int>& domains, uint64_t units, uint64_t unit = 1,
                      size_t element = page) {
        const auto size = static_cast<int32_t>(domains.size());
        auto team = std::make_unique<Team>();
        auto workers = std::make_unique<Worker[]>(domains.size());
        auto members = std::make_unique<Member[]>(domains.size());
        auto entries = std::make_unique<platform::Atomic<Member*>[]>(domains.size());
        Workshare node, described;
        Workshare& loop = combined ? node : described;
        loop.chunks = units;
        loop.chunk = unit;
        if (claimed)
            node.next_is_dealt.store(1, platform::relaxed);
        if (appended)
            node.next.store(&described, platform::relaxed);
        team->size = size;
        team->level = 1;
        team->members.store(entries.get(), platform::relaxed);
        for (int32_t i = 0; i < size; ++i) {
            const auto number = static_cast<size_t>(i);
            members[number].team = team.get();
            members[number].team_size = size;
            members[number].number = i;
            members[number].worker = &workers[number];
            members[number].workshare.node = &node;
            workers[number].domain.store(domains[number], platform::relaxed);
            entries[number].store(&members[number], platform::relaxed);
        }
        if (hints)
            note_loop_data(members[creator], array, element);
        for (int i = 1; later_region && i < size; ++i)
            workers[static_cast<size_t>(i)].mailbox.epoch.store(
                workers[static_cast<size_t>(i)].posted += next_epoch, platform::relaxed);
        shares.assign(domains.size(), {});
        calls = 0;
        known = deal_by_data(members[creator], loop, note_share, this);
        claimed = node.next_is_dealt.load(platform::relaxed) != 0;
        std::string text;
        for (const auto& [first, end] : shares)
            text += first == end ? "- " : std::to_string(first) + "-" + std::to_string(end) + " ";
        return text;
    }

    static void note_share(void* context, int32_t number, uint64_t first, uint64_t end) {
        auto& test = *static_cast<LoopDataTest*>(context);
        test.shares[static_cast<size_t>(number)] = {first, end};
        ++test.calls;
    }

    static inline const size_t page = platform::page_size();
    static inline place::DomainShares all;
    static inline char* array = nullptr;
    bool hints = true, known = false, later_region = false;
    bool claimed = false, appended = false; ///< the loop, by another member; then by anybody
    bool combined = false;
    size_t creator = 0;
    int calls = 0;
    std::vector<std::pair<uint64_t, uint64_t>> shares;
};

TEST_F(LoopDataTest, EachThreadHasItsDomains) {
    EXPECT_EQ(dealt({0, 1, 2, 3}, 8), "0-2 2-4 4-6 6-8 ");
    EXPECT_EQ(dealt({3, 0, 2, 1}, 8), "6-8 0-2 4-6 2-4 ");
    EXPECT_EQ(dealt({0, 1, 0, 1, 2, 3}, 8), "0-1 2-3 1-2 3-4 4-6 6-8 ");
    EXPECT_EQ(dealt({0, 0, 0, 1, 2, 3}, 8), "0-1 1-2 - 2-4 4-6 6-8 ");
    EXPECT_EQ(calls, 6);
    EXPECT_EQ(dealt({0, 1, 2, 3}, 4, 2), "0-1 1-2 2-3 3-4 ");
}

TEST_F(LoopDataTest, DomainsWithoutThreads) {
    EXPECT_EQ(dealt({1, 3}, 8), "0-6 6-8 "); // the parts of 0 and of 2 go with 1
    EXPECT_EQ(dealt({2}, 8), "0-8 ");
}

TEST_F(LoopDataTest, NothingIsDealtWhereSomethingIsNotKnown) {
    EXPECT_EQ(dealt({0, 1, -1, 3}, 8), "- - - - ");
    EXPECT_FALSE(known);
    EXPECT_EQ(calls, 0);
    dealt({0, 1}, 8, 1, 0); // elements without bytes
    EXPECT_FALSE(known);
    dealt({0, 1}, 8, UINT64_MAX, page);
    EXPECT_FALSE(known);
    dealt({0, 1}, 0);
    EXPECT_FALSE(known);
    dealt({0, 1}, 1); // all in one domain
    EXPECT_FALSE(known);
    hints = false;
    dealt({0, 1}, 8);
    EXPECT_FALSE(known);
    EXPECT_EQ(calls, 0);
}

// Regions of one team begin with the same node.
TEST_F(LoopDataTest, WhatWasSaidInARegionIsNotForTheNextOne) {
    for (creator = 0; creator < 2; ++creator)
        for (const bool later : {false, true}) {
            later_region = later;
            dealt({0, 1, 2, 3}, 8);
            EXPECT_EQ(known, !later) << creator;
        }
}

TEST_F(LoopDataTest, OneMemberDealsForAll) {
    claimed = appended = true;
    dealt({0, 1, 2, 3}, 8);
    EXPECT_TRUE(known);
    EXPECT_EQ(calls, 0);
}

TEST_F(LoopDataTest, WhoBeganToDealMayBeStopped) {
    EXPECT_EQ(dealt({0, 1, 2, 3}, 8), "0-2 2-4 4-6 6-8 ");
    EXPECT_TRUE(claimed);
    EXPECT_EQ(dealt({0, 1, 2, 3}, 8), "0-2 2-4 4-6 6-8 ");
}

// Others come later; the mark would be taken for that of the region after this one.
TEST_F(LoopDataTest, CombinedLoopIsNotClaimed) {
    combined = true;
    EXPECT_EQ(dealt({0, 1, 2, 3}, 8), "0-2 2-4 4-6 6-8 ");
    EXPECT_FALSE(claimed);
}

TEST_F(LoopDataTest, SharesMakeUpTheLoop) {
    std::mt19937 random(11);
    for (int trial = 0; trial < 500; ++trial) {
        std::vector<int> domains(1 + random() % 16);
        for (int& domain : domains)
            domain = static_cast<int>(random() % 4);
        const uint64_t units = 1 + random() % 3000;
        dealt(domains, units, 1 + random() % 3, 1 + random() % 64);
        if (!known)
            continue;
        std::vector<int> times(units, 0);
        for (const auto& [first, end] : shares)
            for (uint64_t i = first; i < end; ++i)
                ++times[i];
        for (uint64_t i = 0; i < units; ++i)
            ASSERT_EQ(times[i], 1) << "unit " << i << " of " << units;
        EXPECT_EQ(calls, static_cast<int>(domains.size()));
    }
}

} // namespace
} // namespace heddle::team
