// SPDX-License-Identifier: Apache-2.0
// The state of a doacross loop, its chunks and its waits. Called on each member of the team.
// All schedules hand chunks out in ascending order, so whatever an iteration waits for, and the
// chunk that had its entry before, has begun or belongs to a thread that is on its way there.
// `posted` and its order: docs/protocols/doacross.md.
#include "construct/doacross.hpp"

#include "construct/loop.hpp"
#include "construct/worksharing.hpp"

#include <bit>
#include <cstring>

namespace heddle::construct {

namespace {

using team::LoopMode;
using team::Member;
using team::Workshare;

/// Entries in the ring of equal chunks: how far the first may be ahead of the last, in chunks.
constexpr uint64_t smallest_ring = 64;
constexpr uint64_t ring_entries_a_thread = 4;

bool nobody_waits(const Member& member, const DoacrossRequest& request) {
    bool empty = false;
    for (uint32_t i = 0; i < request.dimensions; ++i)
        empty |= request.counts[i] == 0;
    return empty || member.team_size == 1;
}

/// Size of chunk `index` of static blocks or guided, when `left` iterations are not in chunks yet.
uint64_t unequal_chunk(const Workshare& node, uint64_t size, uint64_t index, uint64_t left) {
    if (node.mode == LoopMode::guided)
        return guided_chunk(left, size, node.chunk);
    return node.loop.count / size + (index < node.loop.count % size ? 1 : 0);
}

/// Calls visit(index, begin) for the unequal chunks in turn; how many there are: with static blocks
/// one a thread, with guided at most about 46 a thread, as each takes its share of what is left.
template <class Visit>
uint64_t for_each_chunk(const Workshare& node, uint64_t size, Visit&& visit) {
    const uint64_t count = node.loop.count;
    uint64_t index = 0;
    for (uint64_t begin = 0; begin < count; ++index) {
        visit(index, begin);
        begin += unequal_chunk(node, size, index, count - begin);
    }
    return index;
}

/// Makes positions of as many loops as 64 bits hold. No program lives to see the end of the others,
/// so what is left out only has to be right: a position then stands for several iterations, is done
/// when the next one begins, and is awaited as a whole.
void choose_dimensions(Doacross& loop, const DoacrossRequest& request) {
    uint64_t positions = request.counts[0];
    while (loop.dimensions < request.dimensions &&
           !__builtin_mul_overflow(positions, request.counts[loop.dimensions], &positions))
        loop.inner *= request.counts[loop.dimensions++];
    loop.exact = loop.dimensions == request.dimensions;
}

/// One block of memory for all of it; `size` threads.
Doacross& create(Workshare& node, const DoacrossRequest& request, uint64_t size) {
    constexpr size_t line = concurrent::cache_line;
    const bool equal = node.mode == LoopMode::static_chunks || node.mode == LoopMode::counter;
    uint64_t entries, starts = 0;
    if (equal) {
        const uint64_t ring = std::bit_ceil(ring_entries_a_thread * size);
        entries = ring < smallest_ring ? smallest_ring : ring;
        entries = node.chunks < entries ? std::bit_ceil(node.chunks) : entries;
    } else {
        entries = for_each_chunk(node, size, [](uint64_t, uint64_t) {});
        starts = entries + 1;
        node.chunks = entries;
    }
    const size_t words = request.dimensions + starts;
    const size_t shared = (request.memory + line - 1) & ~(line - 1);
    void* block = platform::allocate(sizeof(Doacross) + size * sizeof(DoacrossMember) +
                                         entries * sizeof(DoacrossProgress) + shared +
                                         words * sizeof(uint64_t),
                                     line);
    if (!block)
        platform::die("no memory for a doacross loop");
    auto& loop = *::new (block) Doacross;
    loop.members = reinterpret_cast<DoacrossMember*>(&loop + 1);
    for (uint64_t i = 0; i < size; ++i)
        ::new (&loop.members[i]) DoacrossMember;
    loop.entries = reinterpret_cast<DoacrossProgress*>(loop.members + size);
    for (uint64_t i = 0; i < entries; ++i)
        ::new (&loop.entries[i]) DoacrossProgress;
    loop.memory = loop.entries + entries;
    memset(loop.memory, 0, shared);
    auto* counts = reinterpret_cast<uint64_t*>(static_cast<char*>(loop.memory) + shared);
    memcpy(counts, request.counts, request.dimensions * sizeof(uint64_t));
    loop.counts = counts;
    loop.starts = equal ? nullptr : counts + request.dimensions;
    loop.chunk = equal ? node.chunk : 0;
    loop.entry_mask = equal ? entries - 1 : ~uint64_t{0};
    loop.is_static = node.mode == LoopMode::static_chunks || node.mode == LoopMode::static_blocks;
    return loop;
}

void describe(Workshare& node, const Member& member, const DoacrossRequest& request) {
    const uint64_t count = request.counts[0];
    const bool plain = nobody_waits(member, request);
    const config::Schedule schedule{request.schedule, true, 0};
    describe_loop(
        node, member,
        {{0, count, 1, count}, schedule, request.chunk, false, plain ? request.memory : 0});
    if (plain)
        return;
    const auto size = static_cast<uint64_t>(member.team_size);
    Doacross& loop = create(node, request, size);
    choose_dimensions(loop, request);
    if (loop.starts) {
        for_each_chunk(node, size,
                       [&](uint64_t index, uint64_t begin) { loop.starts[index] = begin; });
        loop.starts[node.chunks] = count;
    }
    node.memory = &loop; // freed with the node
    node.mode = LoopMode::doacross;
}

/// The chunk that iteration `outer` of the outermost loop belongs to.
uint64_t chunk_of(const Doacross& loop, uint64_t chunks, uint64_t outer) {
    if (!loop.starts)
        return loop.chunk == 1 ? outer : outer / loop.chunk;
    uint64_t low = 0, high = chunks; // starts[low] <= outer < starts[high]
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        (loop.starts[middle] <= outer ? low : high) = middle;
    }
    return low;
}

uint64_t first_of(const Doacross& loop, uint64_t chunk) {
    return loop.starts ? loop.starts[chunk] : chunk * loop.chunk;
}

uint64_t end_of(const Workshare& node, const Doacross& loop, uint64_t chunk) {
    return chunk + 1 == node.chunks ? node.loop.count : first_of(loop, chunk + 1);
}

} // namespace

