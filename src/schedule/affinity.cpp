// SPDX-License-Identifier: Apache-2.0
// The map from locations to threads: a table in the team, without collision chains, that lives as
// long as the team's threads and so over its regions. All threads of the team read and write it,
// relaxed: an entry is one word, and a wrong one costs a good guess and nothing else.
#include "schedule/affinity.hpp"

namespace heddle::schedule {

namespace {

/// Neighbouring cache lines get different entries; so do the blocks of a tiled array.
size_t entry_of(const void* location) {
    const uint64_t line = reinterpret_cast<uintptr_t>(location) / concurrent::cache_line;
    return (line * 0x9e3779b97f4a7c15) >> (64 - team::affinity_bits);
}

} // namespace

void note_affinity(team::Member& member, const void* location) {
    platform::Atomic<uint16_t>& entry = member.team->affinity[entry_of(location)];
    const auto mine = static_cast<uint16_t>(member.number + 1);
    if (entry.load(platform::relaxed) != mine)
        entry.store(mine, platform::relaxed);
}

int preferred_thread(const team::Member& member, const void* location) {
    const int thread = member.team->affinity[entry_of(location)].load(platform::relaxed) - 1;
    return thread < member.team_size ? thread : -1;
}

} // namespace heddle::schedule
