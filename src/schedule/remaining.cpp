// SPDX-License-Identifier: Apache-2.0
// The barrier of those that remain in a cancelled region: two counters under a lock, and an epoch
// for those that wait. Called on each member of the team, rarely: a region is cancelled once.
// What a thread has done before is ordered by the lock and by the release of the epoch.
#include "schedule/remaining.hpp"

#include "schedule/await.hpp"

namespace heddle::schedule {

namespace {

/// Under the lock: opens the barrier if nobody is missing.
bool open_if_all_there(team::Remaining& remaining, int32_t team_size) {
    HEDDLE_CHECK(remaining.waiting + remaining.gone <= team_size);
    if (remaining.waiting == 0 || remaining.waiting + remaining.gone != team_size)
        return false;
    remaining.waiting = 0;
    const uint32_t epoch = remaining.epoch.load(platform::relaxed); // changed under the lock
    // seq_cst: releases what all have done before; Dekker with await()
    remaining.epoch.exchange(epoch + 1, platform::seq_cst);
    return true;
}

} // namespace

void wait_for_remaining(team::Member& member) {
    team::Remaining& remaining = member.team->remaining;
    uint32_t epoch;
    bool opens;
    {
        const concurrent::LockGuard guard(remaining.lock);
        epoch = remaining.epoch.load(platform::relaxed); // changed under the lock
        ++remaining.waiting;
        opens = open_if_all_there(remaining, member.team_size);
    }
    if (opens)
        return remaining.changed.notify_all();
    await(member, remaining.changed, [&remaining, epoch](platform::Order order) {
        return remaining.epoch.load(order) != epoch; // pairs with open_if_all_there()
    });
}

void leave_remaining(team::Member& member) {
    team::Remaining& remaining = member.team->remaining;
    if (member.team->cancelled.load(platform::relaxed) == 0) // else the member has seen it
        return;
    bool opens;
    {
        const concurrent::LockGuard guard(remaining.lock);
        ++remaining.gone;
        opens = open_if_all_there(remaining, member.team_size);
    }
    if (opens)
        remaining.changed.notify_all();
}

} // namespace heddle::schedule
