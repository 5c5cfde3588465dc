// SPDX-License-Identifier: Apache-2.0
// The schedule of a workload's schedule(runtime) loops, as its parameters `schedule` and `chunk`
// say. Called by workloads before their regions, on the initial thread.
#pragma once

#include "heddle.h"
#include "workloads/workload.hpp"

#include <omp.h>

namespace heddle::sim {

/// schedule: static, dynamic, guided, adaptive, monotonic:dynamic or monotonic:guided. chunk: 0 is
/// the schedule's own.
inline void choose_schedule(Parameters& parameters) {
    const std::string name =
        parameters.choice("schedule", {"static", "dynamic", "guided", "adaptive",
                                       "monotonic:dynamic", "monotonic:guided"});
    const auto chunk = static_cast<int>(parameters.integer("chunk", 0, 0, 1 << 30));
    const bool monotonic = name.rfind("monotonic:", 0) == 0;
    const std::string kind = monotonic ? name.substr(10) : name;
    unsigned value = kind == "static"    ? omp_sched_static
                     : kind == "dynamic" ? omp_sched_dynamic
                     : kind == "guided"  ? omp_sched_guided
                                         : static_cast<unsigned>(heddle_sched_adaptive);
    if (monotonic)
        value |= static_cast<unsigned>(omp_sched_monotonic);
    omp_set_schedule(static_cast<omp_sched_t>(value), chunk);
}

} // namespace heddle::sim
