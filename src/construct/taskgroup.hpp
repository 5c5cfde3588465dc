// SPDX-License-Identifier: Apache-2.0
// The taskgroup construct (OpenMP 5.2 section 15.4): waits for child tasks and their descendants.
// Called by the ABI layers; begin and end nest, on the same task.
#pragma once

#include "team/team.hpp"

namespace heddle::construct {

void begin_taskgroup(team::Member& member);
void end_taskgroup(team::Member& member);

} // namespace heddle::construct
