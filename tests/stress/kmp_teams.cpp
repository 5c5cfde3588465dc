// SPDX-License-Identifier: Apache-2.0
// Leagues by clang's entry points, from the initial thread and from every thread of a team: how
// many teams and threads, any number of captured variables, a reduction over the teams, and
// everything as before when the league has ended.
#include "kmp_tasks.hpp"
#include "stress.hpp"

#include <omp.h>

namespace {

using stress::expect;

struct League {
    int teams; ///< expected
    int limit; ///< 0: as outside
    int run = 0, threads = 0;
    CriticalName name{};
};

int32_t global() { return __kmpc_global_thread_num(nullptr); }

void sum(void* into, void* from) { **static_cast<int**>(into) += **static_cast<int**>(from); }

/// A team with a parallel region inside, and the end of a reduction on the teams construct.
void run_team(League& league) {
    expect(omp_get_num_teams() == league.teams, "%d teams", omp_get_num_teams());
    expect(omp_get_team_num() >= 0 && omp_get_team_num() < league.teams, "the team's number");
    expect(omp_get_level() == 0 && omp_get_num_threads() == 1, "an initial thread");
    if (league.limit)
        expect(omp_get_thread_limit() == league.limit, "limit %d", omp_get_thread_limit());
    int threads = 0;
#pragma omp parallel num_threads(3) reduction(+ : threads)
    threads += 1;
    expect(threads <= 3 && (!league.limit || threads <= league.limit), "%d threads", threads);
    int one = 1;
    void* parts[1] = {&one};
    Ident where{0, 0x12, 0, 0, nullptr};
    switch (__kmpc_reduce(&where, global(), 1, sizeof parts, parts, sum, &league.name)) {
    case 1:
        league.run += one;
        __kmpc_end_reduce(&where, global(), &league.name);
        break;
    case 2:
        __atomic_fetch_add(&league.run, one, __ATOMIC_RELAXED);
        __kmpc_end_reduce(&where, global(), &league.name);
    }
}

void outlined_1(int32_t* number, int32_t* bound, League* league) {
    expect(*number == global() && *bound == 0, "the thread's numbers");
    run_team(*league);
}

void outlined_0(int32_t*, int32_t*) {
    expect(omp_get_num_teams() == 2, "a region that captures nothing");
}

void outlined_9(int32_t*, int32_t*, League* league, intptr_t b, intptr_t c, intptr_t d, intptr_t e,
                intptr_t f, intptr_t g, intptr_t h, intptr_t i) {
    expect(b == 2 && c == 3 && d == 4 && e == 5 && f == 6 && g == 7 && h == 8 && i == -9,
           "captured variables");
    run_team(*league);
}

using Outlined = void (*)(int32_t*, int32_t*, ...);

void fork_all(League& league) {
    __kmpc_fork_teams(nullptr, 1, reinterpret_cast<Outlined>(outlined_1), &league);
    expect(league.run == league.teams, "%d teams have run, not %d", league.run, league.teams);
    expect(omp_get_num_teams() == 1 && omp_get_team_num() == 0, "teams after the league");
}

void leagues(uint64_t seed, int rounds) {
    stress::Random random(seed);
    const int level = omp_get_level(), limit = omp_get_thread_limit();
    for (int round = 0; round < rounds; ++round) {
        const int teams = 1 + static_cast<int>(random.below(5));
        const int most = static_cast<int>(random.below(4));
        League exact{teams, most}, bounded{teams, most}, several{teams, 0}, plain{1, 0};
        __kmpc_push_num_teams(nullptr, global(), teams, most);
        fork_all(exact);
        __kmpc_push_num_teams_51(nullptr, global(),
                                 1 + static_cast<int>(random.below(static_cast<unsigned>(teams))),
                                 teams, most);
        fork_all(bounded);
        fork_all(plain); // the clauses were for one league
        __kmpc_push_num_teams(nullptr, global(), teams, 0);
        __kmpc_fork_teams(nullptr, 9, reinterpret_cast<Outlined>(outlined_9), &several, intptr_t{2},
                          intptr_t{3}, intptr_t{4}, intptr_t{5}, intptr_t{6}, intptr_t{7},
                          intptr_t{8}, intptr_t{-9});
        expect(several.run == teams, "%d teams have run, not %d", several.run, teams);
        __kmpc_push_num_teams(nullptr, global(), 2, 0);
        __kmpc_fork_teams(nullptr, 0, reinterpret_cast<Outlined>(outlined_0));
        expect(omp_get_level() == level && omp_get_thread_limit() == limit, "after the leagues");
    }
}

/// The thread_limit clause of a target region is its task's alone.
void limit_of_a_task() {
    const int outside = omp_get_thread_limit();
#pragma omp task if (0)
    {
        __kmpc_set_thread_limit(nullptr, global(), 2);
        expect(omp_get_thread_limit() == 2, "limit %d", omp_get_thread_limit());
        int threads = 0;
#pragma omp parallel num_threads(4) reduction(+ : threads)
        threads += 1;
        expect(threads <= 2, "%d threads", threads);
    }
    expect(omp_get_thread_limit() == outside, "the limit after the task");
}

} // namespace

int main() {
    const int rounds = stress::scaled(60);
    leagues(stress::seed(), rounds);
    limit_of_a_task();
#pragma omp parallel
    leagues(stress::seed() + static_cast<uint64_t>(omp_get_thread_num()), rounds / 4 + 1);
    return stress::result("kmp_teams");
}
