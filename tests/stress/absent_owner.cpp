// SPDX-License-Identifier: Apache-2.0
// Who creates tasks and then waits for them in a loop of its own, which holds no task scheduling
// point: the others have to run them all, also those that it has not published. So it is for a task
// that waits for older ones. OpenMP promises neither; programs do it, and libgomp runs them.
#include "stress.hpp"

#include <chrono>
#include <memory>
#include <omp.h>
#include <sched.h>
#include <thread>

namespace {

using stress::expect;
using stress::Random;

/// The tasks of one round: how many are complete, and how often each has run.
struct Round {
    explicit Round(int count) : runs(new std::atomic<int>[static_cast<size_t>(count)]()) {}

    void run(int task, unsigned busy) {
        stress::work(busy);
        runs[static_cast<size_t>(task)].fetch_add(1, std::memory_order_relaxed);
        complete.fetch_add(1, std::memory_order_release);
    }
    void await(int count) const {
        while (complete.load(std::memory_order_acquire) < count)
            sched_yield();
    }
    void check(int count, const char* where) const {
        for (int i = 0; i < count; ++i) {
            const int times = runs[static_cast<size_t>(i)].load(std::memory_order_relaxed);
            expect(times == 1, "%s: task %d of %d ran %d times", where, i, count, times);
        }
    }

    std::unique_ptr<std::atomic<int>[]> runs;
    std::atomic<int> complete{0};
};

/// A moment in which others may come to seize what this thread has.
void stay_away(Random& random) {
    switch (random.below(4)) {
    case 0:
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(4000)));
        break;
    case 1:
        stress::work(random.below(2'000'000));
        break;
    default:
        stress::work(random.below(2000));
    }
}

/// One thread creates, goes away and comes back, and at last waits in its own loop.
void producer_polls(int threads, uint64_t seed) {
    Random random(seed);
    const int count = 1 + static_cast<int>(random.below(random.chance(20) ? 2000 : 40));
    Round round(count);
    int chain [[maybe_unused]] = 0; // gcc does not count a depend clause as a use
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
        for (int i = 0; i < count; ++i) {
            const unsigned busy = random.below(200);
            if (random.chance(20)) {
#pragma omp task firstprivate(i, busy) shared(round) depend(inout : chain)
                round.run(i, busy);
            } else {
#pragma omp task firstprivate(i, busy) shared(round)
                round.run(i, busy);
            }
            if (random.chance(4))
                stay_away(random);
            if (random.chance(2)) {
#pragma omp taskyield
            }
            if (random.chance(1)) {
#pragma omp taskwait
            }
        }
        round.await(count);
    }
    round.check(count, "a producer that polls");
}

/// Each task waits for all that were created before it.
void tasks_poll(int threads, uint64_t seed) {
    Random random(seed);
    const int count = 1 + static_cast<int>(random.below(40));
    Round round(count);
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (int i = 0; i < count; ++i) {
        const unsigned busy = random.below(200);
#pragma omp task firstprivate(i, busy) shared(round)
        {
            round.await(i);
            round.run(i, busy);
        }
    }
    round.check(count, "tasks that poll");
}

} // namespace

int main() {
    const int threads = omp_get_max_threads();
    uint64_t seed = stress::seed() * 1'000'000;
    for (int round = 0; round < stress::scaled(60); ++round) {
        producer_polls(threads, ++seed);
        producer_polls(2 * threads + 1, ++seed);
        tasks_poll(threads, ++seed);
    }
    return stress::result("absent_owner");
}
