// SPDX-License-Identifier: Apache-2.0
// HEDDLE_TASK_POLICY: which of the papers' task policies schedules the plain tasks, and its
// cut-off. Grammar, parser and printer; called by the table of Heddle's variables, by one thread.
// docs/policies/README.md says what the names mean.
#pragma once

#include "config/text.hpp"

#include <cstdint>
#include <string_view>

namespace heddle::config {

/// Where new tasks go and who takes which. `heddle` is the default, without a policy of a paper.
enum class TaskPolicyKind : uint8_t { heddle, ompi, bff, bfl, wfff, wffl, wlff, wlll, cilk };

inline constexpr int default_max_tasks = 64, default_max_level = 5, default_ompi_slots = 24;
inline constexpr int most_ompi_slots = 4096;

struct TaskPolicy {
    TaskPolicyKind kind = TaskPolicyKind::heddle;
    bool adaptive = false;          ///< the level of the cut-off is learnt
    bool oldest = false;            ///< ompi: the oldest task of a queue is the first to be taken
    int slots = default_ompi_slots; ///< ompi: descriptors in a thread's queue, 2 to most_ompi_slots
    int max_tasks = 0;              ///< unfinished tasks for each thread, 0: no such cut-off
    int max_level = 0;              ///< explicit tasks around a task, 0: no such cut-off
};

/// `name[:option]...`; the options are maxtasks[=N], maxlevel[=N] and adaptive, with ompi also
/// slots=N and oldest. False, with `result` as it was, for anything else.
bool parse_task_policy(std::string_view text, TaskPolicy& result);

/// Appends what parse_task_policy() reads, in capitals.
void print_task_policy(Text& out, const TaskPolicy& policy);

/// What a value looks like, for messages.
inline constexpr const char* task_policy_format =
    "heddle, or one of ompi, bff, bfl, wfff, wffl, wlff, wlll and cilk, with options behind "
    "colons: maxtasks[=N], maxlevel[=N], adaptive, of ompi also slots=N (2 to 4096) and oldest";

} // namespace heddle::config
