// SPDX-License-Identifier: Apache-2.0
// Which thread has the data of a task (OpenMP 5.2 section 12.5.1), by HEDDLE_TASK_AFFINITY: the one
// of a block of addresses (hash), the one that last executed a task with the location (learn), or
// one of the locality domain in whose memory they lie (pages).
// Called on the encountering and on the executing thread. docs/task-affinity.md.
// Source: the task affinity paper, section 5.2.
#pragma once

#include "team/task_record.hpp"
#include "team/team.hpp"

namespace heddle::schedule {

/// `member` executes a task with the location that begins at `location`.
void note_affinity(team::Member& member, const void* location);

/// The thread that should execute a task with the `size` bytes at `location`; -1 when none is
/// known.
int thread_of_data(const team::Member& member, const void* location, size_t size);

} // namespace heddle::schedule
