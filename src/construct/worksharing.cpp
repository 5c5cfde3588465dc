// SPDX-License-Identifier: Apache-2.0
// The members' free lists of worksharing nodes.
// A node on a free list belongs to that member alone; others give nodes back through `returned`.
#include "construct/worksharing.hpp"

namespace heddle::construct {

using team::Workshare;

Workshare& take_workshare(team::Member& member) {
    const int32_t size = member.team_size;
    if (!member.workshare.free_list) // acquire: pairs with the others' recycle_workshare()
        member.workshare.free_list = member.workshare.returned.exchange(nullptr, platform::acquire);
    Workshare* node = member.workshare.free_list;
    while (node && node->capacity < size) { // left from a smaller team
        member.workshare.free_list = node->next_free;
        platform::deallocate(node);
        node = member.workshare.free_list;
    }
    if (node)
        member.workshare.free_list = node->next_free;
    else
        node = Workshare::create(size);
    if (!node)
        platform::die("no memory for a worksharing region");
    node->home = &member.workshare;
    node->next.store(nullptr, platform::relaxed); // released by the append, as what is below
    node->next_is_dealt.store(0, platform::relaxed);
    return *node;
}

void recycle_workshare(team::Member& member, Workshare& node) {
    node.free_memory();
    if (!node.home || node.home == &member.workshare) {
        node.next_free = member.workshare.free_list;
        member.workshare.free_list = &node;
        return;
    }
    // Back to whom took it: who is always first would allocate for ever, who is last collect. Push
    // only, so there is no ABA; release pairs with the acquire in take_workshare().
    team::WorksharePosition& home = *node.home;
    node.next_free = home.returned.load(platform::relaxed);
    while (!home.returned.compare_exchange_strong(node.next_free, &node, platform::release,
                                                  platform::relaxed)) {
    }
}

} // namespace heddle::construct
