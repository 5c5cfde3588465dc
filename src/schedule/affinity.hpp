// SPDX-License-Identifier: Apache-2.0
// The affinity clause (OpenMP 5.2 section 12.5.1): a deferred task that names a location waits in
// the team's inbox for the thread that last executed a task with that location, where the data are
// likely to be. A hint: a thread that has nothing else takes the task all the same, and while no
// thread is hungry it runs at once. Called on the encountering and on the executing thread.
// Source: the task affinity paper (a map that is learnt).
#pragma once

#include "team/task_record.hpp"
#include "team/team.hpp"

namespace heddle::schedule {

/// `member` executes a task with the location that begins at `location`.
void note_affinity(team::Member& member, const void* location);

/// The thread of the team that last did so; -1 when none is known.
int preferred_thread(const team::Member& member, const void* location);

} // namespace heddle::schedule
