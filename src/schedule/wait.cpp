// SPDX-License-Identifier: Apache-2.0
// Waiting inside a task: only descendants may run, what lies in the own deque at or above the
// task's base, and what thieves made of tasks taken from there; in a barrier anything may, also
// while all that it has begun are untied tasks that wait. Called on the task's thread.
// Sleepers wake by themselves now and then, for work to leapfrog.
#include "schedule/wait.hpp"

#include "schedule/absence.hpp"
#include "schedule/boxes.hpp"
#include "schedule/dependences.hpp"
#include "schedule/inbox.hpp"
#include "schedule/steal.hpp"
#include "schedule/throttle.hpp"
#include "team/counting.hpp"
#include "team/stand_in.hpp"
#include "team/watching.hpp"

#include <type_traits>

namespace heddle::schedule {

namespace {

/// Everything in the deque at or above this index descends from the current task. An implicit
/// task's descendants are all there is: a barrier leaves the deque empty.
uint64_t lowest_base(const Member& member) {
    const Frame& frame = *member.current;
    if (&frame == &member.implicit_task)
        return 0;
    uint64_t base = ~uint64_t{0};
    for (const Family* family = frame.family; family; family = family->older)
        base = family->base < base ? family->base : base;
    return base;
}

/// Are all tasks on this stack untied, but for the implicit one? Then only that constrains what may
/// run here, and in a barrier nothing does (OpenMP 5.2 section 12.9).
bool all_untied(const Member& member) {
    const Frame* frame = member.current;
    while (frame != &member.implicit_task && frame->untied())
        frame = frame->parent;
    return frame == &member.implicit_task;
}

/// While a task waits above nothing but untied ones: takes what a barrier might take. Only with an
/// empty deque, as for any batch: nobody here would run what lies below a newer one.
bool run_unconstrained(Member& member) {
    if (!member.in_barrier || member.deque.size() != 0)
        return false;
    if (member.team->inbox_size.load(platform::relaxed) != 0 || member.box.looks_useful()) {
        // What that leaves here does not descend from the entry that runs, as others would think.
        concurrent::TaskDeque::Batch unrelated;
        member.deque.begin_unrelated(unrelated);
        const bool ran = run_any_from_inbox(member);
        while (TaskSlot* slot = take_newest(member, unrelated.start))
            run_slot(member, *slot);
        member.deque.end_batch(unrelated);
        if (ran)
            return true;
    }
    const Victim victim = find_victim(member);
    return victim && steal_batch(member, victim);
}

/// A shared count with the interface of SplitCounter: it has no private half.
struct SharedCounter {
    concurrent::CompletionCount& count;
    bool prepare_wait() { return count.prepare_wait(0); }
    void end_wait() { count.end_wait(); }
};

/// What a wait for such a counter is called; `group`: the taskgroup whose end waits.
template <class Counter>
constexpr tool::WaitKind wait_kind(const Group* group) {
    if (!std::is_same_v<Counter, SharedCounter>)
        return tool::WaitKind::taskwait;
    return group ? tool::WaitKind::taskgroup : tool::WaitKind::dependences;
}

/// Runs descendants until complete(). Counter: SplitCounter or SharedCounter; `group`: the
/// taskgroup whose end waits, if it is one.
template <class Counter, class Complete>
void run_until(Member& member, Counter& counter, platform::Atomic<Member*>& waiter, uint64_t base,
               const Group* group, Complete&& complete) {
    if (complete())
        return;
    concurrent::Waiting waiting(team::wait_limits(member));
    const team::EndOfIdleness end{member};
    Hunger hunger(member);
    Absence absence;
    uint64_t nap = first_nap_ns;
    bool counted = false;
    do {
        if (TaskSlot* slot = take_newest(member, base)) {
            run_slot(member, *slot);
            continue;
        }
        if (!counted)
            member.waits.store(member.waits.load(platform::relaxed) + 1, platform::relaxed);
        counted = true;
        if (run_from_inbox(member, group) || leapfrog(member, base) ||
            (uses_boxes(member) && run_child_from_boxes(member, group, hunger))) {
            waiting.restart(team::wait_limits(member));
            nap = first_nap_ns;
            continue;
        }
        if (member.current->untied() && !is_deep(member) && all_untied(member)) {
            if (member.deque.begun() < base) {
                base = member.deque.begun();
                continue;
            }
            if (run_unconstrained(member)) {
                waiting.restart(team::wait_limits(member));
                nap = first_nap_ns;
                continue;
            }
        }
        // Untied tasks that yield empty the deque below `base`; what then comes there lowers it.
        const uint64_t lowest = lowest_base(member);
        const uint64_t lowered = group && group->base < lowest ? group->base : lowest;
        if (lowered < base) {
            base = lowered;
            continue;
        }
        team::count_idle(member, wait_kind<Counter>(group));
        if (waiting.again()) {
            absence.poll(member);
            continue;
        }
        const team::WatchedSleep watched(member);
        team::Team& team = *member.team;
        waiter.store(&member, platform::relaxed); // released by prepare_wait()
        team.parked.fetch_add(1, platform::relaxed);
        ++member.sleeps;
        if (member.deque.has_private())
            expose(member); // lies below `base`: others may run it meanwhile, this thread may not
        if (team.sleep.has_sleepers() && (member.deque.surely_stealable() || any_stealable(member)))
            team.sleep.notify(1); // who sleeps in the barrier may run what we may not
        if (uses_boxes(member))
            nap = first_nap_ns; // what it waits for may come to the box of a busy thread
        if (!counter.prepare_wait())
            member.worker->parker.park(nap);
        counter.end_wait();
        hunger.note_nap();
        team.parked.fetch_sub(1, platform::relaxed);
        absence.look(member);
        nap = nap * 2 < longest_nap_ns ? nap * 2 : longest_nap_ns;
    } while (!complete());
}

void wait_for_family(Member& member, Family& family, uint64_t base) {
    run_until(member, family.children, family.waiter, base, nullptr,
              [&family] { return family.children.complete(); });
}

} // namespace

void wait_for_children(Member& member) {
    Frame& frame = *member.current;
    const uint64_t base = lowest_base(member);
    for (Family* family = frame.family; family; family = family->older)
        wait_for_family(member, *family, base);
}

void wait_for_group(Member& member, Group& group) {
    Frame& frame = *member.current;
    // A taskwait inside the group may have gone below the index at which the group began.
    const uint64_t lowest = lowest_base(member);
    const uint64_t base = lowest < group.base ? lowest : group.base;
    // The task's own children of the group first: their families hold counts of the group.
    while (frame.family != group.outer_family) {
        Family& family = *frame.family;
        wait_for_family(member, family, base);
        frame.family = family.older;
        if (HEDDLE_UNLIKELY(family.dependences != nullptr))
            release_dependences(member, family);
        free_family(member.worker, family);
    }
    SharedCounter counter{group.families};
    run_until(member, counter, group.waiter, base, &group,
              [&group] { return group.families.outstanding() == 0; });
}

void wait_for_predecessors(Member& member, team::TaskRecord& waiter) {
    platform::Atomic<Member*> unused{nullptr}; // who finishes the last knows whom to wake
    SharedCounter counter{waiter.missing};
    run_until(member, counter, unused, lowest_base(member), nullptr,
              [&waiter] { return waiter.missing.outstanding() == 0; });
}

bool run_own_child(Member& member) {
    TaskSlot* slot = take_newest(member, lowest_base(member));
    if (slot)
        run_slot(member, *slot);
    return slot != nullptr;
}

void run_until_fewer(Member& member, const Family& family, int64_t most) {
    const uint64_t base = lowest_base(member);
    constexpr int patience = 1000; // looks in vain, a few microseconds
    for (int looks = 0; looks < patience && family.children.outstanding() > most; ++looks) {
        if (TaskSlot* slot = take_newest(member, base))
            run_slot(member, *slot);
        else if (!leapfrog(member, base) && !(uses_boxes(member) && run_child_from_boxes(member))) {
            platform::relax();
            continue;
        }
        looks = 0;
    }
}

void wait_for_children_of(Member& member, team::Caller caller) {
    if (!team::tells(member))
        return wait_for_children(member);
    const team::ToldEntry entry(member, caller);
    const team::ToldWait wait(member, ompt_sync_region_taskwait, caller.code);
    wait_for_children(member);
}

bool run_one(Member& member) {
    // Untied tasks constrain nothing, but a tied one may be suspended below them on this stack.
    const uint64_t base = all_untied(member) ? member.deque.begun() : lowest_base(member);
    TaskSlot* slot = take_newest(member, base);
    if (!slot)
        return run_from_inbox(member, nullptr) ||
               (uses_boxes(member) && run_child_from_boxes(member));
    run_slot(member, *slot);
    return true;
}

} // namespace heddle::schedule
