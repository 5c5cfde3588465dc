// SPDX-License-Identifier: Apache-2.0
// The context that a task has of its own once it has changed a control variable: copied when what
// it has may be read by descendants that are not complete, else changed in place.
// Called on the task's own thread. Who reads a context is counted by families; that a descendant
// lives on after its parent is said by Context::outlived (docs/protocols/task-contexts.md).
#pragma once

#include "team/team.hpp"

namespace heddle::schedule {

/// In memory of its own, but for the first one of an implicit task.
struct OwnContext {
    team::Garbage kept; ///< for the region, where descendants may read it after its task's end
    team::Context context;
    config::Icvs icvs;
    OwnContext* older; ///< of the same task, or of the same taskgroup inside it
};

/// The control variables of the current task, for it to change; dies without memory.
config::Icvs& icvs_to_change(team::Member& member);

/// The explicit task of `frame` has ended, and its families are left; or it leaves a taskgroup,
/// whose tasks are all complete. Frees the contexts that it made since.
void leave_own_contexts(team::Team& team, const team::Frame& frame);

} // namespace heddle::schedule
