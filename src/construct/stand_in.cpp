// SPDX-License-Identifier: Apache-2.0
// The parts of a region that were on offer, one after another, each as the thread whose part it is.
// The caller stays active at the closing barrier meanwhile, so that it does not open.
// Written by the thread that stands in. Protocol: docs/protocols/stand-in.md.
#include "construct/stand_in.hpp"

#include "schedule/wait.hpp"

#include <cstdlib>

namespace heddle::construct {

using team::Member;

namespace {

/// The member is done with the region, its deque empty: nobody waits in its place.
void leave(Member& member) {
    team::Team& team = *member.team;
    const auto size = static_cast<uint32_t>(member.team_size);
    member.wait.store(team::Wait::left, platform::relaxed);
    if (team.barrier.arrive(size))
        team.sleep.notify_all();
}

/// The implicit task of the worker's member, on the thread of `member`, whose stack it uses.
void execute_part(Member& member, team::Worker& worker) {
    const team::Mailbox& mailbox = worker.mailbox;
    Member& other = *worker.outermost.member;
    char* const own_limit = worker.stack_limit;
    worker.stack_limit = member.worker->stack_limit;
    team::begin_membership(other, *mailbox.team, mailbox.number, mailbox.size,
                           mailbox.first_workshare);
    other.offers = true;
    other.wait.store(team::Wait::none, platform::relaxed);
    platform::set_self(&other);
    const uint64_t own_control = platform::float_control();
    // What the other's last part has left, else what there was before the own one changed it.
    const uint64_t control =
        worker.control_left != 0 ? worker.control_left : member.worker->float_control;
    platform::set_float_control(control);
    mailbox.function(mailbox.data);
    if (HEDDLE_UNLIKELY(team::self_or_null() != &other))
        exit(0); // as in run_implicit_task()
    schedule::finish_own_tasks(other);
    if (const uint64_t left = platform::float_control(); left != control)
        worker.control_left = left;
    platform::set_float_control(own_control);
    platform::set_self(&member);
    worker.stack_limit = own_limit;
    leave(other); // `member` has yet to arrive, so it is not the last
}

} // namespace

void stand_in_for_others(Member& member) {
    schedule::finish_own_tasks(member); // nobody looks after them meanwhile
    int next = member.team_size - 1;
    while (team::Worker* worker = team::take_part(member, next))
        execute_part(member, *worker);
}

bool end_part(Member& member) {
    stand_in_for_others(member);
    if ((member.worker->mailbox.epoch.load(platform::relaxed) & team::called) != 0)
        return false;
    leave(member);
    return true;
}

} // namespace heddle::construct
