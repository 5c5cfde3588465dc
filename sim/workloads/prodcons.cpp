// SPDX-License-Identifier: Apache-2.0
// Some threads make small tasks, all run them: the synthetic benchmark of Agathos, Kallimanis and
// Dimakopoulos (Euro-Par 2012, figure 4), as bench/prodcons. A task charges its random number of
// turns of an empty loop.
#include "workloads/workload.hpp"

#include <algorithm>
#include <omp.h>

namespace heddle::sim {

namespace {

uint64_t turn_cycles;

struct alignas(128) Tally {
    int64_t tasks = 0, turns = 0;
};
std::vector<Tally> tallies;

/// Of task number i: any thread can tell it, so the total can be checked.
int64_t load_of(int64_t i, int64_t most) {
    uint64_t x = static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return static_cast<int64_t>(((x >> 32) * static_cast<uint64_t>(most + 1)) >> 32);
}

void work(int64_t i, int64_t most) {
    const int64_t load = load_of(i, most);
    charge_cycles(static_cast<uint64_t>(load) * turn_cycles);
    Tally& tally = tallies[static_cast<size_t>(omp_get_thread_num())];
    ++tally.tasks;
    tally.turns += load;
}

Outcome run(Parameters& parameters, int threads) {
    const int64_t tasks = parameters.integer("tasks", 20000, 1, 1000000000);
    const int64_t producers = parameters.integer("producers", 1, 1, threads);
    const int64_t most = parameters.integer("maxload", 128, 0, 100000000);
    turn_cycles = static_cast<uint64_t>(parameters.integer("cycles", 6, 0, 1000000));
    parameters.refuse_unknown();
    tallies.assign(static_cast<size_t>(threads), {});
    Outcome outcome;
    start_team();
    outcome.seconds = timed([tasks, producers, most] {
#pragma omp parallel
        {
            const int64_t me = omp_get_thread_num();
            const int64_t behind = me < producers ? tasks * (me + 1) / producers : 0;
            for (int64_t i = me < producers ? tasks * me / producers : 0; i < behind; ++i) {
#pragma omp task firstprivate(i, most)
                work(i, most);
            }
        }
    });
    Tally all;
    int64_t largest = 0, turns = 0;
    for (const Tally& tally : tallies) {
        all.tasks += tally.tasks;
        all.turns += tally.turns;
        largest = std::max(largest, tally.tasks);
    }
    for (int64_t i = 0; i < tasks; ++i)
        turns += load_of(i, most);
    outcome.checked = all.tasks == tasks && all.turns == turns;
    outcome.answer = std::to_string(all.turns);
    outcome.figures["tasks"] = static_cast<double>(tasks);
    outcome.figures["million_tasks_per_second"] =
        1e-6 * static_cast<double>(tasks) / outcome.seconds;
    outcome.figures["largest_share"] = static_cast<double>(largest) / static_cast<double>(tasks);
    return outcome;
}

const Registration registration{"prodcons",
                                "producers and consumers: tasks, producers, maxload, cycles", run};

} // namespace

} // namespace heddle::sim
