// SPDX-License-Identifier: Apache-2.0
// The single construct and its copyprivate clause (OpenMP 5.2 sections 11.1, 5.7.2).
// Called by the ABI layers on each member: who appends the worksharing node executes the region.
#pragma once

#include "construct/await.hpp"
#include "construct/worksharing.hpp"
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
    if (platform::own::elects_first()) // all others wait for that thread at the barrier anyway
        return member.number == 0;
    return enter_workshare(member, [](team::Workshare&) {});
}

/// begin_single() where the executing member may call end_copyprivate().
inline bool begin_publishing_single(team::Member& member) {
    return enter_workshare(member, [](team::Workshare& node) {
        node.copyprivate_ready.store(0, platform::relaxed); // released by the append
    });
}

/// What the executing member gives to end_copyprivate(), on the others.
inline void* await_copyprivate(team::Member& member) {
    team::Workshare& node = *member.workshare.node;
    await(member, node.changed, [&node](platform::Order order) {
        return node.copyprivate_ready.load(order) != 0; // pairs with end_copyprivate()
    });
    return node.copyprivate.load(platform::relaxed);
}

/// True on the executing member, which calls end_copyprivate(); the others get *data from it.
inline bool begin_copyprivate(team::Member& member, void** data) {
    if (begin_publishing_single(member))
        return true;
    *data = await_copyprivate(member);
    return false;
}

inline void end_copyprivate(team::Member& member, void* data) {
    team::Workshare& node = *member.workshare.node;
    node.copyprivate.store(data, platform::relaxed);
    node.copyprivate_ready.exchange(1, platform::seq_cst); // releases the data; Dekker with await()
    node.changed.notify_all();
}

} // namespace heddle::construct
