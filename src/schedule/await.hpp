// SPDX-License-Identifier: Apache-2.0
// Waiting for a word that another member of the team will change: spin, then sleep at an event
// count. Called by ordered and single copyprivate, where no task may run. condition(order) loads
// the word with the given order: acquire while spinning, seq_cst for the Dekker pair before
// sleeping.
#pragma once

#include "concurrent/event_count.hpp"
#include "schedule/stand_in.hpp"
#include "team/watching.hpp"

#include <type_traits>

namespace heddle::schedule {

template <class Condition>
[[gnu::noinline]] void await_slowly(team::Member& member, concurrent::EventCount& changed,
                                    Condition&& condition) {
    const team::WatchedWait watched(member, tool::WaitKind::other_thread, nullptr);
    const bool shares = shares_thread(member);
    const team::Ready holds = [](const void* raw) {
        return (*static_cast<std::remove_reference_t<Condition>*>(const_cast<void*>(raw)))(
            platform::acquire);
    };
    concurrent::Waiting waiting(team::wait_limits(member));
    while (!condition(platform::acquire)) {
        if (shares && go_on_elsewhere(member, holds, &condition)) {
            waiting.restart(team::wait_limits(member));
            continue;
        }
        if (waiting.again())
            continue;
        const uint32_t key = changed.announce();
        if (condition(platform::seq_cst))
            changed.withdraw();
        else
            changed.sleep(key, has_left_parts(member) ? moment_ns : platform::forever);
    }
}

template <class Condition>
void await(team::Member& member, concurrent::EventCount& changed, Condition&& condition) {
    if (HEDDLE_UNLIKELY(!condition(platform::acquire)))
        await_slowly(member, changed, condition);
}

} // namespace heddle::schedule
