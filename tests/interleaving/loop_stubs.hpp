// SPDX-License-Identifier: Apache-2.0
// What construct/loop_ranges.cpp needs from the rest of the runtime: a machine of one locality
// domain, of whose data nothing is known, and settings without cancellation. Included once by a
// test, which is one translation unit.
#pragma once

#include "team/locality.hpp"
#include "team/loop_data.hpp"

namespace heddle::config {
const Settings& settings() {
    static const Settings without_cancellation{};
    return without_cancellation;
}
} // namespace heddle::config

namespace heddle::place {
platform::Atomic<int32_t> known_domains{1};
int find_domains() { return 1; }
} // namespace heddle::place

namespace heddle::team {
int domain_of_self(const Member&) { return 0; }
int domain_of(const Team&, int32_t) { return 0; }
bool deal_by_data(const Member&, const Workshare&, DealShare, void*) { return false; }
} // namespace heddle::team
