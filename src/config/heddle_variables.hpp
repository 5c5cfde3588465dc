// SPDX-License-Identifier: Apache-2.0
// What Heddle's own variables, HEDDLE_*, say: a part of the settings. In a process with more rights
// than its caller they do not exist (see load.cpp).
// Filled in by heddle_table.cpp while the environment is read, constant afterwards.
#pragma once

#include "config/task_policy.hpp"

#include <cstddef>
#include <cstdint>

namespace heddle::config {

/// HEDDLE_STATS: where the counters of team/statistics go when the process ends.
enum class StatsTarget : uint8_t { nowhere, standard_error, file };

/// HEDDLE_TASK_AFFINITY: what becomes of hints where tasks should run, and how the thread is found
/// that has a task's data. `pages` learns as well, where there are no several domains to ask for.
enum class TaskAffinity : uint8_t { off, hash, learn, pages };

struct HeddleVariables {
    StatsTarget stats = StatsTarget::nowhere;
    char stats_file[512] =
        {};             ///< as given, NUL-terminated: %p is the process id, %% a percent sign
    bool trace = false; ///< HEDDLE_TRACE
    char trace_file[512] = {};     ///< as stats_file
    size_t trace_size = 32u << 20; ///< HEDDLE_TRACE_SIZE: bytes for each worker
    int hang_signal = 0;           ///< HEDDLE_HANG_SIGNAL: its number, 0: none
    TaskPolicy task_policy;        ///< HEDDLE_TASK_POLICY
    TaskAffinity task_affinity = TaskAffinity::pages;
    bool task_stealing = true; ///< HEDDLE_TASK_STEALING
    bool stand_in = true;      ///< HEDDLE_STAND_IN
};

} // namespace heddle::config
