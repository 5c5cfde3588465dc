// SPDX-License-Identifier: Apache-2.0
// The waiting loops. Inside a task only descendants may run: what lies in the own deque at or above
// the task's base, and what thieves made of tasks taken from there. In a barrier anything may run,
// also while all that it has begun are untied tasks that wait.
// Sleepers wake by themselves now and then: for work to leapfrog, or because expose() woke nobody.
#include "schedule/wait.hpp"

#include "schedule/absence.hpp"
#include "schedule/boxes.hpp"
#include "schedule/dependences.hpp"
#include "schedule/inbox.hpp"
#include "schedule/shared_place.hpp"
#include "schedule/steal.hpp"
#include "schedule/throttle.hpp"
#include "team/counting.hpp"
#include "team/large_team.hpp"
#include "team/own_barrier.hpp"
#include "team/region_end.hpp"
#include "team/watching.hpp"

#include <type_traits>

namespace heddle::schedule {

namespace {

constexpr uint64_t first_nap_ns = 500'000, longest_nap_ns = 16'000'000;

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
    Member* victim = find_victim(member);
    return victim && steal_batch(member, *victim);
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
    do {
        if (TaskSlot* slot = take_newest(member, base)) {
            run_slot(member, *slot);
            continue;
        }
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

namespace {

/// The contexts that the implicit task's families refer to live until the region ends, which the
/// primary may do as soon as all have arrived. Children that others run settle the rest.
[[gnu::noinline]] void leave_families_before_arriving(Member& member) {
    member.gathers = 1; // a producer: see answer_request() in schedule/throttle.cpp
    Frame& frame = member.implicit_task;
    leave_families(member, frame);
    // A barrier inside a taskgroup: those outside the group are gone too.
    for (Group* group = frame.context()->group; group; group = group->outer_context()->group)
        group->outer_family = nullptr;
}

/// Runs all that this worker has queued.
inline void run_own_tasks(Member& member) {
    if (member.team_size > 1 && member.deque.has_private())
        expose(member); // no more deferrals will do it
    while (TaskSlot* slot = take_newest(member, 0))
        run_slot(member, *slot);
}

/// Sleeps until the epoch ends or tasks are published, at most `nap`: expose() may have spared this
/// thread though those awake are blocked.
template <class Place, class Leaves>
void sleep_at_barrier(Member& member, Place& place, uint32_t epoch, uint64_t nap, Hunger& hunger,
                      Leaves&& leaves) {
    team::Team& team = *member.team;
    hunger.tell(team::Wait::barrier);
    const uint32_t key = team.sleep.announce();
    if (place.surely_completed(epoch) || any_stealable(member) ||
        team.inbox_size.load(platform::seq_cst) != 0 || member.box.surely_useful() || leaves())
        team.sleep.withdraw();
    else
        team.sleep.sleep(key, nap);
}

/// A task of its own box, one that became ready outside any worker, or one of the box of `holder`,
/// and all that comes of it.
bool run_inbox(Member& member, Member* holder) {
    if (!run_any_from_inbox(member) && !(holder && run_from_box(member, *holder)))
        return false;
    while (TaskSlot* slot = take_newest(member, 0))
        run_slot(member, *slot);
    return true;
}

/// Arrives at its place at a barrier and waits until that opens, running tasks meanwhile; or until
/// leaves() and the thread could take its arrival back. The member has finished its own tasks.
template <class Place, class Leaves>
void wait_at(Member& member, Place place, Leaves&& leaves) {
    constexpr bool is_region_end = std::is_same_v<Place, team::RegionEnd>;
    team::Team& team = *member.team;
    uint32_t epoch;
    if (place.arrive(epoch)) {
        if (Place::sleeps)
            team.sleep.notify_all();
        return;
    }
    concurrent::Waiting waiting(team::wait_limits(member));
    const team::EndOfIdleness end{member};
    Hunger hunger(member);
    Absence absence;
    uint64_t nap = first_nap_ns;
    while (!place.completed(epoch)) {
        const uint32_t tasks = team.has_tasks.load(platform::relaxed);
        bool own = false;
        if (HEDDLE_UNLIKELY((tasks & team::boxed_tasks) != 0)) {
            hunger.tell(team::Wait::barrier);
            own = member.box.looks_useful();
        }
        Member* victim = tasks != 0 && !own ? find_victim(member) : nullptr;
        Member* holder = nullptr;
        if (HEDDLE_UNLIKELY((tasks & team::boxed_tasks) != 0) && !own && !victim)
            holder = find_box(member, hunger);
        if (leaves() && place.rejoin(epoch))
            return;
        const bool any = victim || own || holder || team.inbox_size.load(platform::relaxed) != 0;
        if (any && place.rejoin(epoch)) {
            hunger.end(holder != nullptr);
            member.in_barrier = true;
            const bool ran = victim ? steal_batch(member, *victim) : run_inbox(member, holder);
            member.in_barrier = false;
            if (place.arrive(epoch)) {
                if (Place::sleeps)
                    team.sleep.notify_all();
                return;
            }
            if (ran) {
                waiting.restart(team::wait_limits(member));
                nap = first_nap_ns;
                continue;
            }
        }
        team::count_idle(member,
                         is_region_end ? tool::WaitKind::region_end : tool::WaitKind::barrier);
        if (waiting.again() || !Place::sleeps) {
            absence.poll(member);
            continue;
        }
        const team::WatchedSleep watched(member);
        if (HEDDLE_UNLIKELY(hunger.is_hungry()))
            nap = first_nap_ns;
        sleep_at_barrier(member, place, epoch, nap, hunger, leaves);
        nap = absence.look(member)       ? first_nap_ns
              : nap * 2 < longest_nap_ns ? nap * 2
                                         : longest_nap_ns;
        waiting.rest();
    }
}

/// The same where the team is large: its nodes are those below `barrier`.
template <class Leaves>
[[gnu::noinline]] void wait_in_tree(Member& member, concurrent::TeamBarrier& barrier,
                                    Leaves&& leaves) {
    const team::BarrierTrees& trees = *member.team->trees;
    concurrent::TreeBarrier& tree =
        *(&barrier == &member.team->barrier ? trees.region : trees.cancellable);
    wait_at(member,
            concurrent::TreeBarrier::Place(tree, barrier, static_cast<uint32_t>(member.number)),
            leaves);
}

/// The same where the machine has a barrier for this team; false: it has not.
template <class Own>
bool wait_at_own_barrier(Member& member, const concurrent::TeamBarrier& barrier) {
    if (&barrier != &member.team->barrier || !Own::serves(member.team, member.team_size))
        return false;
    wait_at(member, team::OwnPlace<Own>(member), [] { return false; });
    return true;
}

/// A thread alone passes at once, unless a detached task of its region is not fulfilled.
bool passes(const Member& member, const concurrent::TeamBarrier& barrier) {
    return member.team_size == 1 && !barrier.is_held(1);
}

/// The same at one of the team's barriers.
template <class Leaves>
[[gnu::noinline]] void wait_in_team(Member& member, concurrent::TeamBarrier& barrier,
                                    Leaves&& leaves) {
    if constexpr (platform::own::exists)
        if (wait_at_own_barrier<platform::own::Barrier>(member, barrier))
            return;
    if (shares_thread(member))
        return wait_at(member, SharedPlace(member, barrier), leaves);
    const auto size = static_cast<uint32_t>(member.team_size);
    if (team::is_large(member.team_size) && member.team->trees)
        wait_in_tree(member, barrier, leaves);
    else
        wait_at(member, concurrent::TeamBarrier::Place(barrier, size), leaves);
}

} // namespace

void wait_without_family(Member& member) {
    run_own_tasks(member);
    HEDDLE_CHECK(member.implicit_task.family == nullptr); // what ran has frames of its own
    if (!passes(member, member.team->barrier))
        wait_in_team(member, member.team->barrier, [] { return false; });
}

void finish_own_tasks(Member& member) {
    run_own_tasks(member);
    if (HEDDLE_UNLIKELY(member.implicit_task.family != nullptr))
        leave_families_before_arriving(member);
}

namespace {

void finish_and_wait(Member& member) {
    finish_own_tasks(member);
    if (!passes(member, member.team->barrier))
        wait_in_team(member, member.team->barrier, [] { return false; });
}

} // namespace

void wait_with_family(Member& member, ompt_sync_region_t kind, team::Caller caller) {
    if (!team::tells(member))
        return finish_and_wait(member);
    const bool ends_region = kind == ompt_sync_region_barrier_implicit_parallel;
    const team::ToolParallel* region = member.team->tool;
    const team::ToldEntry entry(member, ends_region ? team::Caller{} : caller);
    {
        const team::ToldWait wait(member, kind, ends_region && region ? region->code : caller.code);
        finish_and_wait(member);
    }
    if (!ends_region)
        team::keep_in_sight(member);
}

void wait_for_children_of(Member& member, team::Caller caller) {
    if (!team::tells(member))
        return wait_for_children(member);
    const team::ToldEntry entry(member, caller);
    const team::ToldWait wait(member, ompt_sync_region_taskwait, caller.code);
    wait_for_children(member);
}

void wait_at_region_end(Member& member) {
    finish_own_tasks(member);
    const auto never = [] { return false; };
    if constexpr (platform::own::exists)
        if (wait_at_own_barrier<platform::own::Barrier>(member, member.team->barrier))
            return;
    if (team::is_large(member.team_size) && member.team->trees)
        wait_in_tree(member, member.team->barrier, never);
    else
        wait_at(member, team::RegionEnd(member), never);
}

bool wait_at_cancellable_barrier(Member& member) {
    if (!needs_attention(member)) { // cancel-var is false: the second barrier is not in use
        wait_at_barrier(member);
        return false;
    }
    team::Team& team = *member.team;
    // seq_cst: Dekker of a sleeper with construct::cancel()
    const auto cancelled = [&team] { return team.cancelled.load(platform::seq_cst) != 0; };
    if (!cancelled()) {
        finish_own_tasks(member);
        if (!passes(member, team.cancellable_barrier))
            wait_in_team(member, team.cancellable_barrier, cancelled);
    }
    return cancelled();
}

bool run_one(Member& member) {
    // Untied tasks constrain nothing, but a tied one may be suspended below them on this stack.
    const uint64_t base = all_untied(member) ? member.deque.begun() : lowest_base(member);
    TaskSlot* slot = take_newest(member, base);
    if (!slot)
        return uses_boxes(member) && run_child_from_boxes(member);
    run_slot(member, *slot);
    return true;
}

} // namespace heddle::schedule
