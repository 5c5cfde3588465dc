// SPDX-License-Identifier: Apache-2.0
// What a thread does with the parts of a region on offer that it carries: leaves one, picks one
// that may go on, goes on with it, arrives for those that are over. Used by schedule/stand_in and,
// at barriers, schedule/wait_at_barrier, on the thread that stands in; others only claim a part
// that was left (team/part.hpp), which settle() releases. Protocol: docs/protocols/stand-in.md.
#pragma once

#include "config/kmp_runtime.hpp"
#include "schedule/stand_in.hpp"
#include "team/lookout.hpp"

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

/// The same where its owner sleeps. In a region that may have tasks others may wait in its place
/// from now on: this epoch is the one of the closing barrier.
inline void leave_to_others(Worker& worker, Member& member) {
    Team& team = *member.team;
    leave(worker, member);
    if (team.spares_called.load(platform::relaxed) != 0)
        team.parts_over[worker.carrier.number].add(bit_of(member), team.barrier.epoch());
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
        team::wake_all(team);
}

/// First of all on the stack that the thread comes to: what it has left may be taken up by others,
/// or is over and its stack free. Only here, for until now the thread stood on that stack.
inline void settle(Worker& worker) {
    Carrier& carrier = worker.carrier;
    if (carrier.vacated.size != 0) {
        if (HEDDLE_LIKELY(carrier.spare_count < team::most_parts))
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
        leave_to_others(worker, *left);
    else
        team::stopped(left->part, carrier.becomes);
}

inline bool take_spare(Carrier& carrier, platform::SideStack& stack) {
    if (HEDDLE_LIKELY(carrier.spare_count > 0)) {
        stack = carrier.spare[--carrier.spare_count];
        return true;
    }
    stack = platform::map_stack(config::stack_size(config::settings()));
    return stack.size != 0;
}

/// A part that the thread has left and may go on with, in turn, which is now its own; else nullptr.
/// After a barrier the one on its own stack is the last, so that it ends last, as a rule: else what
/// the others return to is unexpected, for their calls are newer than its own.
inline Member* pick(Worker& worker, const Team& team) {
    Carrier& carrier = worker.carrier;
    if (carrier.native && team::has_come_home(carrier.native->part))
        return carrier.native;
    uint32_t numbers = carrier.stopped, own = 0;
    if (carrier.at_barrier != 0) {
        if (team.barrier.epoch() == carrier.barrier_epoch)
            numbers &= ~carrier.at_barrier;
        else if (carrier.native)
            own = bit_of(*carrier.native) & carrier.at_barrier;
    }
    const uint32_t higher = ~uint32_t{1} << carrier.last;
    while (numbers != 0) {
        uint32_t first = numbers & ~own ? numbers & ~own : numbers;
        first = first & higher ? first & higher : first;
        const int number = __builtin_ctz(first);
        numbers &= ~(1u << number);
        Member& member = team::member_at(team, number);
        const team::Look look = team::examine(member.part);
        if (look != team::Look::not_yet)
            carrier.stopped &= ~(1u << number); // or it is not stopped here any more
        if (look != team::Look::ready)
            continue;
        carrier.last = number;
        return &member;
    }
    return nullptr;
}

/// Around each switch: what libraries keep with the thread is the context's that is left.
/// `worker`: whose thread executes it, which may be another one afterwards.
class OwnState {
public:
    explicit OwnState(Worker* const& worker)
        : worker_(worker), state_(platform::take_library_state(worker->carrier.library)) {}
    ~OwnState() { platform::put_library_state(worker_->carrier.library, state_); }
    OwnState(const OwnState&) = delete;
    OwnState& operator=(const OwnState&) = delete;

private:
    Worker* const& worker_;
    const platform::LibraryState state_;
};

/// The part, which the worker's thread has picked, is the one that it goes on with.
inline const platform::Left& take_up(Worker& worker, Member& picked) {
    picked.part.carrier = &worker;
    platform::set_self(&picked);
    return picked.part.left;
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
    const OwnState state(part.carrier);
    stop(member, PartState::homebound);
    platform::switch_stack(part.left, next ? take_up(worker, *next) : worker.carrier.loop);
    settle(*part.carrier);
}

/// What a part on a side stack begins with, on the stack of the one that was left for it.
struct Beginning {
    Worker* worker = nullptr;
    Worker* owner = nullptr;
    platform::SideStack stack;
};

/// On that stack; in schedule/stand_in.cpp.
void run_on_side_stack(void* beginning);

/// Does the thread begin the parts of its own block, before it looks at those that it has left?
/// They only wait for these, as a rule, and it would look at each of them again and again.
inline bool begins_first(const Carrier& carrier) {
    return carrier.untried.block != 0 && carrier.begun < carrier.share;
}

/// Is there perhaps a part that nobody has begun, for a thread that would leave its own? Where
/// parts meet before they have worked, the first thread to come would have them all, and their
/// work, too: it leaves the others their share for about a microsecond.
inline bool may_begin_another(Carrier& carrier) {
    return carrier.untried.any() &&
           (carrier.begun < carrier.share || ++carrier.in_vain > Carrier::patience);
}

/// A part that nobody has begun, for the thread that leaves the member's, and a stack for it.
/// `owner` is nullptr: there is none.
[[gnu::noinline]] inline Beginning begin_another(Member& member, Worker& worker) {
    Carrier& carrier = worker.carrier;
    Beginning beginning{&worker, nullptr, {}};
    if (HEDDLE_UNLIKELY(!take_spare(carrier, beginning.stack))) {
        carrier.untried = team::nothing_untried;
        team::call_others(member);
        return beginning;
    }
    beginning.owner = team::take_part(member, worker, carrier.untried);
    if (HEDDLE_UNLIKELY(!beginning.owner)) {
        carrier.spare[carrier.spare_count++] = beginning.stack;
        return beginning;
    }
    ++carrier.begun;
    carrier.in_vain = 0;
    team::ensure_lookout(*member.team, *beginning.owner);
    return beginning;
}

/// The member's part is left at the team's barrier in that epoch.
inline void note_barrier(Carrier& carrier, const Member& member, uint32_t epoch) {
    if (carrier.barrier_epoch != epoch) {
        carrier.barrier_epoch = epoch;
        carrier.at_barrier = 0;
    }
    carrier.at_barrier |= bit_of(member);
}

/// go_on_elsewhere(), and what does its work where the program's code calls the runtime: with few
/// frames between that and the switch, the processor knows where they return to.
[[gnu::always_inline]] inline bool leave_for_another(Member& member, team::Ready ready,
                                                     const void* condition, const uint32_t* epoch) {
    Part& part = member.part;
    Worker& worker = *part.carrier;
    Carrier& carrier = worker.carrier;
    if (HEDDLE_UNLIKELY(!carrier.may_leave))
        return false;
    const bool begins = begins_first(carrier);
    Member* next = begins ? nullptr : pick(worker, *member.team);
    if (!next && !begins && !may_begin_another(carrier))
        return false;
    const team::Wait waits = member.wait.load(platform::relaxed);
    member.wait.store(team::Wait::left, platform::relaxed); // others may have what is in its box
    part.ready = ready;
    part.condition = condition;
    part.at_barrier = epoch != nullptr;
    const OwnState state(part.carrier);
    Beginning beginning;
    if (!next)
        beginning = begin_another(member, worker);
    if (beginning.owner || next || (begins && (next = pick(worker, *member.team)))) {
        const platform::FirstCall start{run_on_side_stack, &beginning,
                                        next ? 0 : beginning.owner->float_control};
        carrier.stopped |= bit_of(member);
        if (epoch)
            note_barrier(carrier, member, *epoch);
        stop(member, PartState::stopped);
        platform::switch_stack(part.left,
                               next ? take_up(worker, *next) : platform::end(beginning.stack),
                               next ? nullptr : &start);
        settle(*part.carrier);
    }
    member.wait.store(waits, platform::relaxed);
    return next || beginning.owner;
}

/// A part comes to its team's barrier in that epoch; when the barrier is open, ready(condition)
/// says so. Its thread goes on with another if it can, and arrives for all of them when none is
/// left that has not been there. True: it was the last. False: the part waits, or the barrier has
/// opened meanwhile.
[[gnu::always_inline]] inline bool arrive_or_go_on(Member& member, team::Ready ready,
                                                   const void* condition, uint32_t epoch) {
    ++member.part.carrier->carrier.arrivals;
    if (leave_for_another(member, ready, condition, &epoch))
        return false;
    return arrive_for_all(*member.part.carrier, *member.team);
}

} // namespace heddle::schedule
