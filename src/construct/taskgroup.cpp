// SPDX-License-Identifier: Apache-2.0
// A taskgroup is a context: tasks created inside inherit it, and each family made under it holds
// one count of the group until its last child has ended. Runs on the encountering thread.
#include "construct/taskgroup.hpp"

#include "construct/icvs.hpp"
#include "schedule/hints.hpp"
#include "schedule/own_context.hpp"
#include "schedule/wait.hpp"

namespace heddle::construct {

using team::Frame;
using team::Group;

void open_taskgroup(team::Member& member) {
    Frame& frame = *member.current;
    void* memory = member.worker->groups.take();
    if (!memory)
        platform::die("no memory for a taskgroup");
    auto* group = static_cast<Group*>(memory); // as in new_family()
    group->families.reset();
    group->waiter.store(nullptr, platform::relaxed);
    group->cancelled.store(false, platform::relaxed);
    group->implicit = false;
    const team::Context& outside = *frame.context();
    group->context.set(outside.icvs, group, outside.final);
    group->outer_bits = frame.context_bits;
    group->outer_family = frame.family;
    group->reductions = outside.group ? outside.group->reductions : nullptr;
    group->base = member.deque.bottom();
    group->owner = &member;
    schedule::begin_group_scope(member, group->hints);
    // Control variables changed inside the group get a context of their own again.
    frame.context_bits =
        reinterpret_cast<uintptr_t>(&group->context) | (frame.context_bits & Frame::untied_bit);
}

void close_taskgroup(team::Member& member) {
    Frame& frame = *member.current;
    Group* group = frame.context()->group;
    if (!group)
        return; // an end without a begin, as libgomp outside a team allows
    if (HEDDLE_UNLIKELY(group->hints.hint.kind != team::HintKind::none))
        schedule::end_scope(member, group->hints);
    schedule::wait_for_group(member, *group);
    const config::Icvs icvs = *frame.context()->icvs;
    const bool changed = frame.context() != &group->context;
    if (changed)
        schedule::leave_own_contexts(*member.team, frame);
    frame.context_bits = group->outer_bits;
    member.worker->groups.give_back(group);
    if (changed) // omp_set_* inside the group holds on after it
        task_icvs_for_write() = icvs;
}

void tell_and_open_taskgroup(team::Member& member) {
    team::tell_sync(member, ompt_sync_region_taskgroup, ompt_scope_begin,
                    team::tool_of(member).code);
    open_taskgroup(member);
}

void tell_and_close_taskgroup(team::Member& member) {
    if (!member.current->context()->group)
        return; // as above
    const void* const code = team::tool_of(member).code;
    {
        const team::ToldWait wait(member, ompt_sync_region_taskgroup, code, false);
        close_taskgroup(member);
    }
    team::tell_sync(member, ompt_sync_region_taskgroup, ompt_scope_end, code);
    team::keep_in_sight(member);
}

} // namespace heddle::construct
