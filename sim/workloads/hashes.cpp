// SPDX-License-Identifier: Apache-2.0
// Independent hashes, so many to a task, created by all threads from a loop with a static schedule:
// how much work a task needs. UTS paper (Olivier and Prins 2010), section 4.3.
#include "engine/engine.hpp"
#include "workloads/workload.hpp"

namespace heddle::sim {

namespace {

Outcome run(Parameters& parameters, int) {
    const int64_t total = parameters.integer("total", 400000, 1, 1 << 30);
    const int64_t grain = parameters.integer("grain", 50, 1, 1 << 30);
    // The paper's serial rate, 3.78 million nodes a second at 2.8 GHz.
    const auto cycles = static_cast<uint64_t>(parameters.integer("cycles", 741, 1, 1000000000));
    parameters.refuse_unknown();
    const int64_t tasks = (total + grain - 1) / grain;
    int64_t hashed = 0;
    Outcome outcome;
    outcome.seconds = timed([&] {
#pragma omp parallel for schedule(static)
        for (int64_t t = 0; t < tasks; ++t) {
#pragma omp task firstprivate(t) shared(hashed)
            {
                const int64_t count = t + 1 < tasks ? grain : total - t * grain;
                charge_cycles(static_cast<uint64_t>(count) * cycles);
                hashed += count;
            }
        }
    });
    outcome.checked = hashed == total;
    outcome.answer = std::to_string(hashed);
    outcome.figures["serial_virtual_seconds"] = static_cast<double>(total) *
                                                static_cast<double>(cycles) * 1e-9 /
                                                engine.machine().clock_ghz;
    return outcome;
}

const Registration registration{"hashes", "independent hashes in tasks: total, grain, cycles", run};

} // namespace

} // namespace heddle::sim
