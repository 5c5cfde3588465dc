// SPDX-License-Identifier: Apache-2.0
// Loops of unequal iterations under the schedules: the distributions of bench/irregular. An
// iteration charges its turns; the answer is their sum over the iterations that ran.
#include "workloads/workload.hpp"

extern "C" {
#include "irregular/loops.h"
}

#include <cstdlib>
#include <omp.h>

namespace heddle::sim {

namespace {

struct alignas(128) Tally {
    uint64_t turns = 0, iterations = 0;
};

Outcome run(Parameters& parameters, int threads) {
    const std::vector<std::string> kinds = {"triangular", "power",  "regular", "decreasing",
                                            "random",     "sorted", "bursts",  "huge"};
    const loop_kind codes[] = {TRIANGULAR, POWER,  REGULAR, DECREASING,
                               RANDOM,     SORTED, BURSTS,  HUGE_ONE};
    const std::string kind = parameters.choice("kind", kinds);
    const std::string schedule = parameters.text("schedule", "adaptive");
    const int64_t count = parameters.integer("iterations", 10000, 1, 100000000);
    const int64_t mean = parameters.integer("mean", 1000, 1, 1000000000);
    const int64_t times = parameters.integer("times", 1, 1, 1000000);
    parameters.refuse_unknown();
    setenv("OMP_SCHEDULE", schedule.c_str(), 1); // which no call has read yet
    size_t code = 0;
    while (kinds[code] != kind)
        ++code;
    std::vector<unsigned> turns(static_cast<size_t>(count));
    loop_fill(codes[code], turns.data(), count, static_cast<double>(mean), threads);
    std::vector<Tally> tallies(static_cast<size_t>(threads));
    Tally* const all = tallies.data();
    const unsigned* const cycles = turns.data();
    Outcome outcome;
    start_team();
    outcome.seconds = timed([all, cycles, count, times] {
        for (int64_t round = 0; round < times; ++round) {
#pragma omp parallel for schedule(runtime)
            for (int64_t i = 0; i < count; ++i) {
                charge_cycles(cycles[i]);
                Tally& mine = all[omp_get_thread_num()];
                mine.turns += cycles[i];
                ++mine.iterations;
            }
        }
    });
    uint64_t expected = 0, found = 0, iterations = 0;
    for (const unsigned each : turns)
        expected += each * static_cast<uint64_t>(times);
    for (const Tally& tally : tallies) {
        found += tally.turns;
        iterations += tally.iterations;
    }
    outcome.checked = found == expected && iterations == static_cast<uint64_t>(count * times);
    outcome.answer = std::to_string(found);
    const double cycle = timed([] { charge_cycles(1000000); }) / 1000000;
    outcome.figures["efficiency"] =
        cycle * static_cast<double>(expected) / outcome.seconds / threads;
    return outcome;
}

const Registration registration{
    "loops",
    "unequal iterations: kind (triangular, power, regular, decreasing, random, sorted, bursts, "
    "huge), schedule as in OMP_SCHEDULE, iterations, mean, times",
    run};

} // namespace

} // namespace heddle::sim
