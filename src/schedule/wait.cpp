// SPDX-License-Identifier: Apache-2.0
// The waiting loops. Inside a task only descendants may run: what lies in the own deque at or above
// the task's base, and what thieves made of tasks taken from there. In a barrier anything may run.
// A sleeper in a taskwait wakes by itself now and then, to look for work to leapfrog.
#include "schedule/wait.hpp"

#include "schedule/steal.hpp"
#include "team/cpu_pressure.hpp"

namespace heddle::schedule {

namespace {

constexpr uint64_t first_nap_ns = 200'000, longest_nap_ns = 5'000'000;

/// Runs descendants until counter.complete(). Counter: SplitCounter, or a group's count.
template <class Counter, class Complete>
void run_until(Member& member, Counter& counter, platform::Atomic<Member*>& waiter, uint64_t base,
               Complete&& complete) {
    concurrent::Waiting waiting(team::wait_limits(member.team_size));
    uint64_t nap = first_nap_ns;
    while (!complete()) {
        if (TaskSlot* slot = member.deque.pop(base)) {
            run_slot(member, *slot);
            continue;
        }
        if (leapfrog(member, base)) {
            waiting.restart();
            nap = first_nap_ns;
            continue;
        }
        if (waiting.again())
            continue;
        team::Team& team = *member.team;
        waiter.store(&member, platform::relaxed); // released by prepare_wait()
        team.parked.fetch_add(1, platform::relaxed);
        if (team.sleep.has_sleepers() && any_stealable(member))
            team.sleep.notify(1); // who sleeps in the barrier may run what we may not
        if (!counter.prepare_wait())
            member.worker->parker.park(nap);
        counter.end_wait();
        team.parked.fetch_sub(1, platform::relaxed);
        nap = nap * 2 < longest_nap_ns ? nap * 2 : longest_nap_ns;
    }
}

void wait_for_family(Member& member, Family& family, uint64_t base) {
    run_until(member, family.children, family.waiter, base,
              [&family] { return family.children.complete(); });
}

/// A group's count with the interface of SplitCounter: it has no private half.
struct GroupCounter {
    concurrent::CompletionCount& count;
    bool prepare_wait() { return count.prepare_wait(0); }
    void end_wait() { count.end_wait(); }
};

} // namespace

void wait_for_children(Member& member) {
    Frame& frame = *member.current;
    uint64_t base = frame.family->base;
    for (Family* family = frame.family; family; family = family->older)
        base = family->base; // the oldest family's is the lowest
    for (Family* family = frame.family; family; family = family->older)
        wait_for_family(member, *family, base);
}

void wait_for_group(Member& member, Group& group) {
    Frame& frame = *member.current;
    // The task's own children of the group first: their families hold counts of the group.
    while (frame.family != group.outer_family) {
        Family& family = *frame.family;
        wait_for_family(member, family, group.base);
        frame.family = family.older;
        free_family(member, family);
    }
    GroupCounter counter{group.families};
    run_until(member, counter, group.waiter, group.base,
              [&group] { return group.families.outstanding() == 0; });
}

void wait_at_barrier(Member& member) {
    team::Team& team = *member.team;
    while (TaskSlot* slot = member.deque.pop(0))
        run_slot(member, *slot);
    if (member.team_size == 1)
        return;
    const uint32_t epoch = team.barrier.epoch(); // constant: this thread is still active
    const auto size = static_cast<uint32_t>(member.team_size);
    if (team.barrier.arrive(size)) {
        team.sleep.notify_all();
        return;
    }
    concurrent::Waiting waiting(team::wait_limits(member.team_size));
    while (!team.barrier.completed(epoch)) {
        Member* victim = team.has_tasks.load(platform::relaxed) ? find_victim(member) : nullptr;
        if (victim && team.barrier.rejoin(epoch)) {
            if (steal_batch(member, *victim))
                waiting.restart();
            if (team.barrier.arrive(size)) {
                team.sleep.notify_all();
                return;
            }
            continue;
        }
        if (waiting.again())
            continue;
        const uint32_t key = team.sleep.announce();
        if (team.barrier.surely_completed(epoch) || any_stealable(member))
            team.sleep.withdraw();
        else
            team.sleep.sleep(key);
        waiting.restart();
    }
}

bool run_one(Member& member) {
    Frame& frame = *member.current;
    // An untied task constrains nothing; a tied one only allows its descendants.
    uint64_t base = 0;
    if (!frame.untied()) {
        if (!frame.family)
            return false;
        for (Family* family = frame.family; family; family = family->older)
            base = family->base;
    }
    TaskSlot* slot = member.deque.pop(base);
    if (!slot)
        return false;
    run_slot(member, *slot);
    return true;
}

} // namespace heddle::schedule
