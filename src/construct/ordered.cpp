// SPDX-License-Identifier: Apache-2.0
// The ordered construct with chunks (OpenMP 5.2 section 15.10): the turn goes from chunk to chunk,
// named by the chunk's first iteration. A chunk holds its turn until its thread asks for the next;
// a chunk of one iteration only until its ordered region ends, for an iteration has but one.
// The turn's word is written by the holder (release), and awaited by the others (acquire): in small
// teams one for all turns, in large ones one of several. docs/protocols/ordered-turns.md.
#include "construct/loop.hpp"

#include "schedule/await.hpp"

namespace heddle::construct {

using team::Member;
using team::Workshare;

void begin_ordered(Member& member) {
    if (!member.workshare.holds_chunk || member.team_size == 1)
        return; // outside a loop, or nobody to wait for
    Workshare& node = *member.workshare.node;
    const uint64_t turn = member.workshare.chunk_begin;
    const platform::Atomic<uint64_t>& word = node.turn_word(turn);
    schedule::await(member, node.changed, [&](platform::Order order) {
        return word.load(order) == turn; // pairs with give_up_turn()
    });
}

namespace {

/// The turn is this chunk's: the next chunk gets it.
void give_up_turn(Member& member) {
    Workshare& node = *member.workshare.node;
    // seq_cst: releases the ordered region, and is the write of the Dekker pair
    const uint64_t next = member.workshare.chunk_end;
    node.turn_word(next).exchange(next, platform::seq_cst);
    node.changed.notify_all();
    member.workshare.holds_chunk = 0;
}

} // namespace

void end_ordered(Member& member) {
    const team::WorksharePosition& position = member.workshare;
    if (position.holds_chunk && position.chunk_end - position.chunk_begin == 1 &&
        member.team_size > 1)
        give_up_turn(member);
}

bool next_ordered_chunk(Member& member, uint64_t* begin, uint64_t* end) {
    if (member.workshare.holds_chunk && member.team_size > 1) {
        begin_ordered(member);
        give_up_turn(member);
    }
    return find_chunk(member, begin, end);
}

} // namespace heddle::construct
