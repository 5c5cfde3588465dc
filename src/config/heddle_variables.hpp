// SPDX-License-Identifier: Apache-2.0
// What Heddle's own variables, HEDDLE_*, say: a part of the settings. In a process with more rights
// than its caller they do not exist (see load.cpp).
// Filled in by heddle_table.cpp while the environment is read, constant afterwards.
#pragma once

#include "config/task_policy.hpp"

#include <cstdint>

namespace heddle::config {

/// HEDDLE_STATS: where the counters of team/statistics go when the process ends.
enum class StatsTarget : uint8_t { nowhere, standard_error, file };

struct HeddleVariables {
    StatsTarget stats = StatsTarget::nowhere;
    char stats_file[512] =
        {}; ///< as given, NUL-terminated: %p is the process id, %% a percent sign
    TaskPolicy task_policy; ///< HEDDLE_TASK_POLICY
};

} // namespace heddle::config
