// SPDX-License-Identifier: Apache-2.0
// Copy on write of a task's control variables, and the end of the copies.
// On the task's own thread.
#include "schedule/own_context.hpp"

#include "schedule/family.hpp"

#include <new>

namespace heddle::schedule {

namespace {

config::Icvs& adopt(Frame& frame, Context& context, config::Icvs& icvs) {
    const Context& inherited = *frame.context();
    icvs = *inherited.icvs;
    context.set(&icvs, inherited.group, inherited.final);
    context.outlived.store(false, platform::relaxed);
    frame.context_bits = reinterpret_cast<uintptr_t>(&context) | Frame::owned_bit |
                         (frame.context_bits & Frame::untied_bit);
    return icvs;
}

/// The context is the task's own; no other task may read it any more. Its family is the newest, if
/// it has one: a task comes back to an older context only where a taskgroup ends, which takes the
/// families inside along.
bool is_unread(const Frame& frame) {
    const Context& context = *frame.context();
    if (!context.referred_to.load(platform::relaxed))
        return true;
    const Family* family = frame.family;
    if (family && family->context == &context && !family->children.complete())
        return false;
    return !context.outlived.load(platform::relaxed); // after complete(), which has acquired it
}

OwnContext* own_context_of(const Frame& frame) {
    auto* context = const_cast<Context*>(frame.context());
    return reinterpret_cast<OwnContext*>(reinterpret_cast<char*>(context) -
                                         offsetof(OwnContext, context));
}

/// Those of the implicit task, in this region or the one before, but for the current one.
void free_later_contexts(Member& member) {
    team::Garbage** link = &member.later_contexts;
    while (team::Garbage* const kept = *link) {
        if (&reinterpret_cast<OwnContext*>(kept)->context == member.implicit_task.context()) {
            link = &kept->next;
        } else {
            *link = kept->next;
            platform::deallocate(kept);
        }
    }
}

} // namespace

config::Icvs& icvs_to_change(Member& member) {
    Frame& frame = *member.current;
    const bool owned = (frame.context_bits & Frame::owned_bit) != 0;
    if (owned && is_unread(frame))
        return *frame.context()->icvs;
    const bool is_explicit = &frame != &member.implicit_task;
    const bool lasts = !is_explicit && !frame.context()->group;
    if (lasts && !owned) {
        free_later_contexts(member);
        return adopt(frame, member.own_context, member.own_icvs);
    }
    void* memory = platform::allocate(sizeof(OwnContext), alignof(OwnContext));
    if (!memory)
        platform::die("no memory for a task's control variables");
    auto* own = ::new (memory) OwnContext;
    own->older = owned && !lasts ? own_context_of(frame) : nullptr;
    if (lasts) {
        own->kept.next = member.later_contexts;
        member.later_contexts = &own->kept;
    }
    config::Icvs& icvs = adopt(frame, own->context, own->icvs);
    if (is_explicit)
        current_family(member, frame); // so that its end comes to leave_families()
    return icvs;
}

// Both lists are in the order of the changes, and no context has two families.
void drop_own_contexts(const Member& member, const Frame& frame, const Family* outside) {
    const bool is_owned = (frame.context_bits & Frame::owned_bit) != 0;
    if (!is_owned || (&frame == &member.implicit_task && !frame.context()->group))
        return;
    const Family* family = frame.family;
    if (family && family->context == frame.context())
        family = family->older;
    for (OwnContext** link = &own_context_of(frame)->older; *link;) {
        OwnContext* const own = *link;
        const bool has_family = family && family != outside && family->context == &own->context;
        if (has_family)
            family = family->older;
        if (has_family || own->context.outlived.load(platform::relaxed)) {
            link = &own->older;
        } else {
            *link = own->older;
            platform::deallocate(own);
        }
    }
}

void renew_own_context(Member& member) {
    const Context& context = *member.implicit_task.context();
    context.referred_to.store(false, platform::relaxed);
    context.outlived.store(false, platform::relaxed);
    if (!context.group) // the end of a group goes back to the one outside
        free_later_contexts(member);
}

void leave_own_contexts(team::Team& team, const Frame& frame) {
    if ((frame.context_bits & Frame::owned_bit) == 0)
        return;
    for (OwnContext* own = own_context_of(frame); own;) {
        OwnContext* const older = own->older;
        if (own->context.outlived.load(platform::relaxed))
            team::keep_for_region(team, own->kept);
        else
            platform::deallocate(own);
        own = older;
    }
}

} // namespace heddle::schedule
