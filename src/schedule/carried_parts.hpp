// SPDX-License-Identifier: Apache-2.0
// What a thread does with the parts of a region on offer that it carries: leaves one, picks one
// that may go on, goes on with it, arrives for those that are over. Used by schedule/stand_in and,
// at barriers, schedule/wait_at_barrier, on the thread that stands in; others only claim a part
// that was left (team/part.hpp), which settle() releases. Protocol: docs/protocols/stand-in.md.
#pragma once

#include "concurrent/nap.hpp"
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
    if (team.on_offer.spares_called.load(platform::relaxed) != 0)
        team.on_offer.parts_over[worker.carrier.number % team::OnOffer::parts_over_lines].add(
            member.number, team.barrier.epoch());
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
        carrier.spare.keep(carrier.vacated);
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
    stack = carrier.spare.take();
    if (HEDDLE_LIKELY(stack.size != 0))
        return true;
    stack = platform::map_stack(config::stack_size(config::settings()));
    return stack.size != 0;
}

/// Takes up the part of that number, which the thread has left, if it may go on; else nullptr.
inline Member* pick_at(Carrier& carrier, const Team& team, int32_t number) {
    Member& member = team::member_at(team, number);
    const team::Look look = team::examine(member.part);
    if (look != team::Look::not_yet)
        carrier.stopped.remove(number); // or it is not stopped here any more
    if (look != team::Look::ready)
        return nullptr;
    carrier.last = number;
    return &member;
}

/// The first one of the set `numbers`, beginning at `first`, that may go on; else nullptr.
inline Member* pick_among(Carrier& carrier, const Team& team, uint64_t numbers, uint32_t first) {
    for (; numbers != 0; numbers &= numbers - 1) {
        const auto number = static_cast<int32_t>(first) + __builtin_ctzll(numbers);
        if (Member* member = pick_at(carrier, team, number))
            return member;
    }
    return nullptr;
}

/// One of those that the thread has left and that do not wait at the barrier, if any does; from the
/// one after the last one on, around to that one.
inline Member* pick_in_turn(Carrier& carrier, const Team& team, bool barrier_is_closed) {
    constexpr uint32_t bits = team::PartSet::word_bits;
    const auto last = static_cast<uint32_t>(carrier.last);
    const uint32_t words = carrier.stopped.words();
    const uint64_t higher = ~uint64_t{1} << last % bits;
    uint32_t index = last / bits;
    for (uint32_t looks = 0; looks <= words; ++looks) {
        uint64_t numbers = carrier.stopped.word(index);
        if (barrier_is_closed)
            numbers &= ~carrier.at_barrier.word(index);
        if (looks == 0)
            numbers &= higher;
        else if (looks == words)
            numbers &= ~higher;
        if (Member* member = pick_among(carrier, team, numbers, index * bits))
            return member;
        index = index + 1 < words ? index + 1 : 0;
    }
    return nullptr;
}

/// What pick() does where something was left.
[[gnu::noinline]] inline Member* pick_left(Carrier& carrier, const Team& team) {
    Member* const native = carrier.native;
    const bool was_at_barrier = carrier.at_barrier.any();
    const bool is_closed = was_at_barrier && team.barrier.epoch() == carrier.barrier_epoch;
    const bool is_last = was_at_barrier && !is_closed && native &&
                         carrier.at_barrier.has(native->number) &&
                         carrier.stopped.has(native->number);
    if (is_last)
        carrier.stopped.remove(native->number);
    Member* picked = pick_in_turn(carrier, team, is_closed);
    if (is_last) {
        carrier.stopped.add(native->number);
        if (!picked)
            picked = pick_at(carrier, team, native->number);
    }
    return picked;
}

/// A part that the thread has left and may go on with, in turn, which is now its own; else nullptr.
/// After a barrier the one on its own stack is the last, so that it ends last, as a rule: else what
/// the others return to is unexpected, for their calls are newer than its own.
inline Member* pick(Worker& worker, const Team& team) {
    Carrier& carrier = worker.carrier;
    if (carrier.native && team::has_come_home(carrier.native->part))
        return carrier.native;
    return carrier.stopped.any() ? pick_left(carrier, team) : nullptr;
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
        concurrent::nap(moment_ns);
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
    return carrier.untried.has_block() && carrier.begun < carrier.untried.share();
}

/// Is there perhaps a part that nobody has begun, for a thread that would leave its own? Where
/// parts meet before they have worked, the first thread to come would have them all, and their
/// work, too: it leaves the others their share for about a microsecond.
inline bool may_begin_another(Carrier& carrier) {
    return carrier.untried.any() &&
           (carrier.begun < carrier.untried.share() || ++carrier.in_vain > Carrier::patience);
}

/// A part that nobody has begun, for the thread that leaves the member's, and a stack for it.
/// `owner` is nullptr: there is none.
[[gnu::noinline]] inline Beginning begin_another(Member& member, Worker& worker) {
    Carrier& carrier = worker.carrier;
    Beginning beginning{&worker, nullptr, {}};
    if (HEDDLE_UNLIKELY(!take_spare(carrier, beginning.stack))) {
        carrier.untried.forget();
        team::call_others(member);
        return beginning;
    }
    beginning.owner = team::take_part(member, worker, carrier.untried);
    if (HEDDLE_UNLIKELY(!beginning.owner)) {
        carrier.spare.keep(beginning.stack);
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
        carrier.at_barrier.clear();
    }
    carrier.at_barrier.add(member.number);
}

/// go_on_elsewhere(), and what does its work where the program's code calls the runtime: with few
/// frames between that and the switch, the processor knows where they return to.
[[gnu::always_inline]] inline bool leave_for_another(Member& member, team::Ready ready,
                                                     const void* condition, const uint32_t* epoch,
                                                     bool at_barrier) {
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
    part.at_barrier = at_barrier;
    const OwnState state(part.carrier);
    Beginning beginning;
    if (!next)
        beginning = begin_another(member, worker);
    if (beginning.owner || next || (begins && (next = pick(worker, *member.team)))) {
        const platform::FirstCall start{run_on_side_stack, &beginning,
                                        next ? 0 : beginning.owner->float_control};
        carrier.stopped.add(member.number);
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
    if (leave_for_another(member, ready, condition, &epoch, true))
        return false;
    return arrive_for_all(*member.part.carrier, *member.team);
}

} // namespace heddle::schedule
