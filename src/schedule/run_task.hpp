// SPDX-License-Identifier: Apache-2.0
// Executing a task: at once on its parent's stack, or from a slot of the deque.
// Called by construct/task (immediate) and by whoever waits (slots). Owner thread only.
#pragma once

#include "schedule/family.hpp"
#include "team/team.hpp"

namespace heddle::schedule {

using concurrent::TaskSlot;
using team::TaskFunction;

/// Gives a block of captured data back to the worker that took it.
/// `worker` is the calling thread's, nullptr if it has none.
void free_capture(team::Worker* worker, team::Capture* capture);

/// Is so much of the stack in use that nothing should be begun there that others can do?
inline bool is_deep(const Member& member) {
    return HEDDLE_UNLIKELY(platform::stack_pointer() <= member.stack_limit);
}

/// Runs function(data) as a task region with context `context_bits`, to its end.
inline void run_region(Member& member, TaskFunction function, void* data, uintptr_t context_bits) {
    Frame frame{member.current, nullptr, context_bits};
    member.current = &frame;
    function(data);
    member.current = frame.parent;
    if (HEDDLE_UNLIKELY(frame.family != nullptr))
        leave_families(member, frame);
}

/// An undeferred, included or throttled child of the current task. `untied` is 0 or 1.
inline void run_now(Member& member, TaskFunction function, void* data, uintptr_t untied) {
    run_region(member, function, data, (member.current->context_bits & ~Frame::own_bits) | untied);
}

/// The same for a final task: its own context lives on this stack, for its children are never
/// deferred. `untied` is 0 or 1.
void run_final(Member& member, TaskFunction function, void* data, const Context& inherited,
               uintptr_t untied);

/// The context that a child of `family` has inherited, `stolen` or not.
inline const Context& context_for(const Family& family, bool stolen) {
    return stolen ? *family.context_for_thieves : *family.context;
}

/// What the tag of a deferred task says of `untied`, as run_final() takes it: 0 or 1.
inline uintptr_t untied_by(uintptr_t tag) {
    return tag & team::slot_tag::untied ? Frame::untied_bit : 0;
}

/// Runs function(data) as a deferred task, final and untied or not as its tag says.
inline void run_by_tag(Member& member, TaskFunction function, void* data, const Context& context,
                       uintptr_t tag) {
    const uintptr_t untied = untied_by(tag);
    if (HEDDLE_UNLIKELY(tag & team::slot_tag::final))
        run_final(member, function, data, context, untied);
    else
        run_region(member, function, data, reinterpret_cast<uintptr_t>(&context) | untied);
}

/// Runs the task of a slot that has just been popped or stolen; copies it first, so the slot may be
/// overwritten meanwhile.
void run_slot(Member& member, const TaskSlot& slot);

/// The same for what a thief takes from its batch, or what came of it: the ends of stolen tasks may
/// be left in `finished`, for the next call or for count_them().
void run_slot(Member& member, const TaskSlot& slot, FinishedChildren& finished);

} // namespace heddle::schedule
