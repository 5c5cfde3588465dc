// SPDX-License-Identifier: Apache-2.0
// The parts of a region that were on offer: who executes what next. A thread begins them on its own
// stack when it has nothing to do there, else on side stacks, and changes between them where they
// wait. What a part that was left has to make known is done on the next stack: see settle().
// Written by the thread that stands in. Protocol: docs/protocols/stand-in.md.
#include "schedule/carried_parts.hpp"
#include "schedule/remaining.hpp"
#include "schedule/wait.hpp"
#include "team/fork_join.hpp"
#include "team/lookout.hpp"

namespace heddle::schedule {

namespace {

/// The implicit task of the owner's member becomes the current one of the worker's thread, on a
/// stack with room down to `stack_limit`; that it rounds like the owner is the caller's.
void begin_part(Worker& worker, Worker& owner, char* stack_limit) {
    const team::Mailbox& mailbox = owner.mailbox;
    Member& member = *owner.outermost.member;
    owner.stack_limit = stack_limit;
    team::begin_membership(member, *mailbox.team, mailbox.number, mailbox.size,
                           mailbox.first_workshare);
    member.offers = true;
    member.meets_awake = false;
    member.wait.store(team::Wait::none, platform::relaxed);
    member.part.carrier = &worker;
    platform::set_self(&member);
}

/// Its function has returned. The owner is to round as the part did last.
void finish_part(Worker& owner) {
    Member& member = *owner.outermost.member;
    team::exit_if_forked(member);
    note_code_over(member);
    finish_own_tasks(member);
    owner.float_control = platform::float_control();
}

/// On the thread's own stack, which is in the middle of no other part. The thread has `control` as
/// its float_control(); returns which one it has then.
uint64_t execute_here(Worker& worker, Worker& owner, uint64_t control) {
    Member& member = *owner.outermost.member;
    begin_part(worker, owner, worker.stack_limit);
    platform::set_float_control(owner.float_control, control);
    member.part.home = &worker;
    worker.carrier.native = &member;
    owner.mailbox.function(owner.mailbox.data);
    finish_part(owner);
    control = owner.float_control;
    come_home(member);
    worker.carrier.native = nullptr;
    leave_to_others(worker, member);
    return control;
}

/// Leaves the thread's own stack, outside of parts, for one that it has picked, until it has
/// nothing to go on with. It then rounds as before.
void carry(Worker& worker, Member& next) {
    Carrier& carrier = worker.carrier;
    Worker* const self = &worker;
    const OwnState state(self);
    carrier.loop_waits = true;
    platform::switch_stack(carrier.loop, take_up(worker, next));
    carrier.loop_waits = false;
    settle(worker);
}

/// Those who have yet to arrive, but for the worker's thread with what it has executed.
uint32_t others_active(const Worker& worker, const Team& team) {
    return team.barrier.active() - worker.carrier.arrivals - 1;
}

/// By the primary, which has executed the parts of its block: are there perhaps others that nobody
/// has begun? The others begin later by the time that a line takes to them, and a part of theirs
/// that it took meanwhile would bring several lines here, and back in the next region. So it leaves
/// them that time; if they are not done, it arrives for its own, so that they need not look at it.
bool may_find_others_later(Worker& worker, Team& team) {
    constexpr int patience = 24; // looks, half a microsecond
    for (int looks = 0; others_active(worker, team) != 0; ++looks) {
        if (looks == patience)
            return true;
        arrive_for_rest(worker, team);
        platform::relax();
    }
    return false;
}

/// The same by another thread. All but one of the others have arrived: no. That one is the primary,
/// or executes the last part itself. So this thread need not pull the lines that tell.
bool may_find_others(const Worker& worker, const Team& team) {
    platform::prefetch_for_write(&team.barrier); // it arrives there next
    return others_active(worker, team) > 1;
}

/// Until all is over that the worker's thread carries, and, for a member that has finished its own
/// part of the region, all that nobody has begun. On the thread's own stack.
void carry_on(Worker& worker, Team& team, Member* member) {
    Carrier& carrier = worker.carrier;
    uint64_t own_control = 0, control = 0; // not read yet
    bool has_block = member && worker.mailbox.with_cpu > 1;
    Pause pause;
    for (;;) {
        if (Member* next = pick(worker, team)) {
            carry(worker, *next);
            pause = {};
        } else if (has_block && !carrier.untried.has_block()) {
            has_block = false;
            const bool may_find = member->number == 0 ? may_find_others_later(worker, team)
                                                      : may_find_others(worker, team);
            if (!may_find)
                carrier.untried.forget();
        } else if (Worker* owner =
                       member ? team::take_part(*member, worker, carrier.untried) : nullptr) {
            if (control == 0)
                own_control = control = platform::float_control();
            control = execute_here(worker, *owner, control);
            pause = {};
        } else if (!carrier.stopped.any()) {
            break;
        } else {
            arrive_for_rest(worker, team);
            pause();
        }
    }
    platform::set_float_control(own_control, control);
}

/// The last of a part on a side stack: its thread goes elsewhere.
[[noreturn]] void leave_side_stack(Member& member) {
    Worker& worker = *member.part.carrier;
    Carrier& carrier = worker.carrier;
    Team& team = *member.team;
    const platform::SideStack stack = member.part.stack;
    Member* next = pick(worker, team);
    const bool has_next = next || carrier.loop_waits;
    if (!has_next) {
        // The thread's own part has yet to arrive, so the region goes on, and this stack is its
        // own.
        leave_to_others(worker, member);
        arrive_for_rest(worker, team);
        for (Pause pause; !next; next = pick(worker, team))
            pause();
    } else {
        stop(member, PartState::active);
    }
    carrier.vacated = stack;
    platform::leave_stack(next ? take_up(worker, *next) : carrier.loop);
}

} // namespace

void run_on_side_stack(void* raw) {
    const Beginning beginning = *static_cast<Beginning*>(raw); // others may go on there after this:
    settle(*beginning.worker);
    Worker& owner = *beginning.owner;
    Member& member = *owner.outermost.member;
    member.part.home = nullptr;
    member.part.stack = beginning.stack;
    begin_part(*beginning.worker, owner, beginning.stack.low + beginning.stack.size / 2);
    owner.mailbox.function(owner.mailbox.data);
    finish_part(owner);
    leave_side_stack(member);
}

bool go_on_elsewhere(Member& member, team::Ready ready, const void* condition,
                     const uint32_t* epoch, bool at_barrier) {
    return leave_for_another(member, ready, condition, epoch, at_barrier);
}

namespace {
/// The member has executed its own part, on its own thread.
void execute_others(Member& member) {
    finish_own_tasks(member); // nobody looks after them meanwhile
    come_home(member);
    Worker& worker = *member.worker;
    worker.carrier.native = nullptr;
    carry_on(worker, *member.team, &member);
    platform::set_self(&member);
}
} // namespace

void stand_in_for_others(Member& member) {
    execute_others(member);
    arrive_for_rest(*member.worker, *member.team);
}

bool end_part(Member& member) {
    Worker& worker = *member.worker;
    execute_others(member);
    const bool stays = (worker.mailbox.epoch.load(platform::relaxed) & team::called) != 0;
    if (!stays)
        leave(worker, member);
    arrive_for_rest(worker, *member.team);
    return !stays;
}

namespace {

/// It carries nothing but what it has claimed.
void begin_with(Carrier& carrier, const Member& claimed) {
    carrier.stopped.begin(claimed.team_size);
    carrier.at_barrier.begin(claimed.team_size);
    carrier.number = claimed.number;
    carrier.untried.forget();
    carrier.team_size = static_cast<uint32_t>(claimed.team_size);
    carrier.may_leave = carrier.finds_cpu = true;
    carrier.native = nullptr;
}

/// team::go_on_with(): the worker's thread sleeps at its mailbox.
void carry_claimed(Worker& worker, Member& claimed) {
    Carrier& carrier = worker.carrier;
    void* const self = platform::self();
    Team& team = *claimed.team;
    begin_with(carrier, claimed);
    carry(worker, claimed);
    carry_on(worker, team, nullptr);
    platform::set_self(self);
    arrive_for_rest(worker, team); // the last one, perhaps
}

/// team::help_in_place_of(): likewise. The region goes on if the member can be active once more.
void help_claimed(Worker& worker, Team& team, Member& claimed, uint32_t epoch) {
    if (!team.barrier.rejoin(epoch))
        return;
    void* const self = platform::self();
    begin_with(worker.carrier, claimed);
    claimed.part.carrier = &worker;
    claimed.worker->stack_limit = claimed.stack_limit = worker.own_stack_limit;
    claimed.wait.store(team::Wait::none, platform::relaxed);
    platform::set_self(&claimed);
    const uint64_t control = platform::float_control();
    platform::set_float_control(claimed.worker->float_control, control);
    run_tasks_of_others(claimed);
    platform::set_float_control(control, claimed.worker->float_control);
    platform::set_self(self);
    leave_to_others(worker, claimed);
    arrive_for_rest(worker, team);
}

__attribute__((constructor)) void offer_to_carry() {
    team::go_on_with = carry_claimed;
    team::help_in_place_of = help_claimed;
}

} // namespace

} // namespace heddle::schedule
