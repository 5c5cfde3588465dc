// SPDX-License-Identifier: Apache-2.0
// The chunks that a member has in its hands: those of a batch behind its first one, which nobody
// can take back. Called by construct/loop_in_order.cpp and loop_ranges.cpp on each member, which
// alone writes and reads them; next_in_hand() of loop_ranges.hpp hands them out without an atomic
// operation.
#pragma once

#include "construct/loop_ranges.hpp"
#include "team/tool_events.hpp"

namespace heddle::construct {

// A tool is told of each chunk of `dynamic`, so then nothing goes past it into the member's hands:
// what follows the first chunk of a batch waits in `value_step`, which has no other meaning
// meanwhile.

inline void keep_told(team::WorksharePosition& mine, uint32_t first, uint32_t end) {
    mine.value_step = uint64_t{end} << 32 | first;
}

inline bool take_told(team::WorksharePosition& mine, const team::Workshare& node,
                      Iterations& chunk) {
    const auto first = static_cast<uint32_t>(mine.value_step);
    if (first == static_cast<uint32_t>(mine.value_step >> 32))
        return false;
    ++mine.value_step;
    chunk = chunk_at(node, first);
    return true;
}

/// Of the batch of chunks [first, end), which the loop's last is not among, the first one is
/// returned, and the others are in the member's hands.
inline Iterations keep_in_hand(team::Member& member, const team::Workshare& node, uint64_t first,
                               uint64_t end) {
    team::WorksharePosition& mine = member.workshare;
    HEDDLE_CHECK(mine.value == mine.values_end);
    HEDDLE_CHECK(first < end && end < node.chunks); // the last one would need the user's own end
    if (end - first > 1) {
        if (HEDDLE_UNLIKELY(team::tells(member))) {
            keep_told(mine, static_cast<uint32_t>(first) + 1, static_cast<uint32_t>(end));
        } else {
            const uint64_t step = node.chunk * node.loop.increment;
            mine.value_step = step;
            mine.value = node.loop.start + (first + 1) * step;
            mine.values_end = node.loop.start + end * step;
        }
    }
    return chunk_at(node, first);
}

} // namespace heddle::construct
