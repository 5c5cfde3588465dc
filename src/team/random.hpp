// SPDX-License-Identifier: Apache-2.0
// Numbers that a member draws, for the choice of a victim: where all thieves begin at the same
// place and go on by the same step, all ask the same one. Called on the member's own thread, which
// alone writes the generator (xorshift, Marsaglia 2003). docs/simulator-results.md has what it is
// worth.
#pragma once

#include "team/team.hpp"

namespace heddle::team {

/// The generator's next state, never 0.
inline uint32_t draw(Member& member) {
    uint32_t state = member.random;
    if (HEDDLE_UNLIKELY(state == 0))
        state = 0x9E3779B9U * (static_cast<uint32_t>(member.number) + 1);
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return member.random = state;
}

/// A number from 0 to limit - 1.
inline uint32_t draw_below(Member& member, uint32_t limit) {
    return static_cast<uint32_t>(uint64_t{draw(member)} * limit >> 32);
}

} // namespace heddle::team
