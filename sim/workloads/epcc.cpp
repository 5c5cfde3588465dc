// SPDX-License-Identifier: Apache-2.0
// The overhead of a construct, as EPCC's benchmarks measure it (Bull, 1999): the time of many with
// a delay in each, less that of the delays. A delay charges cycles. Where threads take turns (lock,
// critical, ordered) it is divided by their number. The answer is how often the bodies ran.
#include "workloads/workload.hpp"

#include <omp.h>

namespace heddle::sim {

namespace {

uint64_t delay_cycles;
int64_t ran; // bodies; by `omp atomic` where several threads run them, outside the time that counts

struct alignas(128) Tally {
    int64_t count = 0;
};
std::vector<Tally> tallies;

void body() {
    charge_cycles(delay_cycles);
    ++tallies[static_cast<size_t>(omp_get_thread_num())].count;
}

void parallel_regions(int64_t times) {
    for (int64_t i = 0; i < times; ++i) {
#pragma omp parallel
        body();
    }
}

void parallel_loops(int64_t times) {
    for (int64_t i = 0; i < times; ++i) {
#pragma omp parallel for
        for (int j = 0; j < omp_get_max_threads(); ++j)
            body();
    }
}

void loops(int64_t times) {
#pragma omp parallel
    for (int64_t i = 0; i < times; ++i) {
#pragma omp for
        for (int j = 0; j < omp_get_num_threads(); ++j)
            body();
    }
}

void barriers(int64_t times) {
#pragma omp parallel
    for (int64_t i = 0; i < times; ++i) {
        body();
#pragma omp barrier
    }
}

void singles(int64_t times) {
#pragma omp parallel
    for (int64_t i = 0; i < times; ++i) {
#pragma omp single
        body();
    }
}

void criticals(int64_t times) {
#pragma omp parallel
    for (int64_t i = 0; i < times; ++i) {
#pragma omp critical
        body();
    }
}

void locks(int64_t times) {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
    for (int64_t i = 0; i < times; ++i) {
        omp_set_lock(&lock);
        body();
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
}

void atomics(int64_t times) {
    static int64_t sum;
#pragma omp parallel
    for (int64_t i = 0; i < times; ++i) {
        body();
#pragma omp atomic
        sum += 1;
    }
}

/// A type for which the compiler asks the runtime for a lock.
void locked_atomics(int64_t times) {
    static long double sum;
#pragma omp parallel
    for (int64_t i = 0; i < times; ++i) {
        body();
#pragma omp atomic
        sum += 1;
    }
}

/// Iterations of one loop, whose ordered regions are all that they do.
void ordered_regions(int64_t times) {
    const int64_t count = times * omp_get_max_threads();
#pragma omp parallel for ordered schedule(static, 1)
    for (int64_t i = 0; i < count; ++i) {
#pragma omp ordered
        body();
    }
}

void reductions(int64_t times) {
    int64_t sum = 0;
    for (int64_t i = 0; i < times; ++i) {
#pragma omp parallel reduction(+ : sum)
        {
            body();
            sum += 1;
        }
    }
}

void tasks(int64_t times) {
#pragma omp parallel
    for (int64_t i = 0; i < times; ++i) {
#pragma omp task
        body();
    }
}

void taskwaits(int64_t times) {
#pragma omp parallel
    for (int64_t i = 0; i < times; ++i) {
#pragma omp task
        body();
#pragma omp taskwait
    }
}

struct Construct {
    const char* name;
    void (*run)(int64_t times);
    bool takes_turns;  ///< one thread's body at a time
    bool runs_once;    ///< one thread's for all
    bool bare = false; ///< without a delay, as it would lie outside the turns
};

const Construct constructs[] = {
    {"parallel", parallel_regions, false, false},
    {"parallel_for", parallel_loops, false, false},
    {"for", loops, false, false},
    {"barrier", barriers, false, false},
    {"single", singles, false, true},
    {"critical", criticals, true, false},
    {"lock", locks, true, false},
    {"ordered", ordered_regions, true, false},
    {"atomic", atomics, false, false},
    {"locked_atomic", locked_atomics, true, false, true},
    {"reduction", reductions, false, false},
    {"task", tasks, false, false},
    {"taskwait", taskwaits, false, false},
};

Outcome run(Parameters& parameters, int threads) {
    std::vector<std::string> names;
    for (const Construct& construct : constructs)
        names.push_back(construct.name);
    const std::string name = parameters.choice("construct", names);
    const int64_t times = parameters.integer("times", 100, 1, 100000000);
    delay_cycles = static_cast<uint64_t>(parameters.integer("delay", 500, 0, 1000000000));
    parameters.refuse_unknown();
    const Construct* chosen = constructs;
    while (name != chosen->name)
        ++chosen;
    if (chosen->bare)
        delay_cycles = 0;
    tallies.assign(static_cast<size_t>(threads), {});
    Outcome outcome;
    start_team();
    chosen->run(1); // what the first one sets up
    tallies.assign(static_cast<size_t>(threads), {});
    ran = 0;
    outcome.seconds = timed([chosen, times] { chosen->run(times); });
    for (const Tally& tally : tallies)
        ran += tally.count;
    // EPCC's reference, of many: one alone is as short as a look at a real clock.
    constexpr int delays = 1000;
    const double delay = chosen->bare ? 0 : timed([] {
                                                for (int i = 0; i < delays; ++i)
                                                    body();
                                            }) / delays;
    const double each = outcome.seconds / static_cast<double>(times);
    // What one construct takes; where threads take turns, one turn of one thread.
    const double overhead = chosen->takes_turns ? each / threads - delay : each - delay;
    outcome.checked = ran == (chosen->runs_once ? times : times * threads);
    outcome.answer = std::to_string(ran);
    outcome.figures["overhead_us"] = overhead * 1e6;
    outcome.figures["delay_us"] = delay * 1e6;
    return outcome;
}

const Registration registration{
    "epcc",
    "overhead of a construct: construct (parallel, parallel_for, for, barrier, single, critical, "
    "lock, ordered, atomic, locked_atomic, reduction, task, taskwait), times, delay",
    run};

} // namespace

} // namespace heddle::sim
