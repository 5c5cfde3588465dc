// SPDX-License-Identifier: Apache-2.0
// Making, settling and leaving families. See docs/protocols/split-counter.md for the counts.
// A family's memory stays mapped for ever (BlockPool), so the late look at `waiter` in settle() is
// at worst a spurious wake-up.
#include "schedule/family.hpp"

#include "schedule/dependences.hpp"
#include "schedule/own_context.hpp"
#include "schedule/priority_queue.hpp"
#include "schedule/throttle.hpp"

namespace heddle::schedule {

void lower_base(Member& member, Family& family) {
    const uint64_t bottom = member.deque.bottom();
    family.base = bottom;
    Group* group = family.context->group;
    if (group && group->owner == &member && bottom < group->base)
        group->base = bottom; // an untied task's taskyield has emptied the deque below it
}

namespace {

constexpr uint32_t least_families = 4; // in a list, before it is swept

/// One in the same taskgroup that lives until the families in it are complete.
const Context* lasting_context(const Member& member, const Context& context) {
    return context.group ? &context.group->context : &member.team->context;
}

/// The task has changed its context often: leaves the families whose children are complete, and
/// the contexts that were for these alone, so that neither list grows with each change. Those
/// outside the taskgroup that the task is in stay, and so does the one with the dependences.
void sweep_families(Member& member, Frame& frame) {
    const Group* group = frame.context()->group;
    // Of a group of an ancestor's there is no family in the list.
    Family* const outside = group && group->owner == &member ? group->outer_family : nullptr;
    uint32_t count = 0;
    Family** link = &frame.family;
    while (*link && *link != outside) {
        Family& family = **link;
        if (family.dependences || !family.children.complete()) {
            link = &family.older;
            ++count;
        } else {
            *link = family.older;
            free_family(member.worker, family);
        }
    }
    count += *link ? outside->count : 0;
    drop_own_contexts(member, frame, outside);
    if (!frame.family)
        return;
    frame.family->count = count;
    frame.family->sweep_at = 2 * count + least_families;
}

} // namespace

Family* new_family(Member& member, Frame& frame) {
    if (frame.family && frame.family->count >= frame.family->sweep_at)
        sweep_families(member, frame);
    void* memory = member.worker->families.take();
    if (!memory)
        return nullptr;
    // Not constructed anew: a late settle() may still look at `waiter`.
    auto* family = static_cast<Family*>(memory);
    family->children.reset();
    family->waiter.store(nullptr, platform::relaxed);
    family->older = frame.family;
    family->context = family->context_for_thieves = frame.context();
    if (HEDDLE_UNLIKELY(family->context->final)) // on its stack, which a detached child may outlive
        family->context_for_thieves = lasting_context(member, *family->context);
    family->home = &member.worker->families;
    family->dependences = nullptr;
    family->ready = nullptr;
    family->serial = member.policy_tasks;
    family->count = frame.family ? frame.family->count + 1 : 1;
    family->sweep_at = frame.family ? frame.family->sweep_at : least_families;
    if (!family->context->referred_to.load(platform::relaxed))
        family->context->referred_to.store(true, platform::relaxed);
    lower_base(member, *family);
    family->group = family->context->group;
    if (family->group)
        family->group->families.add(1);
    frame.family = family;
    team::Team& team = *member.team;
    if (!team.has_tasks.load(platform::relaxed))
        // relaxed: sleepers are told by publish()'s notify
        team.has_tasks.fetch_or(team::deferred_tasks, platform::relaxed);
    if constexpr (platform::own::exists)
        platform::own::Barrier::announce_tasks(&team);
    return family;
}

void settle(team::Worker* worker, Family& family, concurrent::Completion completion) {
    if (completion == concurrent::Completion::wake) {
        // relaxed: written before the owner's prepare_wait(), which done() has acquired
        if (Member* waiter = family.waiter.load(platform::relaxed))
            waiter->worker->parker.unpark();
    } else if (completion == concurrent::Completion::reclaim) {
        free_family(worker, family);
    }
}

void free_family(team::Worker* worker, Family& family) {
    Group* const group = family.group;
    if (HEDDLE_UNLIKELY(family.ready != nullptr))
        destroy_priority_queue(family.ready);
    if (worker && family.home == &worker->families)
        family.home->give_back(&family);
    else
        family.home->give_back_remote(&family);
    if (group && group->families.done() == concurrent::Completion::wake)
        if (Member* waiter = group->waiter.load(platform::relaxed)) // as in settle()
            waiter->worker->parker.unpark();
}

void leave_families(Member& member, Frame& frame) {
    ++member.parents;
    for (Family* family = frame.family; family;) {
        Family* const older = family->older; // the family may be gone after abandon()
        if (HEDDLE_UNLIKELY(family->dependences != nullptr))
            release_dependences(member, *family);
        if (family->children.complete()) {
            free_family(member.worker, *family);
        } else {
            if (!family->context->outlived.load(platform::relaxed))
                family->context->outlived.store(true, platform::relaxed);
            if (family->children.abandon())
                free_family(member.worker, *family);
        }
        family = older;
    }
    frame.family = nullptr;
    if (HEDDLE_UNLIKELY(frame.context_bits & Frame::owned_bit) && &frame != &member.implicit_task)
        leave_own_contexts(*member.team, frame);
    if (HEDDLE_UNLIKELY(member.drain == team::Drain::due) && frame.parent == &member.implicit_task)
        drain_initial_task(member);
}

} // namespace heddle::schedule
