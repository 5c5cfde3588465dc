// SPDX-License-Identifier: Apache-2.0
// In which locality domain the threads of a team run: where they are bound from their places, else
// where each was when it last looked. Hints: a wrong one costs remote memory accesses, no more.
// Called by loops, tasks and users' routines. A worker's note is written by its own thread and read
// by all, relaxed: it is all that is communicated. With one domain nothing is written or read.
#pragma once

#include "place/layout.hpp"
#include "place/locality.hpp"
#include "team/worker.hpp"

namespace heddle::team {

/// The domain in which `own`, the calling thread's member, runs; -1 when the system does not tell.
/// The others see the answer from now on.
int domain_of_self(const Member& own);

/// The domain of thread `number` of `team`, for any thread of it; -1 when it is not known, as of a
/// thread that is not bound and has not called domain_of_self() yet.
int domain_of(const Team& team, int32_t number);

/// The domains that hold threads of the current region, which is `own`'s, each with how many, in
/// the order of their numbers. Where threads are not bound, or places extend over several domains:
/// all that the process has, each with its CPUs. Outside regions those of the places, if threads
/// are to be bound.
void domains_of_region(const Member& own, place::DomainShares& shares);

} // namespace heddle::team
