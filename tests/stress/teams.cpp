// SPDX-License-Identifier: Apache-2.0
// Leagues and target regions with parallel regions and tasks inside, from the initial thread and
// from many threads at once: every iteration once, numbers and levels right, state restored.
#include "stress.hpp"

#include <omp.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using stress::expect;

bool outside_of_everything() {
    return omp_get_num_teams() == 1 && omp_get_team_num() == 0 && omp_get_level() == 0 &&
           !omp_in_parallel();
}

struct League {
    int teams, threads, limit;
    unsigned run = 0; ///< a bit for each team
    int tasks = 0;
};

/// What is not allowed to stand in a teams construct itself.
void be_a_team(League& league) {
    expect(omp_get_num_teams() == league.teams && omp_get_level() == 0, "a team's numbers");
    expect(omp_get_thread_limit() == league.limit, "a team's thread limit");
    const unsigned mine = 1u << omp_get_team_num();
    const unsigned before = __atomic_fetch_or(&league.run, mine, __ATOMIC_RELAXED);
    expect((before & mine) == 0, "team %d twice", omp_get_team_num());
    omp_set_num_threads(league.threads);
}

void host_leagues(int rounds) {
    stress::Random random(stress::seed());
    const int outside = omp_get_max_threads();
    for (int round = 0; round < rounds; ++round) {
        League league{1 + static_cast<int>(random.below(5)), 1 + static_cast<int>(random.below(4)),
                      1 + static_cast<int>(random.below(6))};
        const int count = 1 + static_cast<int>(random.below(500));
        std::vector<int> done(static_cast<size_t>(count), 0);
#pragma omp teams num_teams(league.teams) thread_limit(league.limit) shared(done, league)
        {
            be_a_team(league);
#pragma omp distribute parallel for schedule(dynamic)
            for (int i = 0; i < count; ++i) {
                expect(omp_get_num_threads() <= league.limit, "%d threads", omp_get_num_threads());
                expect(omp_get_level() == 1, "level %d", omp_get_level());
#pragma omp atomic
                done[static_cast<size_t>(i)]++;
            }
#pragma omp parallel
#pragma omp task
            {
#pragma omp atomic
                league.tasks++;
            }
        }
        for (int i = 0; i < count; ++i)
            expect(done[static_cast<size_t>(i)] == 1, "iteration %d of a league", i);
        expect(league.run == (1u << league.teams) - 1, "teams %x of %d", league.run, league.teams);
        expect(league.tasks >= league.teams && league.tasks <= league.teams * league.limit,
               "%d tasks in %d teams", league.tasks, league.teams);
        expect(outside_of_everything() && omp_get_max_threads() == outside,
               "what is left of a league");
    }
}

/// A team waits until all others are there.
void meet(int* arrived, int teams) {
    __atomic_fetch_add(arrived, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(arrived, __ATOMIC_RELAXED) != teams)
        sched_yield();
    expect(omp_get_level() == 0 && omp_get_thread_num() == 0 && omp_get_num_threads() == 1 &&
               omp_get_num_teams() == teams,
           "a team beside others");
}

/// Teams whose threads a parallel region could have as well run at once: here they wait for each
/// other, and use what they have, threads of a region among it.
void leagues_at_once(int rounds) {
    const int outside = omp_get_max_threads();
    for (int round = 0; round < rounds; ++round) {
        const int teams = 2 + round % 3, limit = 1 + round % 2;
        omp_set_num_threads(teams * limit);
        int arrived = 0, threads = 0, tasks = 0;
#pragma omp teams num_teams(teams) thread_limit(limit) shared(arrived, threads, tasks)
        {
            meet(&arrived, teams);
#pragma omp parallel
            {
#pragma omp atomic
                threads++;
#pragma omp task shared(tasks)
                {
#pragma omp atomic
                    tasks++;
                }
            }
        }
        expect(threads == teams * limit && tasks == threads, "%d threads and %d tasks, not %d",
               threads, tasks, teams * limit);
        expect(outside_of_everything(), "what is left of a league at once");
    }
    omp_set_num_threads(outside);
}

/// Every thread runs target regions of its own, with teams and threads inside.
void targets_everywhere(int rounds) {
#pragma omp parallel
    {
        const int me = omp_get_thread_num(), threads = omp_get_num_threads();
        stress::Random random(stress::mix(stress::seed(), static_cast<uint64_t>(me)));
        for (int round = 0; round < rounds; ++round) {
            const int teams = 1 + static_cast<int>(random.below(3));
            const int count = 1 + static_cast<int>(random.below(200));
            long sum = 0;
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(2)                  \
    reduction(+ : sum) map(tofrom : sum)
            for (int i = 0; i < count; ++i)
                sum += i + omp_get_level(); // 1
            expect(sum == static_cast<long>(count) * (count - 1) / 2 + count, "a target's sum");
            expect(omp_get_thread_num() == me && omp_get_num_threads() == threads,
                   "a thread's number after its target region");
        }
    }
    expect(outside_of_everything(), "what is left of the regions around target regions");
}

