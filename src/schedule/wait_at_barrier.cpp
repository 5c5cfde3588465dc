// SPDX-License-Identifier: Apache-2.0
// Waiting at barriers: a thread that has arrived runs anybody's tasks meanwhile, or, in a region on
// offer, goes on with parts of others. Called on each thread of the team, by construct/ and at the
// region's end. What a barrier orders is its own: concurrent/team_barrier.hpp, tree_barrier.hpp.
// Sleepers wake by themselves now and then, for expose() may have woken nobody.
#include "schedule/wait.hpp"

#include "schedule/absence.hpp"
#include "schedule/boxes.hpp"
#include "schedule/cancel.hpp"
#include "schedule/inbox.hpp"
#include "schedule/own_context.hpp"
#include "schedule/remaining.hpp"
#include "schedule/shared_place.hpp"
#include "schedule/steal.hpp"
#include "schedule/throttle.hpp"
#include "team/counting.hpp"
#include "team/large_team.hpp"
#include "team/own_barrier.hpp"
#include "team/region_end.hpp"
#include "team/task_watch.hpp"
#include "team/watching.hpp"

#include <type_traits>

namespace heddle::schedule {

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

/// Who stands back looks at all members after a nap: with so many it sleeps for longer.
constexpr int32_t members_a_nap = 16;

/// Before it sleeps it looks so often whether the barrier opens, from the 17th time on by yields,
/// as a rule: to sleep and to be woken takes longer than all tasks of a small region. Eight threads
/// on two CPUs with ten empty tasks a region took 46 to 126 us, and take 16 to 31.
constexpr uint32_t looks_before_standing_back = 48;

/// For a barrier that nothing but its opening ends.
constexpr auto never = [] { return false; };

/// Runs all that this worker has queued.
inline void run_own_tasks(Member& member) {
    if (HEDDLE_LIKELY(member.deque.size() == 0))
        return;
    if (member.team_size > 1 && member.deque.has_private())
        expose(member); // no more deferrals will do it
    while (TaskSlot* slot = take_newest(member, 0))
        run_slot(member, *slot);
}

/// Sleeps until the epoch ends or tasks are published, at most `nap`: expose() may have spared this
/// thread though those awake are blocked. False: they are published faster than it falls asleep.
template <class Place, class Leaves>
bool sleep_at_barrier(Member& member, Place& place, uint32_t epoch, uint64_t nap, Hunger& hunger,
                      Leaves&& leaves) {
    team::Team& team = *member.team;
    hunger.tell(team::Wait::barrier);
    const uint32_t key = team.sleep.announce();
    if (place.surely_completed(epoch) || any_stealable(member) ||
        team.inbox_size.load(platform::seq_cst) != 0 || member.box.surely_useful() || leaves())
        team.sleep.withdraw();
    else
        return team.sleep.sleep(key, nap) != concurrent::EventCount::Sleep::too_late;
    return true;
}

/// The same for a thread that leaves tasks to others. True: it is to run some, for these do not.
template <class Place>
bool sleep_standing_back(Member& member, Place& place, uint32_t epoch, uint64_t nap,
                         team::TaskWatch& watch) {
    team::Team& team = *member.team;
    const uint32_t key = team.back.announce();
    if (place.surely_completed(epoch) || team::wants_all(team)) {
        team.back.withdraw();
        return false;
    }
    if (team.back.sleep(key, nap) != concurrent::EventCount::Sleep::undisturbed)
        return true; // a lookout has woken it, or the barrier has opened
    if (!watch.wants_thread(team, member.team_size))
        return false;
    team::note_help(team, watch.tasks_block());
    return true;
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

/// At a place at a barrier that it has arrived at: waits until that opens, running tasks meanwhile;
/// or until leaves() and the thread could take its arrival back.
template <class Place, class Leaves>
void wait_until_open(Member& member, Place& place, uint32_t epoch, Leaves&& leaves) {
    constexpr bool is_region_end = requires { Place::is_region_end; };
    constexpr bool may_stand_back = std::is_same_v<Leaves, decltype(never)&>;
    team::Team& team = *member.team;
    concurrent::Waiting waiting(team::wait_limits(member));
    const team::EndOfIdleness end{member};
    Hunger hunger(member);
    Absence absence;
    uint64_t nap = first_nap_ns;
    team::TaskWatch watch;
    bool is_to_help = false, has_stood_back = false;
    uint32_t looks = 0;
    while (!place.completed(epoch)) {
        const uint32_t tasks = team.has_tasks.load(platform::relaxed);
        const bool stands_back = may_stand_back && tasks == team::deferred_tasks && !is_to_help &&
                                 team::stands_back(member, epoch, has_stood_back);
        is_to_help = false;
        has_stood_back |= stands_back;
        bool own = false;
        if (HEDDLE_UNLIKELY((tasks & team::boxed_tasks) != 0)) {
            hunger.tell(team::Wait::barrier);
            own = member.box.looks_useful();
        }
        const Victim victim = tasks != 0 && !own && !stands_back ? find_victim(member) : Victim();
        Member* holder = nullptr;
        if (HEDDLE_UNLIKELY((tasks & team::boxed_tasks) != 0) && !own && !victim)
            holder = find_box(member, hunger);
        if (leaves() && place.rejoin(epoch))
            return;
        const bool any = victim || own || holder || team.inbox_size.load(platform::relaxed) != 0;
        if (any && place.rejoin(epoch)) {
            hunger.end(holder != nullptr);
            member.in_barrier = true;
            const bool ran = victim ? steal_batch(member, victim) : run_inbox(member, holder);
            member.in_barrier = false;
            if (place.arrive(epoch)) {
                if (Place::sleeps)
                    team::wake_all(team);
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
        const bool may_look = !stands_back || looks++ < looks_before_standing_back;
        if ((may_look && waiting.again()) || !Place::sleeps) {
            absence.poll(member);
            continue;
        }
        const team::WatchedSleep watched(member);
        if (HEDDLE_UNLIKELY(hunger.is_hungry()))
            nap = first_nap_ns;
        if constexpr (requires { place.longest_nap(); })
            nap = nap < place.longest_nap() ? nap : place.longest_nap();
        bool found_sleep = true;
        if (stands_back)
            is_to_help = sleep_standing_back(member, place, epoch, nap, watch);
        else
            found_sleep = sleep_at_barrier(member, place, epoch, nap, hunger, leaves) ||
                          place.completed(epoch);
        const uint64_t longest =
            longest_nap_ns * (1 + (stands_back ? member.team_size / members_a_nap : 0));
        nap = !stands_back && absence.look(member) ? first_nap_ns
              : nap * 2 < longest                  ? nap * 2
                                                   : longest;
        waiting.rest(found_sleep);
    }
    if constexpr (requires { place.has_opened(); })
        if (HEDDLE_UNLIKELY(place.has_opened()))
            team::wake_all(team);
}

/// Arrives there first. The member has finished its own tasks.
template <class Place, class Leaves>
void wait_at(Member& member, Place place, Leaves&& leaves) {
    uint32_t epoch;
    if (!place.arrive(epoch))
        return wait_until_open(member, place, epoch, leaves);
    if (Place::sleeps)
        team::wake_all(*member.team);
}

concurrent::TeamBarrier::Place counted_place(const Member& member,
                                             concurrent::TeamBarrier& barrier) {
    return {barrier, static_cast<uint32_t>(member.team_size)};
}

concurrent::ArrivalFlags::Place flagged_place(const Member& member,
                                              concurrent::TeamBarrier& barrier) {
    team::Team& team = *member.team;
    return {barrier, &barrier == &team.barrier ? team.flags : team.cancellable_flags,
            static_cast<uint32_t>(member.number), static_cast<uint32_t>(member.team_size)};
}

/// wait_at() where each thread has a flag.
template <class Leaves>
[[gnu::noinline]] void wait_by_flags(Member& member, concurrent::TeamBarrier& barrier,
                                     Leaves&& leaves) {
    wait_at(member, flagged_place(member, barrier), leaves);
}

/// wait_at() where the team is large: its nodes are those below `barrier`.
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

/// wait_at() where the machine has a barrier for this team; false: it has not.
template <class Own>
bool wait_at_own_barrier(Member& member, const concurrent::TeamBarrier& barrier) {
    if (&barrier != &member.team->barrier || !Own::serves(member.team, member.team_size))
        return false;
    wait_at(member, team::OwnPlace<Own>(member), never);
    return true;
}

/// A thread alone passes at once, unless a detached task of its region is not fulfilled.
bool passes(const Member& member, const concurrent::TeamBarrier& barrier) {
    return member.team_size == 1 && !barrier.is_held(1);
}

/// wait_at() at one of the team's barriers, as its threads arrive there.
template <class Leaves>
[[gnu::noinline]] void wait_in_team(Member& member, concurrent::TeamBarrier& barrier,
                                    Leaves&& leaves) {
    if constexpr (platform::own::exists)
        if (wait_at_own_barrier<platform::own::Barrier>(member, barrier))
            return;
    if (shares_thread(member))
        return wait_at(member, SharedPlace(member, barrier), leaves);
    HEDDLE_CHECK(!member.by_flags || !member.offers);
    if (member.by_flags)
        wait_by_flags(member, barrier, leaves);
    else if (team::is_large(member.team_size) && member.team->trees)
        wait_in_tree(member, barrier, leaves);
    else
        wait_at(member, counted_place(member, barrier), leaves);
}

/// wait_at() for a part that has no task, where its thread goes on with others: as a rule it comes
/// back when the barrier is open. Apart from wait_in_team(), through which it takes 5 to 8 %
/// longer.
[[gnu::noinline]] void wait_as_part(Member& member) {
    SharedPlace place(member, member.team->barrier);
    uint32_t epoch;
    if (place.arrive(epoch))
        team::wake_all(*member.team);
    else if (!place.is_open())
        wait_until_open(member, place, epoch, never);
}

} // namespace

void wait_without_family(Member& member) {
    run_own_tasks(member);
    HEDDLE_CHECK(member.implicit_task.family == nullptr); // what ran has frames of its own
    if (shares_thread(member)) // called last, so no frame of this function is left
        return wait_as_part(member);
    if (!passes(member, member.team->barrier))
        wait_in_team(member, member.team->barrier, never);
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
        wait_in_team(member, member.team->barrier, never);
    if (HEDDLE_UNLIKELY((member.implicit_task.context_bits & team::Frame::owned_bit) != 0))
        renew_own_context(member);
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

void wait_at_region_end(Member& member) {
    finish_own_tasks(member);
    if constexpr (platform::own::exists)
        if (wait_at_own_barrier<platform::own::Barrier>(member, member.team->barrier))
            return;
    concurrent::TeamBarrier& barrier = member.team->barrier;
    if (member.by_flags)
        wait_at(member, team::RegionEnd(member, flagged_place(member, barrier)), never);
    else if (team::is_large(member.team_size) && member.team->trees)
        wait_in_tree(member, barrier, never);
    else
        wait_at(member, team::RegionEnd(member, counted_place(member, barrier)), never);
}

void run_tasks_of_others(Member& member) {
    Absence absence;
    member.in_barrier = true;
    for (;;) {
        const Victim victim = find_victim(member);
        if (victim ? steal_batch(member, victim) : run_inbox(member, nullptr))
            continue;
        // Tasks of an owner that is away become public by the second look.
        if (victim || (!absence.look(member) && !absence.look(member)))
            break;
    }
    member.in_barrier = false;
}

namespace {

/// A barrier inside a region that may be cancelled. `remains`: not even then does the thread leave
/// it before the others are there, or have gone to the region's end, where they wait at another
/// barrier than this one.
void wait_or_leave(Member& member, bool remains) {
    team::Team& team = *member.team;
    // seq_cst: Dekker of a sleeper with construct::cancel()
    const auto cancelled = [&team] { return team.cancelled.load(platform::seq_cst) != 0; };
    if (remains || !cancelled())
        finish_own_tasks(member);
    if (!cancelled()) {
        const uint32_t epoch = team.cancellable_barrier.epoch();
        if (!passes(member, team.cancellable_barrier))
            wait_in_team(member, team.cancellable_barrier, cancelled);
        if (member.team_size == 1 || team.cancellable_barrier.epoch() != epoch)
            return; // all were there
    }
    if (remains)
        wait_for_remaining(member);
}

} // namespace

void wait_for_copies(Member& member, const void* code) {
    if (!team::tells(member))
        return wait_or_leave(member, true);
    {
        const team::ToldWait wait(member, ompt_sync_region_barrier_explicit, code);
        wait_or_leave(member, true);
    }
    team::keep_in_sight(member);
}

bool wait_at_cancellable_barrier(Member& member) {
    if (!may_cancel(member)) { // the second barrier is not in use
        wait_at_barrier(member);
        return false;
    }
    const team::Team& team = *member.team;
    // Since its last single was one with copyprivate, a thread may still copy what lies on another
    // one's stack. Relaxed: what it has seen itself.
    wait_or_leave(member, member.singles != 0 &&
                              team.singles.published.load(platform::relaxed) == member.singles);
    return team.cancelled.load(platform::relaxed) != 0;
}

} // namespace heddle::schedule
