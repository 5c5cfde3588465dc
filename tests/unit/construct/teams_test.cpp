// SPDX-License-Identifier: Apache-2.0
// Leagues: how many teams, what each of them is born with, what is left when the league has ended,
// and which threads its parallel regions use.
#include "construct/teams.hpp"

#include "config/device_variables.hpp"
#include "construct/icvs.hpp"
#include "construct/parallel.hpp"
#include "construct/task.hpp"
#include "team/fork_join.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace heddle::construct {
namespace {

/// What a team sees of itself.
struct Seen {
    int number, size, level, active_level, threads, thread, thread_limit, nthreads;
};

void look(void* raw) {
    const team::Member& member = team::self();
    const team::Team& initial = team::initial_team(member);
    static_cast<std::vector<Seen>*>(raw)->push_back(
        {initial.league.number, initial.league.size, member.team->level, member.team->active_level,
         member.team_size, member.number, task_icvs().thread_limit, task_icvs().nthreads});
}

std::vector<Seen> league(unsigned num_teams, unsigned thread_limit) {
    std::vector<Seen> seen;
    host_teams(look, &seen, num_teams, thread_limit, 3);
    return seen;
}

TEST(HostTeams, RunsAsManyAsAskedFor) {
    const std::vector<Seen> seen = league(4, 0);
    ASSERT_EQ(seen.size(), 4u);
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(seen[static_cast<size_t>(i)].number, i);
        EXPECT_EQ(seen[static_cast<size_t>(i)].size, 4);
    }
}

TEST(HostTeams, TakesTheNumberFromTheVariableElseThree) {
    EXPECT_EQ(league(0, 0).size(), 3u);
    config::set_num_teams(2);
    EXPECT_EQ(league(0, 0).size(), 2u);
    EXPECT_EQ(league(5, 0).size(), 5u);
    config::set_num_teams(0);
    EXPECT_EQ(league(0, 0).size(), 3u);
}

TEST(HostTeams, TakesTheThreadLimitFromClauseElseVariable) {
    const int outside = task_icvs().thread_limit;
    EXPECT_EQ(league(1, 0)[0].thread_limit, outside);
    config::set_teams_thread_limit(7);
    EXPECT_EQ(league(1, 0)[0].thread_limit, 7);
    EXPECT_EQ(league(1, 5)[0].thread_limit, 5);
    EXPECT_EQ(league(1, ~0u)[0].thread_limit, 0x7fffffff);
    config::set_teams_thread_limit(0);
    EXPECT_EQ(task_icvs().thread_limit, outside);
}

TEST(HostTeams, EachIsAnInitialTeamOfOneThread) {
    const int nthreads = task_icvs().nthreads;
    task_icvs_for_write().nthreads = nthreads + 5;
    const team::Member* outside = &team::self();
    for (const Seen& team : league(3, 0)) {
        EXPECT_EQ(team.level, 0);
        EXPECT_EQ(team.active_level, 0);
        EXPECT_EQ(team.threads, 1);
        EXPECT_EQ(team.thread, 0);
        EXPECT_EQ(team.nthreads, nthreads + 5); // of the task that met the construct
    }
    EXPECT_EQ(&team::self(), outside);
    EXPECT_EQ(team::initial_team(*outside).league.size, 1);
    EXPECT_EQ(team::initial_team(*outside).league.number, 0);
    task_icvs_for_write().nthreads = nthreads;
}

TEST(HostTeams, ControlVariablesStayInTheirTeam) {
    const int outside = task_icvs().nthreads;
    std::vector<int> seen;
    host_teams(
        [](void* raw) {
            static_cast<std::vector<int>*>(raw)->push_back(task_icvs().nthreads);
            task_icvs_for_write().nthreads = 77;
        },
        &seen, 3, 0, 3);
    EXPECT_EQ(seen, (std::vector<int>{outside, outside, outside}));
    EXPECT_EQ(task_icvs().nthreads, outside);
}

/// Sizes of two regions of 4 threads, one inside the other.
struct Sizes {
    int outer, inner;
};

