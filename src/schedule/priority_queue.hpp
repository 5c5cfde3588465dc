// SPDX-License-Identifier: Apache-2.0
// The ready children of one task by priority (priority clause, OpenMP 5.2 section 12.4): a binary
// heap under a lock. Used only while max-task-priority-var is above zero. For each entry there is a
// slot in some deque that says "the family's best": siblings may take each other's place, for a
// thread that may run one of them may run all (docs/protocols/task-waiting.md).
#pragma once

#include "team/task_record.hpp"

namespace heddle::schedule {

/// Before the first child with a record is known to anyone: makes the queue if there is memory. By
/// the family's owner.
void prepare_priority_queue(team::Family& family);

/// Adds `record`; false without memory for it. By any thread.
bool add_by_priority(team::Family& family, team::TaskRecord& record);

/// Takes the task of the highest priority, of equal ones the oldest. The queue is not empty.
team::TaskRecord& take_by_priority(team::Family& family);

void destroy_priority_queue(team::PriorityQueue* queue);

} // namespace heddle::schedule
