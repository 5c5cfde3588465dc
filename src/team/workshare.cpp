// SPDX-License-Identifier: Apache-2.0
// Allocation of worksharing nodes, with one range a thread behind each, and what they own.
// Called when a member's free list holds none that is large enough.
#include "team/workshare.hpp"

namespace heddle::team {

void Workshare::release_memory() {
    platform::deallocate(memory);
    platform::deallocate(reductions.load(platform::relaxed));
    memory = nullptr;
    reductions.store(nullptr, platform::relaxed);
}

Workshare* Workshare::create(int32_t capacity) {
    const size_t ranges = sizeof(concurrent::StealRange) * static_cast<size_t>(capacity);
    const int turns = capacity < Turn::least_team ? 0 : Turn::count;
    const size_t behind = ranges + sizeof(Turn) * static_cast<size_t>(turns);
    void* memory = platform::allocate(sizeof(Workshare) + behind, alignof(Workshare));
    if (!memory)
        return nullptr;
    auto* node = ::new (memory) Workshare;
    node->capacity = capacity;
    for (int32_t i = 0; i < capacity; ++i)
        ::new (&node->ranges()[i]) concurrent::StealRange;
    for (int i = 0; i < turns; ++i)
        ::new (&node->turns()[i]) Turn;
    return node;
}

} // namespace heddle::team
