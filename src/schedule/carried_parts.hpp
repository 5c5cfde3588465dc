// SPDX-License-Identifier: Apache-2.0
// What a thread does with the parts of a region on offer that it carries: leaves one, picks one
// that may go on, goes on with it, arrives for those that are over. Used by schedule/stand_in.cpp
// alone, on the thread that stands in; others only claim a part that was left (team/part.hpp),
// which settle() releases. Protocol: docs/protocols/stand-in.md.
#pragma once

#include "config/kmp_runtime.hpp"
#include "schedule/stand_in.hpp"

namespace heddle::schedule {

using team::Carrier;
using team::Member;
using team::Part;
using team::PartState;
using team::Team;
using team::Worker;

inline uint32_t bit_of(const Member& member) { return 1u << member.number; }

/// The member is done with the region, its deque empty: nobody waits in its place. The worker's
/// thread arrives for it later.
inline void leave(Worker& worker, Member& member) {
    member.wait.store(team::Wait::left, platform::relaxed);
    ++worker.carrier.arrivals;
}

/// The worker's thread arrives for all that it has executed so far. True: it was the last.
inline bool arrive_for_all(Worker& worker, Team& team) {
    Carrier& carrier = worker.carrier;
    uint32_t unused;
    const uint32_t count = carrier.arrivals;
    carrier.arrivals = 0;
    return team.barrier.arrive(carrier.team_size, unused, count);
}

/// The same, where there are some, by a thread that has nothing to go on with for now: others may
/// go on with what it has left.
inline void arrive_for_rest(Worker& worker, Team& team) {
    if (worker.carrier.arrivals != 0 && arrive_for_all(worker, team))
        team.sleep.notify_all();
}

/// First of all on the stack that the thread comes to: what it has left may be taken up by others,
/// or is over and its stack free. Only here, for until now the thread stood on that stack.
inline void settle(Worker& worker) {
    Carrier& carrier = worker.carrier;
    if (carrier.vacated.size != 0) {
        if (carrier.spare_count < team::most_parts)
            carrier.spare[carrier.spare_count++] = carrier.vacated;
        else
            platform::unmap_stack(carrier.vacated);
        carrier.vacated = {};
    }
    Member* const left = carrier.left;
    if (!left)
        return;
    carrier.left = nullptr;
    if (carrier.becomes == PartState::active)
        leave(worker, *left);
    else
        team::stopped(left->part, carrier.becomes);
}

inline bool take_spare(Carrier& carrier, platform::SideStack& stack) {
    stack = carrier.spare_count > 0 ? carrier.spare[--carrier.spare_count]
                                    : platform::map_stack(config::stack_size(config::settings()));
    return stack.size != 0;
}

/// The first of `numbers` whose part may go on; forgets those that are not stopped here any more.
inline Member* pick_of(Carrier& carrier, const Team& team, uint32_t numbers) {
    for (; numbers != 0; numbers &= numbers - 1) {
        const int number = __builtin_ctz(numbers);
        Member& member = team::member_at(team, number);
        const team::Look look = team::examine(member.part);
        if (look != team::Look::not_yet)
            carrier.stopped &= ~(1u << number);
        if (look != team::Look::ready)
            continue;
        carrier.last = number;
        return &member;
    }
    return nullptr;
}

/// A part that the thread has left and may go on with, in turn, which is now its own; else nullptr.
inline Member* pick(Worker& worker, const Team& team) {
    Carrier& carrier = worker.carrier;
    if (HEDDLE_UNLIKELY(carrier.native != nullptr) && team::has_come_home(carrier.native->part))
        return carrier.native;
    if (carrier.stopped == 0)
        return nullptr;
    const uint32_t higher = ~uint32_t{1} << carrier.last & carrier.stopped;
    if (Member* member = pick_of(carrier, team, higher))
        return member;
    return pick_of(carrier, team, carrier.stopped & ~higher);
}

/// Around each switch: what libraries keep with the thread is the context's that is left.
class OwnState {
public:
    OwnState() : state_(platform::take_library_state()) {}
    ~OwnState() { platform::put_library_state(state_); }
    OwnState(const OwnState&) = delete;
    OwnState& operator=(const OwnState&) = delete;

private:
    const platform::LibraryState state_;
};

/// The worker's thread leaves a context at `from` for a part that it has picked.
inline void go_on(Worker& worker, platform::Left& from, Member& to) {
    to.part.carrier = &worker;
    platform::set_self(&to);
    platform::switch_stack(from, to.part.left, nullptr);
}

/// The thread that executes the member's part is about to leave it.
inline void stop(Member& member, PartState becomes) {
    Carrier& carrier = member.part.carrier->carrier;
    HEDDLE_CHECK(!carrier.left && carrier.vacated.size == 0);
    carrier.left = &member;
    carrier.becomes = becomes;
}

/// Between two looks in vain at all that a thread has left.
class Pause {
public:
    void operator()() {
        if (++looks_ < 4096)
            return platform::relax();
        platform::Atomic<uint32_t> nobody_wakes{0};
        platform::wait_on(nobody_wakes, 0, moment_ns);
    }

private:
    uint32_t looks_ = 0;
};

/// A part that lies on a thread's own stack and has been gone on with by another thread returns.
inline void come_home(Member& member) {
    Part& part = member.part;
    if (HEDDLE_LIKELY(part.carrier == part.home))
        return;
    Worker& worker = *part.carrier;
    HEDDLE_CHECK(worker.carrier.loop_waits); // that thread waits for nothing but what it carries
    Member* const next = pick(worker, *member.team);
    const OwnState state;
    stop(member, PartState::homebound);
    if (next)
        go_on(worker, part.left, *next);
    else
        platform::switch_stack(part.left, worker.carrier.loop, nullptr);
    settle(*part.carrier);
}

} // namespace heddle::schedule
