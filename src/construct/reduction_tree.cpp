// SPDX-License-Identifier: Apache-2.0
// The tree of a reduction. Nobody waits for a partner: who comes second to a pair combines both
// parts and goes on upwards, on behalf of the lower thread. Only thread 0 waits for the end.
// Written by each member in its own ReductionPlace and in those of the pairs that it comes to: the
// exchange of `arrived` hands the parts below over. Protocol: docs/protocols/reduction-tree.md.
#include "construct/reduction_tree.hpp"

#include "schedule/stand_in.hpp"
#include "team/worker.hpp"

namespace heddle::construct {

namespace {

using team::Member;
using team::ReductionPlace;

Member& thread(const Member& member, int number) { return team::member_at(*member.team, number); }

/// Thread `number` may go on: its part has been combined; for thread 0, all parts are in its own.
void let_go(const Member& member, int number) {
    Member& owner = thread(member, number);
    owner.reduction.taken.store(1, platform::release); // pairs with await_taken()
    owner.worker->parker.unpark();
}

void await_taken(Member& member) {
    ReductionPlace& mine = member.reduction;
    const bool shares = schedule::shares_thread(member);
    const team::Ready is_taken = [](const void* place) {
        return static_cast<const ReductionPlace*>(place)->taken.load(platform::acquire) != 0;
    };
    concurrent::Waiting waiting(team::wait_limits(member));
    while (!is_taken(&mine)) { // pairs with let_go()
        if (shares && schedule::go_on_elsewhere(member, is_taken, &mine))
            waiting.restart(team::wait_limits(member));
        else if (!waiting.again())
            member.worker->parker.park(schedule::has_left_parts(member) ? schedule::moment_ns
                                                                        : platform::forever);
    }
    mine.taken.store(0, platform::relaxed); // released by `arrived` of the next reduction
}

} // namespace

bool combine_in_tree(Member& member, void* part, CombineParts combine, bool wait) {
    member.reduction.part = part;
    int lower = member.number; // on whose behalf this member goes on
    bool complete = true;
    for (int distance = 1; distance < member.team_size; distance *= 2) {
        const int higher = lower | distance;
        if (higher >= member.team_size)
            continue; // no such thread, so no pair
        ReductionPlace& pair = thread(member, higher).reduction;
        // acq_rel: who comes first releases the parts below, who comes second acquires them
        if (pair.arrived.exchange(1, platform::acq_rel) == 0) {
            complete = false;
            break;
        }
        pair.arrived.store(0, platform::relaxed); // released by let_go() or by the barrier
        lower &= ~distance;
        combine(thread(member, lower).reduction.part, pair.part);
        if (wait && higher != member.number)
            let_go(member, higher);
    }
    if (member.number == 0) {
        if (!complete)
            await_taken(member);
        return true;
    }
    if (complete)
        let_go(member, 0);
    if (wait && lower == member.number) // nobody has combined its part yet, or it does not know
        await_taken(member);
    return false;
}

} // namespace heddle::construct
