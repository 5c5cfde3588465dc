// SPDX-License-Identifier: Apache-2.0
// Entering a worksharing region: the first thread to get there appends the node, the others find
// it. Called by loop, sections and single on each member. A member leaves a region by entering the
// next; the last one to leave recycles the node. docs/protocols/workshare-list.md.
#pragma once

#include "team/team.hpp"

namespace heddle::construct {

/// A node from the member's free list, or a new one.
team::Workshare& take_workshare(team::Member& member);
/// Puts a node that nobody refers to on the member's free list.
void recycle_workshare(team::Member& member, team::Workshare& node);

/// Enters the next worksharing region; initialize(node) runs if this member comes first.
/// True: this member came first.
template <class Initialize>
bool enter_workshare(team::Member& member, Initialize&& initialize) {
    team::Workshare& last = *member.workshare.node;
    // acquire: pairs with the append below, so the node's description can be read
    team::Workshare* node = last.next.load(platform::acquire);
    bool first = false;
    if (!node) {
        team::Workshare& fresh = take_workshare(member);
        fresh.expect(member.team_size);
        initialize(fresh);
        first =
            last.next.compare_exchange_strong(node, &fresh, platform::acq_rel, platform::acquire);
        if (first)
            node = &fresh;
        else
            recycle_workshare(member, fresh);
    }
    member.workshare.enter(node);
    if (last.leave(member.number))
        recycle_workshare(member, last);
    return first;
}

} // namespace heddle::construct
