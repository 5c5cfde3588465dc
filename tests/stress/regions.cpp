// SPDX-License-Identifier: Apache-2.0
// Parallel regions: nested, of changing sizes, opened by many threads of the program at once, by
// threads that end, and in forked children; and what tasks inherit: control variables as they were
// when a task was created, levels, ancestors.
#include "stress.hpp"

#include <omp.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using stress::expect;
using stress::Random;

void changing_sizes(int rounds, uint64_t seed) {
    Random random(seed);
    for (int round = 0; round < rounds; ++round) {
        const int threads = 1 + static_cast<int>(random.below(12));
        std::vector<int> seen(static_cast<size_t>(threads));
        int size = 0;
#pragma omp parallel num_threads(threads)
        {
            seen[static_cast<size_t>(omp_get_thread_num())] += 1;
#pragma omp single
            size = omp_get_num_threads();
        }
        expect(size == threads, "%d threads instead of %d", size, threads);
        for (int count : seen)
            expect(count == 1, "a thread number occurs %d times", count);
    }
}

void check_ancestors(int level, const int* numbers, const int* sizes) {
    expect(omp_get_level() == level, "level %d instead of %d", omp_get_level(), level);
    for (int i = 0; i <= level; ++i) {
        expect(omp_get_ancestor_thread_num(i) == numbers[i], "ancestor at level %d", i);
        expect(omp_get_team_size(i) == sizes[i], "team size at level %d", i);
    }
    expect(omp_get_ancestor_thread_num(level + 1) == -1 && omp_get_team_size(level + 1) == -1 &&
               omp_get_ancestor_thread_num(-1) == -1,
           "ancestors that are not there");
}

std::atomic<int> leaves{0};

/// Regions in regions, some of one thread, some inside explicit tasks.
void nest(int level, int deepest, const int* outer_numbers, const int* outer_sizes, uint64_t seed) {
    check_ancestors(level, outer_numbers, outer_sizes);
    if (level == deepest) {
        ++leaves;
        return;
    }
    const int threads = 1 + static_cast<int>(seed % 3);
#pragma omp parallel num_threads(threads)
    {
        int numbers[8], sizes[8];
        for (int i = 0; i <= level; ++i) {
            numbers[i] = outer_numbers[i];
            sizes[i] = outer_sizes[i];
        }
        numbers[level + 1] = omp_get_thread_num();
        sizes[level + 1] = omp_get_num_threads();
        expect(sizes[level + 1] == threads, "nested team of %d instead of %d", sizes[level + 1],
               threads);
        if (seed % 5 == 0) {
#pragma omp task firstprivate(level, deepest, seed)
            {
                int here[8]; // the thread that runs the task has its own number
                for (int i = 0; i <= level; ++i)
                    here[i] = numbers[i];
                here[level + 1] = omp_get_thread_num();
                nest(level + 1, deepest, here, sizes, stress::mix(seed, 1));
            }
#pragma omp taskwait
        } else {
            nest(level + 1, deepest, numbers, sizes, stress::mix(seed, 2));
        }
    }
    expect(omp_get_level() == level, "level after a region");
}

void nested(int rounds, uint64_t seed) {
    const int before = omp_get_max_active_levels();
    omp_set_max_active_levels(4);
    const int number = 0, size = 1;
    for (int round = 0; round < rounds; ++round) {
        leaves = 0;
        nest(0, 3, &number, &size, stress::mix(seed, static_cast<uint64_t>(round)));
        expect(leaves.load() > 0, "no leaf region");
    }
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
    {
        const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(3)
        expect(omp_get_num_threads() == 1 && omp_get_level() == 2 && omp_get_active_level() == 1 &&
                   omp_get_ancestor_thread_num(1) == outer,
               "a region beyond max-active-levels");
    }
    omp_set_max_active_levels(before);
}

long sum_in_region(int threads, int count) {
    long sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum) schedule(dynamic, 7)
    for (int i = 0; i < count; ++i)
        sum += i;
    std::atomic<long> tasks{0};
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (int i = 0; i < 20; ++i) {
#pragma omp task firstprivate(i)
        tasks += i;
    }
    return sum + tasks.load();
}

constexpr long expected_sum(int count) { return static_cast<long>(count) * (count - 1) / 2 + 190; }

/// Threads of the program open regions at the same time, then end; their places are taken anew.
void host_threads(int waves, uint64_t seed) {
    Random random(seed);
    for (int wave = 0; wave < waves; ++wave) {
        std::vector<std::thread> hosts;
        for (int host = 0; host < 6; ++host)
            hosts.emplace_back([threads = 1 + static_cast<int>(random.below(4)),
                                regions = static_cast<int>(random.below(6)), host] {
                omp_set_num_threads(host + 1);
                for (int i = 0; i < regions; ++i) {
                    const int size = i % 2 ? threads : 1;
                    expect(sum_in_region(size, 100 + i) == expected_sum(100 + i),
                           "a region of a host thread");
                }
                expect(omp_get_max_threads() == host + 1, "control variables of a host thread");
            });
        for (std::thread& host : hosts)
            host.join();
    }
}

