// SPDX-License-Identifier: Apache-2.0
// Doacross loops (OpenMP 5.2 section 15.10.2): an iteration waits for earlier ones, named by
// ordered depend(sink), and says with depend(source) that others may go on. Called by the ABI
// layers on each member of the team. An entry's progress is written by the thread that executes its
// chunk alone, with seq_cst, and awaited with acquire. docs/protocols/doacross.md.
#pragma once

#include "schedule/await.hpp"

namespace heddle::construct {

/// A doacross loop: the outermost loop runs from 0 to counts[0], step 1, and is what is shared out;
/// the others are the loops inside it that `ordered(n)` covers.
struct DoacrossRequest {
    uint32_t dimensions;           ///< at least 1
    const uint64_t* counts;        ///< iterations of each loop
    config::ScheduleKind schedule; ///< `runtime` takes run-sched-var of the calling task
    uint64_t chunk;                ///< outermost iterations; 0 means that none was given
    size_t memory;                 ///< bytes of zeroed memory that the team shares, 0 for none
};

/// How far the chunks of one entry have come. A position is the number of an iteration of the whole
/// nest in lexicographic order.
struct alignas(concurrent::cache_line) DoacrossProgress {
    platform::Atomic<uint64_t> posted{0}; ///< what precedes this position is done, in these chunks
    concurrent::EventCount changed;       ///< notified when `posted` changes
};

/// What one member keeps for itself.
struct alignas(concurrent::cache_line) DoacrossMember {
    DoacrossProgress* own = nullptr; ///< entry of the chunk that it executes
    uint64_t known_from = 0;         ///< positions [known_from, known_to) of another chunk were
    uint64_t known_to = 0;           ///< done when it last looked
};

/// The state of a doacross loop on which threads may have to wait; constant but for the entries and
/// what each member keeps.
struct alignas(concurrent::cache_line) Doacross {
    uint32_t dimensions = 1;          ///< loops that make up a position
    uint32_t exact = 1;               ///< 0: inner loops had to be left out, see doacross.cpp
    uint64_t inner = 1;               ///< positions in an iteration of the outermost loop
    const uint64_t* counts = nullptr; ///< iterations of each loop
    uint64_t chunk = 0;               ///< outermost iterations in each chunk, or 0 with `starts`
    uint64_t* starts = nullptr;       ///< first outermost iteration of each chunk, and the end
    uint64_t entry_mask = 0;          ///< chunk c has entry c & entry_mask
    DoacrossProgress* entries = nullptr;
    DoacrossMember* members = nullptr; ///< by thread number
    void* memory = nullptr;            ///< what the request asked for
    bool is_static = false;            ///< chunk c is executed by thread c % size
};

/// Enters the loop region. True when this member created it.
bool begin_doacross(team::Member& member, const DoacrossRequest& request);

/// find_chunk() of a doacross loop: ends the last chunk, then hands out the outermost iterations
/// [*begin, *end), when the entry of that chunk is free. False: none is left for this member.
bool next_doacross(team::Member& member, uint64_t* begin, uint64_t* end);

/// The memory that the request asked for.
void* doacross_memory(const team::Member& member);

/// The state of the loop that the member is in; nullptr when nobody ever waits in it: the team has
/// one thread, or the nest no iteration.
inline Doacross* doacross_of(const team::Member& member) {
    team::Workshare& node = *member.workshare.node;
    return node.mode == team::LoopMode::doacross ? static_cast<Doacross*>(node.memory) : nullptr;
}

/// Waits until `position`, of outermost iteration `outer` in another chunk, is done.
void await_position(team::Member& member, Doacross& loop, uint64_t outer, uint64_t position);

/// Says that all positions before `posted` are done in the member's chunk. Never goes back.
void publish_progress(DoacrossProgress& progress, uint64_t posted);

/// The position of iteration (outer, next(), next(), ...).
template <class Next>
uint64_t doacross_position(const Doacross& loop, uint64_t outer, Next&& next) {
    uint64_t position = outer;
    for (uint32_t i = 1; i < loop.dimensions; ++i)
        position = position * loop.counts[i] + next();
    return position;
}

/// ordered depend(sink): waits for iteration (outer, next(), ...), which lies in the loops' bounds.
template <class Next>
void wait_doacross(team::Member& member, uint64_t outer, Next&& next) {
    Doacross* loop = doacross_of(member);
    const team::WorksharePosition& place = member.workshare;
    if (!loop || outer - place.chunk_begin < place.chunk_end - place.chunk_begin)
        return; // in the member's own chunk: it has done it itself
    const uint64_t position = doacross_position(*loop, outer, next);
    const DoacrossMember& mine = loop->members[member.number];
    if (position - mine.known_from >= mine.known_to - mine.known_from)
        await_position(member, *loop, outer, position);
}

/// ordered depend(source): iteration (outer, next(), ...), which the member executes, is done.
template <class Next>
void post_doacross(team::Member& member, uint64_t outer, Next&& next) {
    Doacross* loop = doacross_of(member);
    if (!loop)
        return;
    const uint64_t position = doacross_position(*loop, outer, next);
    publish_progress(*loop->members[member.number].own, position + loop->exact);
}

} // namespace heddle::construct