/// Deferred target regions, which other threads run, with regions and tasks inside.
void deferred_targets(int rounds) {
    constexpr int batch = 20;
    for (int round = 0; round < rounds; ++round) {
        int squares[batch] = {}, runs = 0;
#pragma omp parallel
#pragma omp single
        {
            for (int i = 0; i < batch; ++i) {
                int mine[3] = {i, i, i};
#pragma omp target nowait firstprivate(mine) map(tofrom : squares, runs)
                {
                    int product = 0;
#pragma omp parallel num_threads(2) reduction(+ : product)
                    {
                        if (omp_get_thread_num() == 0)
                            product += mine[0] * mine[2];
#pragma omp task shared(runs)
                        {
#pragma omp atomic
                            runs++;
                        }
                    }
                    squares[i] = product;
                    mine[0] = -1;
                }
            }
#pragma omp taskwait
            for (int i = 0; i < batch; ++i)
                expect(squares[i] == i * i, "deferred target region %d: %d", i, squares[i]);
        }
        expect(runs >= batch && runs <= 2 * batch, "%d tasks of target regions", runs);
    }
}

/// A child of fork() inside a team goes on with the team, and then with regions outside.
void fork_in_a_team() {
#if !defined(__SANITIZE_THREAD__) // whose run-time library allows no threads in forked children
    int threads = 0;
#pragma omp parallel num_threads(3) reduction(+ : threads)
    threads++;
    pid_t child = -1;
    fflush(nullptr);
#pragma omp teams num_teams(2) shared(child, threads)
    {
        if (child == -1)
            child = fork();
#pragma omp parallel num_threads(2) reduction(+ : threads)
        threads++;
    }
#pragma omp parallel num_threads(4) reduction(+ : threads)
    threads++;
    expect(threads == 3 + 2 * 2 + 4, "%d threads around a fork", threads);
    expect(outside_of_everything(), "what is left of a league with a fork");
    if (child == 0)
        _exit(stress::failures.load() != 0);
    int status = -1;
    expect(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
           "a child forked in a team ended with status %x", static_cast<unsigned>(status));
#endif
}

/// Which teams fork. AddressSanitizer looks for leaks at exit(), and in a child of a thread of the
/// pool does not see what the initial thread, which is not there, refers to.
#if defined(__SANITIZE_ADDRESS__)
constexpr int forking_teams = 1;
#else
constexpr int forking_teams = 2;
#endif

/// The same where the teams run at once. Team 0 is the initial thread's, which goes on in its
/// child; team 1 is of a thread of the pool, with which its child ends.
void fork_in_teams_at_once() {
#if !defined(__SANITIZE_THREAD__)
    const int outside = omp_get_max_threads();
    omp_set_num_threads(2);
    pid_t children[forking_teams] = {};
    bool in_child = false;
    fflush(nullptr);
#pragma omp teams num_teams(2) thread_limit(1) shared(children, in_child)
    {
        const int number = omp_get_team_num();
        if (number < forking_teams) {
            const pid_t child = fork();
            children[number] = child;
            if (child == 0)
                in_child = stress::done = true; // team 1's child ends in the middle
        }
    }
    int threads = 0;
#pragma omp parallel num_threads(4) reduction(+ : threads)
    threads++;
    expect(threads == 4, "%d threads after forks in teams at once", threads);
    expect(outside_of_everything(), "what is left of a league with forks");
    if (in_child)
        _exit(stress::failures.load() != 0);
    for (const pid_t child : children) {
        int status = -1;
        expect(waitpid(child, &status, 0) == child, "no child of a team at once");
        expect(status == 0, "a child forked in a team at once ended with status %x",
               static_cast<unsigned>(status));
    }
    omp_set_num_threads(outside);
#endif
}

} // namespace

int main() {
    fork_in_a_team();
    for (int i = stress::scaled(20); i > 0; --i)
        fork_in_teams_at_once();
    leagues_at_once(stress::scaled(1000));
    host_leagues(stress::scaled(2000));
    targets_everywhere(stress::scaled(400));
    deferred_targets(stress::scaled(400));
    return stress::result("teams");
}
