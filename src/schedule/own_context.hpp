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
    team::Garbage kept; ///< while descendants may read it after its task's end, or that goes on
    team::Context context;
    config::Icvs icvs;
    OwnContext* older; ///< of the same task, or of the same taskgroup inside it
};

/// The control variables of the current task, for it to change; dies without memory.
config::Icvs& icvs_to_change(team::Member& member);

/// Frees the contexts of the current task that its families do not have any more, nor is one of
/// them the current one; only those since the taskgroup that it is in, outside of which `outside`
/// is the first family. The families that it has left were complete.
void drop_own_contexts(const team::Member& member, const team::Frame& frame,
                       const team::Family* outside);

/// The thread has passed a barrier, where all tasks of the team are complete: nobody reads what the
/// implicit task has now, and had before.
void renew_own_context(team::Member& member);

/// The explicit task of `frame` has ended, and its families are left; or it leaves a taskgroup,
/// whose tasks are all complete. Frees the contexts that it made since.
void leave_own_contexts(team::Team& team, const team::Frame& frame);

} // namespace heddle::schedule
