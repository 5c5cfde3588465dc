// SPDX-License-Identifier: Apache-2.0
// The sections construct (OpenMP 5.2 section 11.3): section numbers from 1, 0 when none is left.
// Called by the ABI layers on each member. The counter is relaxed: numbers carry no data.
#pragma once

#include "construct/worksharing.hpp"

namespace heddle::construct {

inline unsigned next_section(team::Member& member) {
    team::Workshare& node = *member.workshare.node;
    if (node.next_chunk.load(platform::relaxed) >= node.chunks)
        return 0;
    const uint64_t index = node.next_chunk.fetch_add(1, platform::relaxed);
    return index < node.chunks ? static_cast<unsigned>(index + 1) : 0;
}

inline void describe_sections(team::Workshare& node, unsigned count) {
    node.chunks = count;
    node.next_chunk.store(0, platform::relaxed); // released by the append, or by the fork
}

inline void begin_sections(team::Member& member, unsigned count) {
    enter_workshare(member, [count](team::Workshare& node) { describe_sections(node, count); });
}

} // namespace heddle::construct