/// A child of fork() opens regions; its parent has opened some of `before` threads, or none.
void fork_after(int before, const char* what) {
    if (before)
        expect(sum_in_region(before, 100) == expected_sum(100), "before a fork");
    fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        stress::failures = 0;
        for (int threads : {1, 2, 5, 3})
            expect(sum_in_region(threads, 200) == expected_sum(200), "in a child, %s", what);
        fflush(nullptr);
        _exit(stress::failures.load() != 0);
    }
    int status = -1;
    expect(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
           "a forked child ended with status %x, %s", static_cast<unsigned>(status), what);
    expect(sum_in_region(3, 100) == expected_sum(100), "after a fork");
}

void forks(int rounds) {
#if !defined(__SANITIZE_THREAD__) // whose run-time library allows no threads in forked children
    std::thread([] { fork_after(0, "of a fresh thread"); }).join();
    std::thread([] { fork_after(1, "after a region of one"); }).join();
    std::thread([] { fork_after(4, "after a region of four, on a thread"); }).join();
    for (int i = 0; i < rounds; ++i) {
        fork_after(0, "once more");
        fork_after(1 + i % 5, "after a region");
    }
#else
    (void)rounds;
    (void)fork_after;
#endif
}

struct Values {
    int threads, dynamic, levels;
    omp_sched_t kind;
    int chunk;
};

Values values() {
    Values now;
    now.threads = omp_get_max_threads();
    now.dynamic = omp_get_dynamic();
    now.levels = omp_get_max_active_levels();
    omp_get_schedule(&now.kind, &now.chunk);
    return now;
}

void set(int number) {
    omp_set_num_threads(number);
    omp_set_dynamic(number % 2);
    omp_set_max_active_levels(1 + number % 7);
    omp_set_schedule(omp_sched_dynamic, number);
}

void expect_values(int number, const char* where) {
    const Values now = values();
    expect(now.threads == number && now.dynamic == number % 2 && now.levels == 1 + number % 7 &&
               now.kind == omp_sched_dynamic && now.chunk == number,
           "control variables %d %d %d %d instead of %d, %s", now.threads, now.dynamic, now.levels,
           now.chunk, number, where);
}

/// Each task sees the values of its creation, whatever its parent does meanwhile.
void children_keep_values(int number, int depth) {
    for (int step = 0; step < 4; ++step) {
        const int mine = 10 * number + step + 1;
        set(mine);
        for (int i = 0; i < 3; ++i) {
#pragma omp task firstprivate(mine, depth)
            {
                stress::work(200);
                expect_values(mine, "in a child");
                if (depth > 0) {
                    // Children of a child that changes nothing, then of one that does.
#pragma omp task firstprivate(mine)
                    {
                        stress::work(500);
                        expect_values(mine, "in a grandchild");
                    }
                    if (mine % 3 == 0) {
                        children_keep_values(mine % 50 + 1, depth - 1);
                    } else if (mine % 3 == 1) {
#pragma omp taskwait
                        set(mine + 5);
                        expect_values(mine + 5, "in a child that changed them");
                    }
                }
            }
            expect_values(mine, "beside a child");
        }
        if (step == 1) {
#pragma omp taskgroup
            {
                set(mine + 1);
#pragma omp task firstprivate(mine)
                expect_values(mine + 1, "in a child in a taskgroup");
                set(mine + 2);
            }
            expect_values(mine + 2, "after a taskgroup");
            set(mine);
        }
        if (step == 2) {
#pragma omp taskwait
        }
        expect_values(mine, "at the end of a step");
    }
}

void inheritance(int rounds, int threads) {
    for (int round = 0; round < rounds; ++round) {
        set(40);
#pragma omp parallel num_threads(threads)
        {
            expect_values(40, "in an implicit task");
            children_keep_values(omp_get_thread_num() + 1, 2);
#pragma omp barrier
            set(7 + omp_get_thread_num());
#pragma omp barrier
            expect_values(7 + omp_get_thread_num(), "in an implicit task, its own");
        }
        expect_values(40, "after a region");
    }
}

/// A child and then a thief's grandchild still need the values when the parent changes them.
void grandchildren_keep_values(int rounds, int threads) {
    for (int round = 0; round < rounds; ++round) {
#pragma omp parallel num_threads(threads)
#pragma omp single
        for (int i = 1; i <= 20; ++i) {
            set(i);
#pragma omp task firstprivate(i)
            {
                for (int k = 0; k < 4; ++k) {
#pragma omp task firstprivate(i)
                    {
                        stress::work(1000);
                        expect_values(i, "in a grandchild whose parent has ended");
                    }
                }
            }
#pragma omp taskwait
        }
    }
}

} // namespace

int main() {
    const uint64_t seed = stress::seed();
    const int threads = omp_get_max_threads();
    omp_set_dynamic(0);
    forks(stress::scaled(10));
    changing_sizes(stress::scaled(10000), seed);
    nested(stress::scaled(300), seed);
    host_threads(stress::scaled(300), seed);
    forks(stress::scaled(10));
    inheritance(stress::scaled(300), threads);
    grandchildren_keep_values(stress::scaled(200), threads);
    omp_set_dynamic(0);
    omp_set_max_active_levels(1);
    host_threads(stress::scaled(20), seed + 1);
    return stress::result("regions");
}
