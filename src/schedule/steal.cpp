// SPDX-License-Identifier: Apache-2.0
// Victim choice, batch steals with feedback on the victim's queue length, and leapfrogging.
// Feedback: a batch that lasts under 10 us means the victim's queue holds only leaves, so it is
// doubled; over 200 us a shorter queue, with fewer deferrals, is enough. Runs on the thief.
#include "schedule/steal.hpp"

#include "schedule/throttle.hpp"

namespace heddle::schedule {

namespace {

constexpr uint64_t short_batch_ns = 10'000, long_batch_ns = 200'000;

} // namespace

Member* find_victim(Member& member) {
    team::Team& team = *member.team;
    const auto size = static_cast<uint32_t>(member.team_size);
    uint32_t number = member.victim < size ? member.victim : 0;
    for (uint32_t i = 0; i < size; ++i) {
        Member& other = member_at(team, static_cast<int32_t>(number));
        if (&other != &member && other.deque.looks_stealable()) {
            member.victim = number;
            return &other;
        }
        number = number + 1 == size ? 0 : number + 1;
    }
    return nullptr;
}

bool any_stealable(Member& member) {
    team::Team& team = *member.team;
    for (int32_t i = 0; i < member.team_size; ++i)
        if (i != member.number && member_at(team, i).deque.surely_stealable())
            return true;
    return false;
}

TaskSlot* take_newest(Member& member, uint64_t base) {
    TaskSlot* slot = member.deque.pop(base);
    if (slot && member.deque.has_private() && member.deque.wants_tasks())
        expose(member);
    return slot;
}

bool steal_batch(Member& member, Member& victim) {
    const uint64_t began = platform::now_ns();
    concurrent::TaskDeque::Origin before;
    const uint64_t count = member.deque.steal(victim.deque, before);
    if (count == 0)
        return false;
    if (count > 1 && member.deque.wants_tasks())
        expose(member);
    while (TaskSlot* slot = take_newest(member, 0))
        run_slot(member, *slot);
    member.deque.end_batch(before);
    const uint64_t lasted = platform::now_ns() - began;
    if (lasted < short_batch_ns)
        victim.deque.lengthen_limit();
    else if (lasted > long_batch_ns)
        victim.deque.shorten_limit();
    return true;
}

bool leapfrog(Member& member, uint64_t base) {
    team::Team& team = *member.team;
    TaskSlot task;
    concurrent::TaskDeque::Origin before;
    for (int32_t i = 0; i < member.team_size; ++i) {
        if (i == member.number ||
            !member.deque.leapfrog(member_at(team, i).deque, base, task, before))
            continue;
        const uint64_t bottom = member.deque.bottom();
        run_slot(member, task);
        // What the task left behind descends from it, not from whom we may run next.
        while (TaskSlot* slot = take_newest(member, bottom))
            run_slot(member, *slot);
        member.deque.end_batch(before);
        return true;
    }
    return false;
}

} // namespace heddle::schedule
