// SPDX-License-Identifier: Apache-2.0
// The ordered construct with its events, which name the team. Called by the ABI layers on each
// member; `code` is where the entry point returns to. Without a tool one test is added.
#pragma once

#include "construct/loop.hpp"
#include "construct/told_mutex.hpp"

namespace heddle::construct {

inline void tell_and_begin_ordered(team::Member& member, const void* code) {
    if (HEDDLE_LIKELY(!team::tells(member)))
        return begin_ordered(member);
    ToldAcquire told(ompt_mutex_ordered, member.team, code);
    begin_ordered(member);
    told.done();
}

inline void tell_and_end_ordered(team::Member& member, const void* code) {
    end_ordered(member);
    if (HEDDLE_UNLIKELY(team::tells(member)))
        tell_released(ompt_mutex_ordered, member.team, code);
}

} // namespace heddle::construct
