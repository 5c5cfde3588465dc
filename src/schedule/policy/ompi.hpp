// SPDX-License-Identifier: Apache-2.0
// OMPi's queue: a ring of few slots for each thread, throttling from when it is full until it is at
// least 30 % empty, and the list of pending descriptors that their creator recycles.
// put: the encountering thread. Source: Agathos et al., Speeding Up OpenMP Tasking,
// sections 2.1, 3.
#pragma once

#include "schedule/policy/state.hpp"

namespace heddle::schedule::policy {

/// Queues `task`, or says no: the thread is throttled and the task runs at once.
bool put_into_ring(Member& member, PolicyState& state, const NewTask& task);

/// Takes a task from the ring of `holder`; nullptr: there is none that `need` accepts.
Descriptor* take_from_ring(Member& member, PolicyState& state, PolicyState& holder,
                           const Need& need);

} // namespace heddle::schedule::policy
