// SPDX-License-Identifier: Apache-2.0
// The single construct and its copyprivate clause (OpenMP 5.2 sections 11.1, 5.7.2).
// Called by the ABI layers on each member. All come to the same ones in the same order, so each
// counts them, and who raises the team's count first executes that one. Protocol:
// docs/protocols/single.md.
#pragma once

#include "schedule/await.hpp"
#include "team/tool_events.hpp"

namespace heddle::construct {

/// What a tool hears of a single construct when a member comes to it. `ends`: nothing will say when
/// the region ends on the one that executes it.
inline void tell_single(const team::Member& member, bool executes, bool ends, const void* code) {
    const ompt_work_t kind = executes ? ompt_work_single_executor : ompt_work_single_other;
    team::tell_work(member, kind, ompt_scope_begin, 1, code);
    if (!executes || ends)
        team::tell_work(member, kind, ompt_scope_end, 1, code);
}

/// True on exactly one member.
inline bool begin_single(team::Member& member) {
    if (member.team_size == 1)
        return true;
    const uint32_t mine = member.singles++;
    if (platform::own::elects_first()) // all others wait for that thread at the barrier anyway
        return member.number == 0;
    // relaxed: the word is all that is decided by it
    platform::Atomic<uint32_t>& begun = member.team->singles.begun;
    uint32_t known = begun.load(platform::relaxed);
    HEDDLE_CHECK(known - mine < 1u << 31); // those that this member has passed have begun
    return known == mine &&
           begun.compare_exchange_strong(known, mine + 1, platform::relaxed, platform::relaxed);
}

/// A further copyprivate of the region that the members have come to, on each of them before
/// await_copyprivate() or end_copyprivate(). It counts as one more single region, of the same
/// executing member, so that nobody takes the last one's data for its own.
inline void next_copyprivate(team::Member& member, bool executes) {
    if (member.team_size == 1)
        return;
    const uint32_t number = ++member.singles;
    if (executes) // relaxed: published before anyone can come to the next region
        member.team->singles.begun.store(number, platform::relaxed);
}

/// What the executing member gives to end_copyprivate(), on the others, which have come from
/// begin_single(). They wait at a barrier before the next one.
inline void* await_copyprivate(team::Member& member) {
    team::Singles& singles = member.team->singles;
    schedule::await(member, singles.changed, [&](platform::Order order) {
        return singles.published.load(order) == member.singles; // pairs with end_copyprivate()
    });
    return singles.data.load(platform::relaxed);
}

/// True on the executing member, which calls end_copyprivate(); the others get *data from it.
inline bool begin_copyprivate(team::Member& member, void** data) {
    if (begin_single(member))
        return true;
    *data = await_copyprivate(member);
    return false;
}

inline void end_copyprivate(team::Member& member, void* data) {
    team::Singles& singles = member.team->singles;
    singles.data.store(data, platform::relaxed);
    // seq_cst: releases the data; Dekker with await()
    singles.published.exchange(member.singles, platform::seq_cst);
    singles.changed.notify_all();
}

} // namespace heddle::construct
