// SPDX-License-Identifier: Apache-2.0
// Loops whose iterations are dealt out beforehand, a range of units for each thread, and balanced
// by stealing: nonmonotonic dynamic, where a unit is a chunk, and adaptive (also nonmonotonic
// guided and auto), where the runtime makes chunks of units. Called by construct/loop.cpp, on each
// member. Source: the adaptive-loops paper. docs/loops.md, docs/protocols/steal-range.md.
#pragma once

#include "team/team.hpp"

namespace heddle::construct {

/// Iterations [begin, end) of a loop, counted from 0.
struct Iterations {
    uint64_t begin, end;
};

/// Chunk, or unit, number `index` of the loop.
inline Iterations chunk_at(const team::Workshare& node, uint64_t index) {
    return {index * node.chunk,
            index + 1 == node.chunks ? node.loop.count : (index + 1) * node.chunk};
}

/// Most units that a loop in ranges may have.
inline constexpr uint64_t most_range_units = concurrent::StealRange::most_units;

/// Iterations in a unit, so that there are at most most_range_units: a multiple of `chunk`, which
/// is at least 1.
uint64_t range_unit(uint64_t count, uint64_t chunk);

/// Gives each thread of the team its block of the node's units: those whose data are near it, where
/// that is known (heddle_loop_data), else as schedule(static) would, of what is left when the
/// chunks in order have ended. By the member that describes the loop, before it enters it.
void deal_ranges(team::Workshare& node, const team::Member& creator);

/// The node that the member has described is the team's: its ranges will be left by this loop.
inline void note_ranges(team::Workshare& node, const team::Member& creator) {
    node.left_ranges = creator.team_size;
    node.left_odd = node.odd;
}

inline bool is_in_ranges(const team::Workshare& node) {
    return node.mode == team::LoopMode::ranges || node.mode == team::LoopMode::adaptive;
}

/// The next chunk of a loop of mode ranges or adaptive for the member, which has none in its hands;
/// ranges: may put more into them. False when there is none left for it.
bool next_from_ranges(team::Member& member, team::Workshare& node, Iterations& chunk);

/// The next chunk that the member has in its hands; false when there is none, as in all modes but
/// ranges and counter. Never the loop's last one.
inline bool next_in_hand(team::Member& member, uint64_t* begin, uint64_t* end) {
    team::WorksharePosition& mine = member.workshare;
    const uint64_t value = mine.value;
    if (value == mine.values_end)
        return false;
    const uint64_t next = value + mine.value_step;
    mine.value = next;
    *begin = value;
    *end = next;
    return true;
}

} // namespace heddle::construct
