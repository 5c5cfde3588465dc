// SPDX-License-Identifier: Apache-2.0
// Worksharing loops (OpenMP 5.2 section 11.5): every schedule, over a normalized iteration space,
// so that signed and unsigned loops, up and down, are one implementation. Called by the ABI layers
// on each member of the team.
#pragma once

#include "construct/loop_ranges.hpp"

namespace heddle::construct {

using team::LoopBounds;

/// Bounds of `for (long i = start; i < end; i += increment)`, or `>` when increment < 0.
LoopBounds signed_bounds(long start, long end, long increment);
/// The same for unsigned long long; `up` tells the direction, increment is a two's complement.
LoopBounds unsigned_bounds(bool up, uint64_t start, uint64_t end, uint64_t increment);

/// A loop as the construct describes it, before thread number and team size are known.
struct LoopRequest {
    LoopBounds bounds;
    config::Schedule schedule; ///< kind `runtime` takes run-sched-var of the calling task
    uint64_t chunk;            ///< iterations; 0 means that none was given
    bool ordered;
    size_t memory;            ///< bytes of zeroed memory that the team shares, 0 for none
    bool merges_alone = true; ///< a thread that is alone gets all iterations as one chunk
};

/// Writes the description into a node that is not in the list yet. By the member that appends it.
void describe_loop(team::Workshare& node, const team::Member& member, const LoopRequest& request);

/// Size of the next chunk of schedule(guided, chunk) when `left` > 0 iterations are not handed out:
/// what is left divided by the threads, at least `chunk`.
inline uint64_t guided_chunk(uint64_t left, uint64_t threads, uint64_t chunk) {
    const uint64_t share = left / threads + (left % threads ? 1 : 0);
    const uint64_t size = share < chunk ? chunk : share;
    return size < left ? size : left;
}

/// The member of a watched region enters a loop region.
void note_loop_begin(team::Member& member, const LoopRequest& request);

/// Enters the loop region, and notes it. True when this member created it.
bool begin_loop(team::Member& member, const LoopRequest& request);

/// The same without the note, for a loop with task reductions: their taskgroup is around it.
bool enter_loop(team::Member& member, const LoopRequest& request);

/// begin_loop() for a region that form() has prepared: `parallel for` combined. By the primary.
void prepare_combined_loop(team::Member& primary, const LoopRequest& request);

/// The member of a watched region begins that loop, before the region's code.
void note_given_loop(team::Member& member);

/// The next chunk as user values [*begin, *end) for a member that has none in its hands; false when
/// there is none left for it.
bool find_chunk(team::Member& member, uint64_t* begin, uint64_t* end);

/// The same for any member.
inline bool next_chunk(team::Member& member, uint64_t* begin, uint64_t* end) {
    return next_in_hand(member, begin, end) || find_chunk(member, begin, end);
}

/// Ordered loops: gives up the turn of the last chunk, waiting for it if need be, then find_chunk.
bool next_ordered_chunk(team::Member& member, uint64_t* begin, uint64_t* end);

/// Waits until all earlier chunks have given up their turn (ordered region, section 15.10).
void begin_ordered(team::Member& member);

/// The end of an ordered region.
void end_ordered(team::Member& member);

/// The memory that the loop request asked for.
inline void* loop_memory(const team::Member& member) { return member.workshare.node->memory; }

} // namespace heddle::construct
