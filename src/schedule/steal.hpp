// SPDX-License-Identifier: Apache-2.0
// Stealing: whom from, how much, and what thieves tell their victims.
// Called by waiting workers. In a barrier anything may be stolen; inside a tied task only what
// descends from it (task scheduling constraint, OpenMP 5.2 section 12.9), which is leapfrogging.
#pragma once

#include "schedule/run_task.hpp"

namespace heddle::schedule {

/// Another member of the team with stealable tasks, and how many had been taken from it when they
/// were seen.
struct Victim {
    Member* member = nullptr;
    uint64_t taken = 0;
    explicit operator bool() const { return member != nullptr; }
};

/// One of the same locality domain if there are several, nearest in number to the last success. If
/// there is none, one of them is asked for tasks.
Victim find_victim(Member& member);
/// The same question before sleeping, with the loads that EventCount's Dekker needs.
bool any_stealable(Member& member);

/// Steals a batch and runs it with all that comes of it. False: nothing was there (any more).
bool steal_batch(Member& member, const Victim& victim);

/// This worker's newest task at or above index `base`; hungry thieves get the oldest of the others.
TaskSlot* take_newest(Member& member, uint64_t base);

/// Runs a batch of tasks that descend from what others have stolen from this deque at or above
/// index `base`. False: there is none.
bool leapfrog(Member& member, uint64_t base);

} // namespace heddle::schedule
