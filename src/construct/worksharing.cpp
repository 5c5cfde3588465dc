// SPDX-License-Identifier: Apache-2.0
// The members' free lists of worksharing nodes.
// A node on a free list belongs to that member alone.
#include "construct/worksharing.hpp"

namespace heddle::construct {

using team::Workshare;

Workshare& take_workshare(team::Member& member) {
    const int32_t size = member.team_size;
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
    node->next.store(nullptr, platform::relaxed); // released by the append
    return *node;
}

void recycle_workshare(team::Member& member, Workshare& node) {
    node.free_memory();
    node.next_free = member.workshare.free_list;
    member.workshare.free_list = &node;
}

} // namespace heddle::construct