bool begin_doacross(Member& member, const DoacrossRequest& request) {
    return enter_workshare(member, [&](Workshare& node) { describe(node, member, request); });
}

bool next_doacross(Member& member, uint64_t* begin, uint64_t* end) {
    Workshare& node = *member.workshare.node;
    auto& loop = *static_cast<Doacross*>(node.memory);
    DoacrossMember& mine = loop.members[member.number];
    team::WorksharePosition& place = member.workshare;
    if (place.holds_chunk) { // also for iterations without a source
        publish_progress(*mine.own, place.chunk_end * loop.inner);
        place.holds_chunk = 0;
    }
    const auto size = static_cast<uint64_t>(member.team_size);
    const auto number = static_cast<uint64_t>(member.number);
    const uint64_t chunk = loop.is_static ? place.trip++ * size + number
                                          : node.next_chunk.fetch_add(1, platform::relaxed);
    if (chunk >= node.chunks)
        return false;
    DoacrossProgress& progress = loop.entries[chunk & loop.entry_mask];
    if (chunk > loop.entry_mask) { // the ring has gone round: the chunk before has to end first
        const uint64_t ended = first_of(loop, chunk - loop.entry_mask) * loop.inner;
        schedule::await(member, progress.changed, [&](platform::Order order) {
            return progress.posted.load(order) >= ended; // pairs with publish_progress()
        });
    }
    mine.own = &progress;
    *begin = first_of(loop, chunk);
    *end = end_of(node, loop, chunk);
    return true;
}

void* doacross_memory(const Member& member) {
    const Doacross* loop = doacross_of(member);
    return loop ? loop->memory : member.workshare.node->memory;
}

void await_position(Member& member, Doacross& loop, uint64_t outer, uint64_t position) {
    const Workshare& node = *member.workshare.node;
    const uint64_t chunk = chunk_of(loop, node.chunks, outer);
    DoacrossProgress& progress = loop.entries[chunk & loop.entry_mask];
    uint64_t posted;
    schedule::await(member, progress.changed, [&](platform::Order order) {
        posted = progress.posted.load(order); // pairs with publish_progress()
        return posted > position;
    });
    const uint64_t end = end_of(node, loop, chunk) * loop.inner;
    DoacrossMember& mine = loop.members[member.number];
    mine.known_from = first_of(loop, chunk) * loop.inner;
    mine.known_to = posted < end ? posted : end; // beyond lie other chunks, on other entries
}

void publish_progress(DoacrossProgress& progress, uint64_t posted) {
    if (progress.posted.load(platform::relaxed) >= posted)
        return;
    // seq_cst: releases the iterations, and is the write of the Dekker pair
    progress.posted.exchange(posted, platform::seq_cst);
    progress.changed.notify_all();
}

} // namespace heddle::construct
