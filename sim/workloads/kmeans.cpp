// SPDX-License-Identifier: Apache-2.0
// The loop of K-Means that assigns points to centres, with schedule(runtime). Iterations have two
// costs, as figure 5(a) of the adaptive loops paper shows them: points near their centre are done
// soon, those of a burst that belongs nowhere are not. Where the bursts lie is as in bench/kmeans.
// As there and in Rodinia's program, an iteration writes its point's place in an array of integers:
// 16 points share a line of it, so small chunks take it from each other. The features are not
// charged, for the paper does not say where they lie.
#include "workloads/schedule.hpp"

#include <vector>

namespace heddle::sim {

namespace {

/// Bursts of 1 to 4096 points; a fifth of them dear, but few parts of the data have those.
std::vector<bool> dear_points(int64_t n) {
    constexpr int64_t parts = 8;
    constexpr uint64_t times_noise[parts] = {0, 2, 0, 1, 5, 0, 0, 0}, noise = 20;
    std::vector<bool> dear(static_cast<size_t>(n));
    uint64_t burst = 0;
    for (int64_t i = 0; i < n; ++burst) {
        const uint64_t chance = mixed(burst ^ 0xb5ad4eceda1ce2a9u);
        const int64_t end = i + (int64_t{1} << chance % 13);
        const bool here = (chance >> 8 & 0xffff) % 100 < noise * times_noise[i * parts / n];
        for (; i < end && i < n; ++i)
            dear[static_cast<size_t>(i)] = here;
    }
    return dear;
}

Outcome run(Parameters& parameters, int) {
    const int64_t n = parameters.integer("n", 494020, 1, 1 << 30);
    // 34 features: all of one centre and a few of each other one, or all of 16 centres
    const auto near = static_cast<uint64_t>(parameters.integer("near_cycles", 200, 0, 1000000));
    const auto far = static_cast<uint64_t>(parameters.integer("far_cycles", 800, 0, 1000000));
    choose_schedule(parameters);
    parameters.refuse_unknown();
    const std::vector<bool> dear = dear_points(n);
    std::vector<int32_t> membership(static_cast<size_t>(n));
    int64_t done = 0, expensive = 0, expected = 0;
    for (const bool is_dear : dear)
        expected += is_dear;
    const auto sweep = [&] {
#pragma omp parallel for schedule(runtime)
        for (int64_t i = 0; i < n; ++i) {
            const bool is_dear = dear[static_cast<size_t>(i)];
            charge_cycles(is_dear ? far : near);
            charge_store(&membership[static_cast<size_t>(i)], false);
            ++done;
            expensive += is_dear;
        }
    };
    sweep(); // the program does many: the lines are where the one before has left them
    Outcome outcome;
    outcome.seconds = timed(sweep);
    outcome.checked = done == 2 * n && expensive == 2 * expected;
    expensive /= 2;
    outcome.answer = std::to_string(expensive);
    outcome.figures["work_cycles"] = static_cast<double>(n - expected) * static_cast<double>(near) +
                                     static_cast<double>(expected) * static_cast<double>(far);
    return outcome;
}

const Registration registration{
    "kmeans", "a sweep of K-Means: schedule, chunk, n, near_cycles, far_cycles", run};

} // namespace

} // namespace heddle::sim
