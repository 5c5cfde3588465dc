// SPDX-License-Identifier: Apache-2.0
// Successor lists on real threads: what is added is released once or refused, with the finisher's
// work visible, and one of the two sides frees.
#include "concurrent/successor_list.hpp"

#include "threads.hpp"

#include <gtest/gtest.h>

namespace {

using heddle::concurrent::SuccessorList;
namespace platform = heddle::platform;

TEST(SuccessorList, releases_links_newest_first) {
    SuccessorList list;
    list.reset(false);
    SuccessorList::Link links[3] = {};
    for (SuccessorList::Link& link : links)
        EXPECT_TRUE(list.add(link));
    EXPECT_FALSE(list.closed());
    const SuccessorList::Closing closing = list.close();
    EXPECT_FALSE(closing.abandoned);
    EXPECT_EQ(closing.newest, &links[2]);
    EXPECT_EQ(links[2].next, &links[1]);
    EXPECT_EQ(links[1].next, &links[0]);
    EXPECT_EQ(links[0].next, nullptr);
    EXPECT_TRUE(list.closed());
}

TEST(SuccessorList, refuses_once_closed) {
    SuccessorList list;
    list.reset(false);
    EXPECT_EQ(list.close().newest, nullptr);
    SuccessorList::Link link{};
    EXPECT_FALSE(list.add(link));
    EXPECT_TRUE(list.abandon());
}

TEST(SuccessorList, tells_the_finisher_that_it_is_abandoned) {
    SuccessorList list;
    list.reset(false);
    SuccessorList::Link link{};
    EXPECT_TRUE(list.add(link));
    EXPECT_FALSE(list.abandon());
    const SuccessorList::Closing closing = list.close();
    EXPECT_TRUE(closing.abandoned);
    EXPECT_EQ(closing.newest, &link);
    list.reset(true);
    EXPECT_TRUE(list.close().abandoned);
}

TEST(SuccessorList, is_closed_once_while_links_are_added) {
    constexpr uint32_t links_a_round = 4;
    const int rounds = 20000 / test::slower;
    struct Round {
        SuccessorList list;
        SuccessorList::Link links[links_a_round];
        uint32_t work = 0, added = 0, released = 0;
        bool freed_by_finisher = false, freed_by_adder = false;
    };
    std::vector<Round> all(static_cast<size_t>(rounds));
    for (Round& round : all)
        round.list.reset(false);
    platform::Atomic<int> at{0}; // both sides do the same round at about the same time
    test::on_threads(2, [&](int me) {
        for (int i = 0; i < rounds; ++i) {
            Round& round = all[static_cast<size_t>(i)];
            at.fetch_add(1, platform::relaxed);
            for (int patience = 0; patience < 1000 && at.load(platform::relaxed) < 2 * i + 2;
                 ++patience)
                platform::relax();
            if (me == 0) {
                round.work = 7;
                const SuccessorList::Closing closing = round.list.close();
                for (auto* link = closing.newest; link; link = link->next)
                    ++round.released;
                round.freed_by_finisher = closing.abandoned;
                continue;
            }
            for (SuccessorList::Link& link : round.links)
                if (round.list.add(link))
                    ++round.added;
                else
                    EXPECT_EQ(round.work, 7u); // visible to whom is refused
            round.freed_by_adder = round.list.abandon();
        }
    });
    for (const Round& round : all) {
        EXPECT_EQ(round.added, round.released);
        EXPECT_NE(round.freed_by_finisher, round.freed_by_adder);
    }
}

} // namespace
