// SPDX-License-Identifier: Apache-2.0
// Seats: where a team has more threads than there are CPUs and its parts are not on offer, as many
// run tasks as there are CPUs, one on each as far as they can tell. The others stand back at the
// barrier: they sleep until it opens, or tasks are seen to block (team/task_watch.hpp).
// Called by creators of tasks that others want (schedule/throttle) and at barriers. All relaxed: a
// seat publishes nothing, and one too many or too few costs time only. docs/protocols/stand-in.md.
#pragma once

#include "platform.hpp"

namespace heddle::team {

/// On more CPUs than these, or in larger teams, nobody stands back.
inline constexpr int32_t most_seats = 64, most_seated_threads = 0xffff;

/// A team's. One word a seat: {epoch of the barrier:32, CPU:16, thread number + 1:16}. It is free
/// if that epoch is over; who is late there may take one from somebody at the next barrier, and
/// then a thread too many runs.
using Seats = platform::Atomic<uint64_t>[most_seats];

/// Has thread `number` one of the first `count` seats in that epoch, by now? On its CPU, if no
/// other thread has one there, or `anywhere`: that one may have moved elsewhere.
bool take_seat(Seats& seats, int32_t count, uint32_t epoch, int32_t number, bool anywhere);

} // namespace heddle::team
