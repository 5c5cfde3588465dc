// SPDX-License-Identifier: Apache-2.0
// For tests without team/stand_in.cpp and schedule/stand_in.cpp: no region is on offer. Included
// once by such a test.
#pragma once

#include "schedule/stand_in.hpp"

#include "explorer.hpp"

namespace heddle::team {
void call_others(Member&) { explore::fail("a part on offer"); }
} // namespace heddle::team

namespace heddle::schedule {
bool go_on_elsewhere(team::Member&, team::Ready, const void*, const uint32_t*, bool) {
    explore::fail("a part on offer");
}
} // namespace heddle::schedule
