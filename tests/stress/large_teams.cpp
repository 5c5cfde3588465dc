// SPDX-License-Identifier: Apache-2.0
// Teams with a barrier tree, on far fewer CPUs: sizes that change from region to region, tasks that
// are run and created in barriers, nested teams whose threads the pool exchanges, events from
// outside, worksharing regions that some threads are far ahead in. Nobody passes a barrier while a
// task is unfinished; each single and each iteration runs once.
#include "stress.hpp"

#include <omp.h>
#include <thread>
#include <vector>

using stress::expect;
using stress::Random;

namespace {

struct Counts {
    std::atomic<int> made{0}, run{0};
};

void spawn(Counts* counts, int levels) {
    counts->made.fetch_add(1);
#pragma omp task firstprivate(counts, levels)
    {
        stress::work(300);
        if (levels > 0) {
            spawn(counts, levels - 1);
            spawn(counts, levels - 1);
        }
        counts->run.fetch_add(1);
    }
}

/// Each thread makes tasks that make more; then everybody sees all of them done.
void tasks_in_barriers(int size, int depth) {
    Counts counts;
    std::atomic<int>&made = counts.made, &run = counts.run;
#pragma omp parallel num_threads(size)
    {
        for (int round = 0; round < 2; ++round) {
            if (omp_get_thread_num() % 5 == round)
                spawn(&counts, depth);
#pragma omp barrier
            expect(made.load() == run.load(), "%d tasks of %d in a team of %d", run.load(),
                   made.load(), size);
#pragma omp barrier
        }
        if (omp_get_thread_num() == size - 1)
            spawn(&counts, depth);
    }
    expect(made.load() == run.load(), "%d tasks of %d after a team of %d", run.load(), made.load(),
           size);
}

/// Barriers one after another: no thread is ahead or behind.
void barriers(int size, int count) {
    std::atomic<int> arrived{0};
#pragma omp parallel num_threads(size)
    for (int i = 1; i <= count; ++i) {
        arrived.fetch_add(1);
#pragma omp barrier
        expect(arrived.load() >= i * size, "a thread passed a barrier alone");
#pragma omp barrier
    }
    expect(arrived.load() == size * count, "arrivals are missing");
}

/// Two teams of one size at a time take their threads from the pool, so their numbers change.
void nested(int size, int depth) {
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 3; ++i)
        tasks_in_barriers(size + i % 2, depth);
}

/// Regions without barriers between them: a node that is used again too early loses one or has one
/// run twice.
void worksharing(int size, int count) {
    std::vector<std::atomic<int>> singles(static_cast<size_t>(count));
    std::vector<std::atomic<int>> iterations(static_cast<size_t>(3 * size));
#pragma omp parallel num_threads(size)
    for (int i = 0; i < count; ++i) {
#pragma omp single nowait
        singles[static_cast<size_t>(i)].fetch_add(1);
#pragma omp for schedule(dynamic, 1) nowait
        for (int k = 0; k < 3 * size; ++k)
            iterations[static_cast<size_t>(k)].fetch_add(1);
        if (i % 16 == 15)
            stress::work(static_cast<unsigned>(omp_get_thread_num()) * 10);
    }
    for (const std::atomic<int>& times : singles)
        expect(times.load() == 1, "a single ran %d times in a team of %d", times.load(), size);
    for (const std::atomic<int>& times : iterations)
        expect(times.load() == count, "an iteration ran %d times, not %d, in a team of %d",
               times.load(), count, size);
}

/// A task that a thread outside completes while the team is in its barrier.
void detached(int size) {
    omp_event_handle_t event;
    std::atomic<int> ready{0}, after{0};
    std::thread outside([&] {
        while (ready.load() == 0)
            std::this_thread::yield();
        omp_fulfill_event(event);
    });
#pragma omp parallel num_threads(size)
    {
#pragma omp single nowait
        {
            [[maybe_unused]] int location = 0;
#pragma omp task detach(event) depend(out : location)
            ready.store(1);
#pragma omp task depend(in : location) shared(after)
            after.store(1);
        }
#pragma omp barrier
        expect(after.load() == 1, "a barrier of %d opened before a detached task", size);
    }
    outside.join();
}

} // namespace

int main() {
    Random random(stress::seed());
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    for (int round = stress::scaled(200); round > 0; --round) {
        const int size = 15 + static_cast<int>(random.below(40));
        tasks_in_barriers(size, 3);
        barriers(size, 5);
        worksharing(size, 20);
        if (round % 3 == 0)
            tasks_in_barriers(1 + static_cast<int>(random.below(8)), 3);
        detached(17 + static_cast<int>(random.below(20)));
    }
    for (int round = stress::scaled(60); round > 0; --round)
        nested(17 + static_cast<int>(random.below(4)), 2);
    barriers(100, stress::scaled(10));
    worksharing(100, stress::scaled(100));
    return stress::result("large_teams");
}
