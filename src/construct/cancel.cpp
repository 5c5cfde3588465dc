// SPDX-License-Identifier: Apache-2.0
// Requests for cancellation. A flag stays set until its region has ended; the team's is cleared
// when the next one begins. Relaxed but for the barrier's sleepers (Dekker).
#include "construct/cancel.hpp"

#include "schedule/cancel.hpp"

namespace heddle::construct {

using team::Member;

namespace {

/// Names the worksharing region the member is in, which ends at the next barrier of any kind: a
/// loop with a static schedule has no node to tell it by. Not 0 but after 2^64 barriers. Relaxed:
/// none of the epochs changes while the member is not at a barrier.
uint64_t workshare_key(const Member& member) {
    const team::Team& team = *member.team;
    const uint32_t inside =
        team.cancellable_barrier.epoch() + team.remaining.epoch.load(platform::relaxed);
    return (uint64_t{team.barrier.epoch()} << 32 | inside) + 1;
}

team::Group* innermost_taskgroup(const Member& member) {
    team::Group* group = member.current->context()->group;
    while (group && group->implicit && group->outer_context()->group)
        group = group->outer_context()->group;
    return group;
}

} // namespace

bool cancel(Member& member, CancelKind kind) {
    if (!config::settings().cancellation)
        return false;
    switch (kind) {
    case CancelKind::parallel:
        // seq_cst: Dekker with wait_at_cancellable_barrier()
        member.team->cancelled.exchange(1, platform::seq_cst);
        member.team->sleep.notify_all();
        break;
    case CancelKind::worksharing:
        // A thread alone has nobody to tell; its barriers do not count, so the key would stay.
        if (member.team_size > 1)
            member.team->cancelled_workshare.store(workshare_key(member), platform::relaxed);
        break;
    case CancelKind::taskgroup:
        if (team::Group* group = innermost_taskgroup(member))
            group->cancelled.store(true, platform::relaxed);
        break;
    }
    return true;
}

bool is_cancellation_due(const Member& member, CancelKind kind) {
    switch (kind) {
    case CancelKind::parallel:
        return member.team->cancelled.load(platform::relaxed) != 0;
    case CancelKind::worksharing:
        return member.team->cancelled_workshare.load(platform::relaxed) == workshare_key(member);
    case CancelKind::taskgroup:
        return schedule::is_cancelled(member, *member.current->context());
    }
    return false;
}

} // namespace heddle::construct
