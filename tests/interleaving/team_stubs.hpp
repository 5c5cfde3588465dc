// SPDX-License-Identifier: Apache-2.0
// What tests of team/ and construct/ sources need from the rest of the runtime: waits that spin
// little, and settings. Included once by a test, which is one translation unit.
#pragma once

#include "team/cpu_pressure.hpp"
#include "team/team.hpp"
#include "team/worker.hpp"

#include "explorer.hpp"

namespace heddle::team {

CpuPressure cpu_pressure;

/// How long waits of this execution spin and yield; part of the schedule.
inline void choose_wait_limits() {
    const uint64_t spins = explore::choose(2) * 18u, yields = explore::choose(2);
    cpu_pressure.relaxed_limits.store(spins << 32 | yields, platform::relaxed);
    cpu_pressure.crowded_limits.store(yields, platform::relaxed);
    cpu_pressure.cpus.store(8, platform::relaxed);
    cpu_pressure.cpu_share.set(8, false, ~uint32_t{0});
}

} // namespace heddle::team
