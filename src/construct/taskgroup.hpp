// SPDX-License-Identifier: Apache-2.0
// The taskgroup construct (OpenMP 5.2 section 15.4): waits for child tasks and their descendants.
// Called by the ABI layers; begin and end nest, on the same task.
#pragma once

#include "team/tool_events.hpp"

namespace heddle::construct {

/// What both do without a word to a tool.
void open_taskgroup(team::Member& member);
void close_taskgroup(team::Member& member);

/// The same where a tool is told what the member does.
void tell_and_open_taskgroup(team::Member& member);
void tell_and_close_taskgroup(team::Member& member);

inline void begin_taskgroup(team::Member& member) {
    if (HEDDLE_LIKELY(!team::tells(member)))
        open_taskgroup(member);
    else
        tell_and_open_taskgroup(member);
}
inline void end_taskgroup(team::Member& member) {
    if (HEDDLE_LIKELY(!team::tells(member)))
        close_taskgroup(member);
    else
        tell_and_close_taskgroup(member);
}

} // namespace heddle::construct
