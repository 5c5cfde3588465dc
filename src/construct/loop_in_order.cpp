// SPDX-License-Identifier: Apache-2.0
// The part of a `dynamic` loop that is handed out in ascending order: who gets which chunk in front
// and from the counter, and when that ends; and monotonic loops. Called by construct/loop.cpp and
// loop_ranges.cpp on each member. Writes the member's position, the node's counter and the bits of
// chunks in front. Relaxed: each is all that it tells. docs/protocols/chunks-in-order.md.
#include "construct/loop_in_order.hpp"

#include "construct/loop_batches.hpp"
#include "construct/loop_hands.hpp"
#include "team/cpu_pressure.hpp"
#include "team/locality.hpp"
#include "team/tool_events.hpp"

namespace heddle::construct {

namespace {

using concurrent::Deal;
using team::Member;
using team::Workshare;
using team::WorksharePosition;

OrderRule rule_of(const Member& member, uint64_t part = OrderRule::dynamic_part) {
    const int32_t cpus = team::cpu_pressure.cpus.load(platform::relaxed);
    return order_rule(member.team_size, cpus, HEDDLE_UNLIKELY(place::domain_count() > 1), part);
}

/// As far as it concerns the chunks in front: how the ranges will be dealt is not known yet.
Deal deal_of_fronts(const Workshare& node) {
    Deal deal;
    deal.odd = node.odd;
    deal.fronts = node.fronts;
    return deal;
}

/// Ends the counter that was seen going on, unless nothing is left but the loop's last chunk.
/// Returns what it is then.
ChunkCounter end_counter(Workshare& node, ChunkCounter seen) {
    while (!seen.has_ended() && seen.next() + uint64_t{1} < node.chunks)
        if (node.next_chunk.compare_exchange_strong(seen.word, seen.ended().word, platform::relaxed,
                                                    platform::relaxed))
            return seen.ended();
    return seen;
}

/// Is it worth a look at the clock how long the chunk in front takes? For the counter, or where
/// there are batches in the ranges.
bool is_timed(const Member& member, const Workshare& node) {
    if (!node.in_order)
        return false;
    const ChunkCounter counter{node.next_chunk.load(platform::relaxed)};
    return !counter.has_ended() ||
           node.chunks - counter.begin_of_ranges() >=
               2 * chunk_rule.part * static_cast<uint64_t>(member.team_size);
}

/// The member has had a long chunk: are those in front of others that have not come next in order?
/// Where more threads than CPUs execute the loop they may come when all is done, elsewhere they may
/// still be on their way. Not once the member has had a later one.
bool is_next_in_front(const Member& member, const Workshare& node, uint64_t took_ns) {
    return (took_ns >= OrderRule::absent_ns || team::exceeds_cpus(member.team_size)) &&
           member.workshare.chunk_end <= node.fronts * node.chunk;
}

/// The counter gave `size` chunks from `first` on, which is not the loop's last one: what there is
/// of them is the member's batch. Returns its first; the others are in the member's hands.
Iterations hold_batch(Member& member, const Workshare& node, uint64_t first, uint64_t size) {
    const uint64_t end = std::min(first + size, node.chunks - 1);
    member.workshare.batch = static_cast<uint32_t>(end - first);
    return keep_in_hand(member, node, first, end);
}

} // namespace

bool begin_with_front(Member& member, Workshare& node, Iterations& chunk) {
    WorksharePosition& mine = member.workshare;
    const auto number = static_cast<uint32_t>(member.number);
    mine.absent = number + 1;
    if (number >= node.fronts)
        return false;
    const bool takes = node.ranges()[number].take_front(deal_of_fronts(node), number);
    if (!takes)
        mine.absent = came_late;
    // The first batch, of one chunk, as far as the pace is concerned.
    if (mine.batch != 0) {
        mine.batch += takes; // goes on with that of the part before
    } else if (is_timed(member, node)) {
        mine.batch = 1;
        mine.batch_began = platform::now_ns();
    }
    if (takes)
        chunk = chunk_at(node, number);
    return takes;
}

bool take_front_of_absent(Member& member, Workshare& node, Iterations& chunk) {
    uint32_t& other = member.workshare.absent;
    for (; other < node.fronts; ++other)
        if (node.ranges()[other].take_front(deal_of_fronts(node), other)) {
            chunk = chunk_at(node, other);
            return true;
        }
    return false;
}

Order take_in_order(Member& member, Workshare& node, ChunkCounter& counter, Iterations& chunk) {
    WorksharePosition& mine = member.workshare;
    uint32_t size = 1;
    if (mine.holds_chunk) {
        const OrderRule rule = rule_of(member);
        const uint64_t now = platform::now_ns(), took = now - mine.batch_began;
        const uint64_t left = node.chunks - std::min<uint64_t>(counter.next(), node.chunks);
        size = next_in_order(rule, mine.batch, took, left, mine.spare_ns);
        if (size == 0) {
            counter = end_counter(node, counter);
            return counter.has_ended() ? Order::ended : Order::nothing_but_the_last;
        }
        mine.batch_began = now;
        mine.batch = 1;
        if (took >= rule.least_ns && is_next_in_front(member, node, took) &&
            take_front_of_absent(member, node, chunk))
            return Order::chunk;
    }
    counter = {node.next_chunk.fetch_add(size, platform::relaxed)};
    if (counter.has_ended()) {
        mine.batch = 0; // tells nothing
        return Order::ended;
    }
    const uint64_t first = counter.next();
    if (first + 1 >= node.chunks)
        return Order::nothing_but_the_last;
    if (mine.absent == came_late)
        mine.absent = node.fronts; // all others follow this one
    chunk = hold_batch(member, node, first, size);
    return Order::chunk;
}

bool next_monotonic(Member& member, Workshare& node, Iterations& chunk) {
    WorksharePosition& mine = member.workshare;
    // Not more, by what the member has seen: a look at the counter would be a miss.
    const uint64_t left = node.chunks - std::min(mine.trip, node.chunks);
    const OrderRule rule = rule_of(member, OrderRule::monotonic_part);
    uint64_t size = 1;
    if (left >= 2 * rule.part * rule.members) {
        const uint64_t now = platform::now_ns(), took = now - mine.batch_began;
        if (mine.holds_chunk)
            size = batch_in_order(rule, mine.batch, took, left, OrderRule::monotonic_most);
        mine.batch_began = now;
    }
    const uint64_t first =
        node.next_chunk.fetch_add(size, platform::relaxed) & ~ChunkCounter::last_bit;
    if (first + 1 >= node.chunks)
        return take_last_chunk(node, chunk);
    chunk = hold_batch(member, node, first, size);
    mine.trip = first + mine.batch;
    return true;
}

bool take_last_chunk(Workshare& node, Iterations& chunk) {
    if (node.chunks == 0 || (node.next_chunk.load(platform::relaxed) & ChunkCounter::last_bit) ||
        (node.next_chunk.fetch_or(ChunkCounter::last_bit, platform::relaxed) &
         ChunkCounter::last_bit))
        return false;
    chunk = chunk_at(node, node.chunks - 1);
    return true;
}

} // namespace heddle::construct
