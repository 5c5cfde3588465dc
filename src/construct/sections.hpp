// SPDX-License-Identifier: Apache-2.0
// The sections construct (OpenMP 5.2 section 11.3): section numbers from 1, 0 when none is left.
// Called by the ABI layers on each member. The counter is relaxed: numbers carry no data. A tool
// hears of the construct as a whole, but not which section begins.
#pragma once

#include "construct/worksharing.hpp"
#include "team/tool_events.hpp"

namespace heddle::construct {

inline unsigned next_section(team::Member& member) {
    team::Workshare& node = *member.workshare.node;
    if (node.next_chunk.load(platform::relaxed) < node.chunks) {
        const uint64_t index = node.next_chunk.fetch_add(1, platform::relaxed);
        if (index < node.chunks)
            return static_cast<unsigned>(index + 1);
    }
    if (HEDDLE_UNLIKELY(team::tells(member)))
        team::end_told_work(member);
    return 0;
}

inline void describe_sections(team::Workshare& node, unsigned count) {
    node.chunks = count;
    node.next_chunk.store(0, platform::relaxed); // released by the append, or by the fork
}

/// describe_sections() for a region that form() has prepared: `parallel sections` combined. By the
/// primary.
inline void prepare_combined_sections(team::Member& primary, unsigned count) {
    describe_sections(*primary.team->first_workshare, count);
    if (HEDDLE_UNLIKELY(team::tells(primary)))
        primary.team->at_begin |= team::gives_sections;
}

/// The member of a region that is told begins these, before the region's code.
inline void tell_given_sections(team::Member& member) {
    team::begin_told_work(member, ompt_work_sections, member.team->first_workshare->chunks,
                          member.team->tool->code);
}

inline void begin_sections(team::Member& member, unsigned count) {
    enter_workshare(member, [count](team::Workshare& node) { describe_sections(node, count); });
}

} // namespace heddle::construct
