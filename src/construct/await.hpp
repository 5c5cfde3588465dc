// SPDX-License-Identifier: Apache-2.0
// Waiting for a word that another member of the team will change: spin, then sleep at an event
// count. Called by ordered and single copyprivate, where no task may run. condition(order) loads
// the word with the given order: acquire while spinning, seq_cst for the Dekker pair before
// sleeping.
#pragma once

#include "concurrent/event_count.hpp"
#include "team/stand_in.hpp"
#include "team/watching.hpp"

namespace heddle::construct {

template <class Condition>
[[gnu::noinline]] void await_slowly(team::Member& member, concurrent::EventCount& changed,
                                    Condition&& condition) {
    const team::WatchedWait watched(member, tool::WaitKind::other_thread, nullptr);
    if (HEDDLE_UNLIKELY(member.offers))
        team::call_others(member);
    concurrent::Waiting waiting(team::wait_limits(member));
    while (!condition(platform::acquire)) {
        if (waiting.again())
            continue;
        const uint32_t key = changed.announce();
        if (condition(platform::seq_cst))
            changed.withdraw();
        else
            changed.sleep(key);
    }
}

template <class Condition>
void await(team::Member& member, concurrent::EventCount& changed, Condition&& condition) {
    if (HEDDLE_UNLIKELY(!condition(platform::acquire)))
        await_slowly(member, changed, condition);
}

} // namespace heddle::construct
