// SPDX-License-Identifier: Apache-2.0
// Allocation of worksharing nodes, with one range a thread behind each, and what they own; how many
// members of a large team share a word to leave by.
// Called when a member's free list holds none that is large enough, and for large teams.
#include "team/workshare.hpp"

#include <algorithm>

namespace heddle::team {

void Workshare::release_memory() {
    platform::deallocate(memory);
    platform::deallocate(reductions.load(platform::relaxed));
    memory = nullptr;
    reductions.store(nullptr, platform::relaxed);
}

Workshare* Workshare::create(int32_t capacity) {
    const size_t ranges = sizeof(concurrent::StealRange) * static_cast<size_t>(capacity);
    const int turns = Turn::words(capacity);
    const int32_t words = Leavers::words(capacity);
    const size_t behind = ranges + sizeof(Turn) * static_cast<size_t>(turns) +
                          sizeof(Leavers) * static_cast<size_t>(words);
    void* memory = platform::allocate(sizeof(Workshare) + behind, alignof(Workshare));
    if (!memory)
        return nullptr;
    auto* node = ::new (memory) Workshare;
    node->capacity = node->left_ranges = capacity; // empty and even
    for (int32_t i = 0; i < capacity; ++i)
        ::new (&node->ranges()[i]) concurrent::StealRange;
    for (int i = 0; i < turns; ++i)
        ::new (&node->turns()[i]) Turn;
    for (int32_t i = 0; i < words; ++i)
        ::new (&node->leavers()[i]) Leavers;
    return node;
}

namespace {

/// Members of a team that share the `i`th word.
int32_t members_of_word(int32_t i, int32_t team_size) {
    return std::min(1 << Leavers::bits, team_size - (i << Leavers::bits));
}

} // namespace

void Workshare::expect_many(int32_t team_size) {
    HEDDLE_CHECK(team_size <= capacity);
    for (int32_t i = 0; i < leaver_words; ++i)
        leavers()[i].inside.store(members_of_word(i, team_size), platform::relaxed);
}

bool Workshare::nobody_has_left() {
    for (int32_t i = 0; i < leaver_words; ++i)
        if (leavers()[i].inside.load(platform::relaxed) != members_of_word(i, expected))
            return false;
    return true;
}

} // namespace heddle::team
