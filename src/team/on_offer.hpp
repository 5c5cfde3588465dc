// SPDX-License-Identifier: Apache-2.0
// What a team knows of its regions on offer, those with more threads than CPUs, whose parts any of
// its threads executes: of the code that they have, and of how the one that is going on does.
// Written by team/stand_in and team/lookout, on all threads of the team. All relaxed unless said:
// hints on which only time depends. docs/protocols/stand-in.md.
#pragma once

#include "team/part.hpp"

namespace heddle::team {

struct alignas(concurrent::cache_line) OnOffer {
    // From region to region: of some code, and how many more to decline.
    platform::Atomic<uint64_t> notes_on_code[64] = {};
    platform::Atomic<int32_t> regions_to_decline{0};

    platform::Atomic<int32_t> lookouts{0};    ///< that nap; see team/lookout.hpp
    platform::Atomic<uint32_t> is_crowded{0}; ///< threads have begun that find no CPU: were awake
    platform::Atomic<uint32_t> is_stuck{0};   ///< a lookout has gone on with a part
    /// Threads that find a CPU begin their parts themselves, though others come first.
    platform::Atomic<uint32_t> spares_called{0};
    platform::Atomic<uint32_t> helpers{0}; ///< threads that came for tasks in the region

    /// Who finds a CPU has a line of its own, by Carrier::number, modulo.
    static constexpr int parts_over_lines = 16;
    PartsOver parts_over[parts_over_lines]; ///< by who executed them
};

} // namespace heddle::team
