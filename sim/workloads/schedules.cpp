// SPDX-License-Identifier: Apache-2.0
// What a loop's schedule costs, as EPCC's schedbench asks it: every thread has the same number of
// iterations of a short delay; what the loop takes beyond them is the overhead.
// After Bull, "Measuring Synchronisation and Scheduling Overheads in OpenMP" (1999).
#include "workloads/schedule.hpp"

namespace heddle::sim {

namespace {

Outcome run(Parameters& parameters, int threads) {
    const int64_t each = parameters.integer("iterations", 128, 1, 1 << 20);
    const int64_t repetitions = parameters.integer("repetitions", 5, 1, 1000);
    const auto delay = static_cast<uint64_t>(parameters.integer("delay", 200, 0, 1000000000));
    choose_schedule(parameters);
    parameters.refuse_unknown();
    const int64_t n = each * threads;
    int64_t done = 0;
    double alone = 0, whole = 0;
#pragma omp parallel
    {
        for (int64_t r = 0; r <= repetitions; ++r) { // the first one warms up
#pragma omp barrier
            const uint64_t began = virtual_ns();
#pragma omp for schedule(runtime)
            for (int64_t i = 0; i < n; ++i) {
                charge_cycles(delay);
                ++done;
            }
#pragma omp master
            if (r > 0)
                whole += static_cast<double>(virtual_ns() - began) * 1e-9;
        }
#pragma omp barrier
#pragma omp master
        {
            const uint64_t began = virtual_ns();
            for (int64_t i = 0; i < each; ++i)
                charge_cycles(delay);
            alone = static_cast<double>(virtual_ns() - began) * 1e-9;
        }
    }
    Outcome outcome;
    outcome.seconds = whole / static_cast<double>(repetitions);
    outcome.checked = done == n * (repetitions + 1);
    outcome.answer = std::to_string(done);
    outcome.figures["overhead_us"] = 1e6 * (outcome.seconds - alone);
    return outcome;
}

const Registration registration{
    "schedules",
    "overhead of a loop's schedule: schedule, chunk, iterations (a thread), delay, "
    "repetitions",
    run};

} // namespace

} // namespace heddle::sim
