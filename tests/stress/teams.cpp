// SPDX-License-Identifier: Apache-2.0
// Leagues and target regions with parallel regions and tasks inside, from the initial thread and
// from many threads at once: every iteration once, numbers and levels right, state restored.
#include "stress.hpp"

#include <omp.h>
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
    int run = 0, tasks = 0;
};

/// What is not allowed to stand in a teams construct itself.
void be_a_team(League& league) {
    expect(omp_get_num_teams() == league.teams && omp_get_level() == 0, "a team's numbers");
    expect(omp_get_thread_limit() == league.limit, "a team's thread limit");
    expect(omp_get_team_num() == league.run, "team %d instead of %d", omp_get_team_num(),
           league.run);
    league.run++;
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
        expect(league.run == league.teams, "%d teams of %d", league.run, league.teams);
        expect(league.tasks >= league.teams && league.tasks <= league.teams * league.limit,
               "%d tasks in %d teams", league.tasks, league.teams);
        expect(outside_of_everything() && omp_get_max_threads() == outside,
               "what is left of a league");
    }
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

} // namespace

int main() {
    fork_in_a_team();
    host_leagues(stress::scaled(2000));
    targets_everywhere(stress::scaled(400));
    deferred_targets(stress::scaled(400));
    return stress::result("teams");
}
