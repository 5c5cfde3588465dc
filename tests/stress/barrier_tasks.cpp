// SPDX-License-Identifier: Apache-2.0
// Tasks and barriers: whatever was created before a barrier is complete after it, with all its
// descendants; explicit, implicit and nowait barriers, in teams of changing sizes, many times over.
#include "stress.hpp"

#include <omp.h>
#include <vector>

namespace {

using stress::expect;
using stress::Random;

/// Plain memory: the barrier must order it.
struct Results {
    std::vector<int> at;
    explicit Results(size_t size) : at(size, 0) {}
};

void fan_out(int* cells, int count, unsigned busy) {
    for (int i = 0; i < count; ++i) {
#pragma omp task firstprivate(cells, i, busy)
        {
            stress::work(busy);
            cells[2 * i] += 1;
#pragma omp task firstprivate(cells, i)
            cells[2 * i + 1] += 1; // nobody waits for this one but the barrier
        }
    }
}

void all_threads_create(int threads, int rounds, uint64_t seed) {
    constexpr int most = 40;
    std::vector<Results> results(static_cast<size_t>(threads), Results(2 * most));
#pragma omp parallel num_threads(threads)
    {
        const int number = omp_get_thread_num(), size = omp_get_num_threads();
        Random random(stress::mix(seed, static_cast<uint64_t>(number)));
        for (int round = 0; round < rounds; ++round) {
            // All threads choose alike, except for how many tasks each creates.
            Random common(stress::mix(seed, 1000 + static_cast<uint64_t>(round)));
            const int count = static_cast<int>(random.below(most));
            std::vector<int>& mine = results[static_cast<size_t>(number)].at;
            for (size_t i = 0; i < mine.size(); ++i)
                mine[i] = i < static_cast<size_t>(2 * count) ? 0 : 1;
            fan_out(mine.data(), count, random.chance(20) ? 2000 : 10);
            switch (common.below(3)) {
            case 0: {
#pragma omp barrier
                break;
            }
            case 1: {
#pragma omp single
                stress::work(100);
                break;
            }
            default: {
#pragma omp for schedule(dynamic)
                for (int i = 0; i < size; ++i)
                    stress::work(100);
            }
            }
            const int neighbour = number + 1 == size ? 0 : number + 1;
            for (int cell : results[static_cast<size_t>(neighbour)].at)
                expect(cell == 1, "a task ran %d times before a barrier ended", cell);
#pragma omp barrier
        }
    }
}

/// One thread creates everything while the others wait in the barrier already.
void one_thread_creates(int threads, int rounds) {
    constexpr int count = 500;
    std::vector<int> cells(2 * count);
#pragma omp parallel num_threads(threads)
    for (int round = 0; round < rounds; ++round) {
#pragma omp single nowait
        {
            for (int& cell : cells)
                cell = 0;
            fan_out(cells.data(), count, 100);
        }
#pragma omp barrier
        if (omp_get_thread_num() == round % omp_get_num_threads())
            for (int cell : cells)
                expect(cell == 1, "a task ran %d times, one creator", cell);
#pragma omp barrier
    }
}

/// Short regions: the end of a region is a barrier as well.
void many_regions(int most_threads, int rounds) {
    std::vector<int> cells(64);
    for (int round = 0; round < rounds; ++round) {
        for (int& cell : cells)
            cell = 0;
        const int threads = 1 + round % most_threads;
#pragma omp parallel num_threads(threads)
#pragma omp single nowait
        fan_out(cells.data(), 32, 10);
        for (int cell : cells)
            expect(cell == 1, "a task ran %d times before its region ended", cell);
    }
}

} // namespace

int main() {
    const int threads = omp_get_max_threads();
    uint64_t seed = stress::seed();
    for (int round = 0; round < 4; ++round) {
        all_threads_create(threads, stress::scaled(2000), ++seed);
        all_threads_create(2 * threads + 1, stress::scaled(500), ++seed);
        one_thread_creates(threads, stress::scaled(200));
        many_regions(2 * threads, stress::scaled(3000));
    }
    return stress::result("barrier_tasks");
}