void nested_regions(void* raw) {
    task_icvs_for_write().max_active_levels = 2;
    parallel(
        [](void* outer) {
            auto& sizes = *static_cast<Sizes*>(outer);
            if (team::self().number != 0)
                return;
            sizes.outer = team::self().team_size;
            parallel(
                [](void* inner) {
                    if (team::self().number == 0)
                        static_cast<Sizes*>(inner)->inner = team::self().team_size;
                },
                &sizes, 4);
        },
        raw, 4);
}

TEST(HostTeams, TheLimitHoldsForTheContentionGroupOfEachTeam) {
    Sizes sizes{};
    host_teams(nested_regions, &sizes, 2, 5, 3);
    EXPECT_EQ(sizes.outer, 4);
    EXPECT_EQ(sizes.inner, 2); // four are busy, a fifth is left
    host_teams(nested_regions, &sizes, 2, 2, 3);
    EXPECT_EQ(sizes.outer, 2);
    EXPECT_EQ(sizes.inner, 1);
}

void find_second_worker(void* raw) {
    if (team::self().number == 1)
        *static_cast<team::Worker**>(raw) = team::self().worker;
}

TEST(HostTeams, RegionsInsideUseTheThreadsOfRegionsOutside) {
    team::Worker *before = nullptr, *inside = nullptr, *after = nullptr;
    parallel(find_second_worker, &before, 2);
    host_teams([](void* raw) { parallel(find_second_worker, raw, 2); }, &inside, 2, 0, 3);
    parallel(find_second_worker, &after, 2);
    EXPECT_NE(before, nullptr);
    EXPECT_EQ(inside, before);
    EXPECT_EQ(after, before);
}

TEST(HostTeams, ThreadsInsideKnowTheirTeam) {
    int numbers[3] = {-1, -1, -1};
    host_teams(
        [](void* raw) {
            parallel(
                [](void* inner) {
                    const team::Member& member = team::self();
                    if (member.number == 1)
                        static_cast<int*>(inner)[team::initial_team(member).league.number] =
                            member.team->level;
                },
                raw, 2);
        },
        numbers, 3, 0, 3);
    for (int level : numbers)
        EXPECT_EQ(level, 1);
}

TEST(InitialTeam, InsideARegionGivesItsThreadsBack) {
    static team::Team* innermost;
    parallel(
        [](void*) {
            if (team::self().number != 1)
                return;
            team::Member& initial =
                team::begin_initial_team(team::self(), config::settings().initial);
            EXPECT_EQ(initial.team->level, 0);
            parallel(
                [](void*) {
                    if (team::self().number == 0)
                        innermost = team::self().team;
                },
                nullptr, 3);
            EXPECT_EQ(innermost->level, 1);
            EXPECT_EQ(innermost->size, 3);
            EXPECT_EQ(innermost->attached, 1); // a thread of the pool keeps none for itself
            team::end_initial_team(initial);
        },
        nullptr, 2);
    EXPECT_NE(innermost, nullptr);
}

TEST(TeamsOfTarget, TakeTurnsInTheRegion) {
    team::Member& initial = team::begin_initial_team(team::self(), config::settings().initial);
    std::vector<Seen> seen;
    for (bool first = true; next_team(initial, 3, 4, first); first = false) {
        look(&seen);
        task_icvs_for_write().nthreads = 99;
    }
    team::end_initial_team(initial);
    ASSERT_EQ(seen.size(), 3u);
    for (int i = 0; i < 3; ++i) {
        const Seen& team = seen[static_cast<size_t>(i)];
        EXPECT_EQ(team.number, i);
        EXPECT_EQ(team.size, 3);
        EXPECT_EQ(team.thread_limit, 4);
        EXPECT_EQ(team.nthreads, config::settings().initial.nthreads);
    }
}

TEST(TeamsOfTarget, AreOneWithoutClause) {
    team::Member& initial = team::begin_initial_team(team::self(), config::settings().initial);
    EXPECT_TRUE(next_team(initial, 0, 0, true));
    EXPECT_EQ(task_icvs().thread_limit, config::settings().initial.thread_limit);
    EXPECT_FALSE(next_team(initial, 0, 0, false));
    team::end_initial_team(initial);
}

} // namespace
} // namespace heddle::construct
