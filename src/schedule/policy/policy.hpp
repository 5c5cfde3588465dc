// SPDX-License-Identifier: Apache-2.0
// The papers' task policies, chosen by HEDDLE_TASK_POLICY: what the default engine asks them.
// Called in slow code only, on the encountering or waiting thread: a chosen policy sets the
// attention bit, so every task construct comes through create_task(), and its queues count as
// entries of the team's inbox, so waiting threads and barriers know of them. docs/policies/.
#pragma once

#include "schedule/throttle.hpp"

namespace heddle::schedule::policy {

/// Is a policy of the papers in use?
inline bool is_chosen() {
    return config::settings().heddle.task_policy.kind != config::TaskPolicyKind::heddle;
}

/// A plain task that may be deferred: it is queued, or has run at once. False: the default engine
/// creates it, for the stack is deep, there is no parallel region around, or no memory.
bool create(Member& member, const NewTask& task);

/// Runs one task that the current task may be suspended for; `group` as in need_of(). False: there
/// is none.
bool run_descendant(Member& member, const Group* group);

/// Runs tasks in a barrier until none is found; one only above untied tasks that wait, which may
/// go on then. The caller is active in the barrier.
bool run_any(Member& member);

/// Do the queues of the policies have tasks? One relaxed load; a hint for waiting threads, which
/// ask again, and exact for the tasks of the calling thread.
inline bool has_tasks(const Member& member) {
    return member.team->inbox_size.load(platform::relaxed) >= team::policy_queue;
}

} // namespace heddle::schedule::policy
