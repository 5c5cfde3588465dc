// SPDX-License-Identifier: Apache-2.0
// What the outermost team of a thread that opens regions, a host, says of itself to the others.
// Read by team/hosts, whichever host takes a sample. Written by the host alone, `next` under the
// hosts' lock. All relaxed: a statistic, on which only the time that regions take depends.
#pragma once

#include "platform.hpp"

namespace heddle::team {

struct Team;

/// How long regions take of which nothing is known.
inline constexpr uint64_t unknown_ns = 1'000'000;

struct Host {
    bool is_counted = false; ///< it is one
    Team* next = nullptr;
    platform::Atomic<uint32_t> in_region{0};    ///< 1: it is in one
    platform::Atomic<int32_t> threads_kept{0};  ///< since the last one; 0: none
    platform::Atomic<uint64_t> region_began{0}; ///< the last one; ns
    uint64_t usual_ns = unknown_ns;             ///< how long its regions take
};

} // namespace heddle::team
