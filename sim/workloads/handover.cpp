// SPDX-License-Identifier: Apache-2.0
// What two threads take to meet in memory, and what one takes for an atomic operation and a pause:
// the numbers of a model's cache section, for sim/calibration. Short bursts, of which the least
// counts, so that on a real machine others that run at the same time hardly matter.
#include "workloads/workload.hpp"

#include <algorithm>
#include <omp.h>

namespace heddle::sim {

namespace {

struct alignas(128) Word {
    uint64_t value = 0;
};

/// The word goes to and fro: each thread waits for its turn and writes the other's.
void hand_over(Word& word, uint64_t me, int64_t times, bool pauses) {
    for (int64_t i = 0; i < times; ++i) {
        while (__atomic_load_n(&word.value, __ATOMIC_ACQUIRE) != me)
            if (pauses)
                charge_pause();
        __atomic_store_n(&word.value, 1 - me, __ATOMIC_RELEASE);
    }
}

void add(Word& word, int64_t times) {
    for (int64_t i = 0; i < times; ++i)
        __atomic_fetch_add(&word.value, 1, __ATOMIC_SEQ_CST);
}

/// Both arrive by two words, as a barrier of one's own would: the runtime's is not to be measured.
void meet(Word* arrived, uint64_t me, uint64_t burst) {
    __atomic_store_n(&arrived[me].value, burst, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&arrived[1 - me].value, __ATOMIC_ACQUIRE) < burst)
        charge_pause();
}

double one_burst(const std::string& what, Word& word, uint64_t me, int64_t times) {
    return 1e9 * timed([&] {
               if (what == "adds")
                   add(word, times);
               else if (what == "pauses")
                   for (int64_t i = 0; i < times; ++i)
                       charge_pause();
               else
                   hand_over(word, me, times, what == "paused");
           });
}

Outcome run(Parameters& parameters, int) {
    const std::string what = parameters.choice("what", {"word", "paused", "adds", "pauses"});
    const int64_t bursts = parameters.integer("bursts", 20, 1, 10000000);
    const int64_t times = parameters.integer("times", 200, 1, 1000000);
    parameters.refuse_unknown();
    const bool hands = what == "word" || what == "paused";
    Word word;
    Word arrived[2];
    std::vector<double> least(2, 1e18);
    Outcome outcome;
    outcome.seconds = timed([&] {
#pragma omp parallel num_threads(hands ? 2 : 1)
        {
            const auto me = static_cast<uint64_t>(omp_get_thread_num());
            const bool is_pair = omp_get_num_threads() == 2;
            for (int64_t burst = 1; burst <= bursts && is_pair == hands; ++burst) {
                if (is_pair)
                    meet(arrived, me, static_cast<uint64_t>(burst));
                least[me] = std::min(least[me], one_burst(what, word, me, times));
            }
        }
    });
    const auto done = static_cast<int64_t>(word.value);
    const double fastest = *std::min_element(least.begin(), least.end());
    outcome.checked = fastest < 1e18 && done == (what == "adds" ? bursts * times : 0);
    outcome.answer = std::to_string(done);
    const double each = fastest / static_cast<double>(times);
    outcome.figures["ns"] = hands ? each / 2 : each; // a turn has two handovers
    return outcome;
}

const Registration registration{
    "handover", "two threads meet in memory: what (word, paused, adds, pauses), bursts, times",
    run};

} // namespace

} // namespace heddle::sim
