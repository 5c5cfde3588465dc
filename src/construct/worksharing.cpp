// SPDX-License-Identifier: Apache-2.0
// The members' free lists of worksharing nodes, and what becomes of those that are too many.
// Called by who enters a worksharing region. A node on a free list belongs to that member alone;
// others give nodes back through `returned`: push only, so there is no ABA, and who takes takes
// all. docs/protocols/workshare-list.md.
#include "construct/worksharing.hpp"

namespace heddle::construct {

using team::Workshare;

namespace {

/// Nodes that wait in WorksharePosition::returned. A thread that is further ahead of the others
/// than this gets its nodes from the system's memory, and they go back there.
constexpr uintptr_t most_returned = 63;
constexpr uintptr_t count_bits = 63; ///< of WorksharePosition::returned, below the address
static_assert(most_returned <= count_bits && count_bits < alignof(Workshare));

Workshare* first_of(uintptr_t returned) {
    return reinterpret_cast<Workshare*>(returned & ~count_bits);
}

/// Back to whom took it: who is always first would allocate for ever, who is last collect.
void give_back(team::WorksharePosition& home, Workshare& node) {
    uintptr_t list = home.returned.load(platform::relaxed);
    uintptr_t count;
    do {
        count = list & count_bits;
        if (count == most_returned)
            return platform::deallocate(&node);
        node.next_free = first_of(list);
        // release: pairs with the acquire in take_workshare()
    } while (!home.returned.compare_exchange_strong(list,
                                                    reinterpret_cast<uintptr_t>(&node) + count + 1,
                                                    platform::release, platform::relaxed));
}

} // namespace

Workshare& take_workshare(team::Member& member) {
    const int32_t size = member.team_size;
    if (!member.workshare.free_list) // acquire: pairs with the others' give_back()
        member.workshare.free_list =
            first_of(member.workshare.returned.exchange(0, platform::acquire));
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
    give_back(*node.home, node);
}

} // namespace heddle::construct
