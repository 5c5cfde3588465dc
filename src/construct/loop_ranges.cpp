// SPDX-License-Identifier: Apache-2.0
// Dealing ranges out, batches whose size follows the clock, and stealing. A member takes a batch of
// units from its range at a time; nobody can take those back, so a batch is short in time, and a
// small part of what is left. Called on each member; each writes its own position and, by the rules
// of concurrent/steal_range.hpp, the ranges. Relaxed: chunks carry no data, barriers order the
// rest.
#include "construct/loop_ranges.hpp"

#include "config/control_variables.hpp"
#include "construct/loop_batches.hpp"
#include "construct/loop_hands.hpp"
#include "construct/loop_in_order.hpp"
#include "team/cpu_pressure.hpp"
#include "team/locality.hpp"
#include "team/loop_data.hpp"
#include "team/part.hpp"
#include "team/random.hpp"
#include "team/tool_events.hpp"

#include <algorithm>
#include <utility>

namespace heddle::construct {

namespace {

using concurrent::Deal;
using concurrent::Units;
using team::LoopMode;
using team::Member;
using team::Workshare;
using team::WorksharePosition;

constexpr uint32_t far_factor = 4; ///< see choose_victim()

/// From now on; one unit where the last batch tells nothing.
Pace pace_now(WorksharePosition& mine, const BatchRule& rule) {
    const uint64_t now = platform::now_ns();
    const uint64_t took = now - mine.batch_began;
    mine.batch_began = now;
    const Pace pace = mine.batch ? pace_after(rule, mine.batch, mine.pace, took) : Pace{1, 0};
    mine.pace = pace.units;
    return pace;
}

/// What a member keeps in its `trip` once it has come to the ranges: with which chunk they begin,
/// and the share of each. The rest follows.
constexpr uint64_t kept_bit = uint64_t{1} << 63;
constexpr int share_bit = 32;

void keep_deal(Member& member, const Workshare& node, uint32_t begin) {
    const uint32_t units = static_cast<uint32_t>(node.chunks) - begin;
    const uint32_t share = units / static_cast<uint32_t>(member.team_size);
    member.workshare.trip = kept_bit | uint64_t{share} << share_bit | begin;
}

/// How the ranges were dealt. A unit's number in them counts from `begin` on.
struct LoopDeal : Deal {
    uint32_t begin;

    LoopDeal(const Workshare& node, const Member& member) {
        const uint64_t kept = member.workshare.trip;
        HEDDLE_CHECK((kept & kept_bit) != 0);
        begin = static_cast<uint32_t>(kept);
        const uint32_t units = static_cast<uint32_t>(node.chunks) - begin;
        dealt = units ? units - 1 : 0; // see take_last_chunk()
        share = static_cast<uint32_t>((kept & ~kept_bit) >> share_bit);
        more = units - share * static_cast<uint32_t>(member.team_size);
        odd = node.odd;
        fronts = node.fronts;
    }
};

/// Of a region on offer: is the part that the member's thread comes to next, as a rule, yet to
/// begin its own range, of which nothing is missing?
bool comes_back(const Member& member, Workshare& node, const LoopDeal& deal) {
    const int32_t next = team::next_part(member.part.carrier->carrier);
    return next >= 0 && node.ranges()[next].is_whole(deal, static_cast<uint32_t>(next));
}

/// Then the rest is left to that part: who leaves early has less to take from others, unit by unit
/// at the end, and whoever is last in the loop takes it all. The fence: of two that look at each
/// other's range after their own take() one sees the other's.
bool leaves_rest(const Member& member, Workshare& node, const LoopDeal& deal) {
    if (HEDDLE_LIKELY(!member.offers))
        return false;
    platform::fence();
    if (!comes_back(member, node, deal))
        return false;
    const WorksharePosition& mine = member.workshare;
    member.part.carrier->carrier.pace = {&node, mine.batch, mine.pace, mine.batch_began};
    return true;
}

/// The member comes to the loop. Its thread may know the pace from the part that it was at before.
void begin_pace(Member& member, const Workshare& node) {
    WorksharePosition& mine = member.workshare;
    mine.batch = mine.pace = 0; // of another loop
    if (HEDDLE_LIKELY(!member.offers))
        return;
    const team::LoopPace pace = std::exchange(member.part.carrier->carrier.pace, {});
    if (pace.node != &node)
        return;
    mine.batch = pace.batch;
    mine.pace = pace.pace;
    mine.batch_began = pace.batch_began;
}

/// How many units the member's thread will find in ranges that it comes to later, at least: batches
/// need not get small yet.
uint32_t units_later(const Member& member, Workshare& node, const LoopDeal& deal) {
    if (HEDDLE_LIKELY(!member.offers) || !comes_back(member, node, deal))
        return 0;
    const int32_t parts = member.part.carrier->carrier.untried.count();
    return deal.share * static_cast<uint32_t>(parts > 0 ? parts : 1);
}

/// Takes the next batch from the member's own range. Each mode has code of its own: with the rule
/// as an argument `dynamic` takes 2 to 8 % longer.
template <const BatchRule& rule>
bool take_batch(Member& member, Workshare& node, const LoopDeal& deal, Units& batch) {
    WorksharePosition& mine = member.workshare;
    const uint32_t later = units_later(member, node, deal);
    Pace pace{0, 0};
    const auto size = [&](uint32_t here) -> uint32_t {
        const uint32_t left = here < 2 * rule.part ? here : here + later;
        // One by one without a look at the clock, whatever it said.
        if (left < 2 * rule.part && (rule.least == 1 || mine.batch == 0))
            return 1;
        if (pace.units == 0)
            pace = pace_now(mine, rule);
        return std::min(batch_size(rule, pace, left), here);
    };
    const auto number = static_cast<uint32_t>(member.number);
    if (!node.ranges()[number].take(deal, number, size, batch))
        return false;
    if (pace.units != 0)
        mine.batch = batch.count();
    return true;
}

/// The fullest of the ranges that a thief has looked at.
struct Candidate {
    uint32_t number = 0, left = 0;
    int looks = 0; ///< at ranges that are not empty; `most` of them are enough

    static constexpr int most = 2;

    void look_at(const concurrent::StealRange& range, const LoopDeal& deal, uint32_t owner) {
        const uint32_t found = range.left(deal, owner);
        looks += found > 0;
        if (found > left) {
            number = owner;
            left = found;
        }
    }
    bool looks_on() const { return looks < most; }
};

/// Whose range to steal from: the fuller one of two that are not empty, in the own locality domain
/// and on the rest of the machine, from a thread drawn at random on. A range of the rest is worth
/// its way if four times as much is left. docs/loops.md, "Stealing".
Candidate choose_victim(Member& member, Workshare& node, const LoopDeal& deal) {
    const bool has_domains = HEDDLE_UNLIKELY(place::domain_count() > 1);
    const int own = has_domains ? team::domain_of_self(member) : 0;
    const auto size = static_cast<uint32_t>(member.team_size);
    const auto number = static_cast<uint32_t>(member.number);
    Candidate near, far;
    far.looks = has_domains ? 0 : Candidate::most;
    uint32_t other = team::draw_below(member, size);
    for (uint32_t i = 0; i < size && (near.looks_on() || far.looks_on()); ++i) {
        other = other + 1 < size ? other + 1 : 0;
        if (other == number)
            continue;
        const bool is_near =
            !has_domains || team::domain_of(*member.team, static_cast<int32_t>(other)) == own;
        Candidate& candidate = is_near ? near : far;
        if (candidate.looks_on())
            candidate.look_at(node.ranges()[other], deal, other);
    }
    return near.left > 0 && far.left / far_factor <= near.left ? near : far;
}

/// Where more threads than CPUs execute their own parts, the owner of a range that is whole may
/// come when all is done: it is had at once, not half by half. Others steal from who has it then.
concurrent::StealRange::Part part_to_steal(const Member& member) {
    using Part = concurrent::StealRange::Part;
    return !member.offers && team::exceeds_cpus(member.team_size) ? Part::whole : Part::half;
}

/// Takes the back half of another's range, or all of it: a unit, or a batch of short ones, for now,
/// the rest for the own range. False when all ranges are empty.
bool steal_batch(Member& member, Workshare& node, const LoopDeal& deal, Units& batch) {
    const concurrent::StealRange::Part part = part_to_steal(member);
    Candidate victim;
    Units stolen;
    do {
        victim = choose_victim(member, node, deal);
        if (victim.left == 0)
            return false;
    } while (!node.ranges()[victim.number].steal(deal, victim.number, part, stolen));
    WorksharePosition& mine = member.workshare;
    const uint32_t count = stolen.count();
    mine.pace = node.mode == LoopMode::adaptive ? pace_after_theft(mine.pace, count) : 0;
    const uint32_t size = mine.pace > 1 ? batch_size(adaptive_rule, {mine.pace, 0}, count) : 1;
    mine.batch = 0;
    if (size > 1 || count > few_units) {
        mine.batch = size;
        mine.batch_began = platform::now_ns();
    }
    batch = {stolen.first, stolen.first + size};
    // Empty, so no thief could have changed it.
    const auto number = static_cast<uint32_t>(member.number);
    node.ranges()[number].assign(deal, number, {batch.end, stolen.end});
    return true;
}

} // namespace

uint64_t range_unit(uint64_t count, uint64_t chunk) {
    const uint64_t chunks = count / chunk + (count % chunk != 0);
    if (HEDDLE_LIKELY(chunks <= most_range_units))
        return chunk;
    return chunk * (chunks / most_range_units + (chunks % most_range_units != 0));
}

// Where each range is known to have been left by the loop before, the mark of the node is all that
// changes: a store for each thread of a large team would be a miss for each. (A member of a region
// that was cancelled may not have come to its range, see gather_at_last_workshare() in
// team/fork_join.)
void deal_ranges(Workshare& node, const Member& creator) {
    HEDDLE_CHECK(node.chunks <= most_range_units);
    const auto size = static_cast<uint32_t>(creator.team_size);
    node.odd = !node.left_odd;
    const auto deal = [](void* context, int32_t number, uint64_t first, uint64_t end) {
        auto& loop = *static_cast<Workshare*>(context);
        const uint64_t dealt = loop.chunks ? loop.chunks - 1 : 0;
        loop.ranges()[number].deal(loop.odd, {static_cast<uint32_t>(std::min(first, dealt)),
                                              static_cast<uint32_t>(std::min(end, dealt))});
    };
    const bool by_data = team::deal_by_data(creator, node, deal, &node);
    node.fronts = 0;
    if (node.mode == LoopMode::ranges && !by_data && size > 1 && node.chunks > 1)
        node.fronts = static_cast<uint16_t>(std::min<uint64_t>({size, node.chunks - 1, 0xffff}));
    // Where not each member has a chunk in front, each goes to its range, so that it is left.
    node.in_order = node.fronts == size && node.chunks > size + 1;
    const ChunkCounter counter = ChunkCounter::at(node.fronts);
    node.next_chunk.store((node.in_order ? counter : counter.ended()).word, platform::relaxed);
    if (by_data) {
        node.left_ranges = 0; // until note_ranges()
        return;
    }
    if (HEDDLE_UNLIKELY(node.left_ranges < creator.team_size)) {
        for (uint32_t i = 0; i < size; ++i)
            node.ranges()[i].deal(node.left_odd, {});
        node.left_ranges = creator.team_size;
    }
    for (uint32_t i = 0; i < size; ++i)
        HEDDLE_CHECK(node.ranges()[i].was_left(node.left_odd));
}

bool next_from_ranges(Member& member, Workshare& node, Iterations& chunk) {
    WorksharePosition& mine = member.workshare;
    const bool told = HEDDLE_UNLIKELY(team::tells(member)) && node.mode == LoopMode::ranges;
    const bool first = !mine.holds_chunk;
    if (first) {
        begin_pace(member, node);
        if (HEDDLE_UNLIKELY(told))
            keep_told(mine, 0, 0);
        if (begin_with_front(member, node, chunk))
            return true;
    } else if (mine.chunk_end == node.loop.count) {
        return false;
    } else if (HEDDLE_UNLIKELY(told) && take_told(mine, node, chunk)) {
        return true;
    }
    if (mine.trip == 0) { // not come to the ranges
        ChunkCounter counter{node.next_chunk.load(platform::relaxed)};
        Order order = Order::ended;
        if (!counter.has_ended())
            order = take_in_order(member, node, counter, chunk);
        if (order == Order::chunk)
            return true;
        if (order == Order::nothing_but_the_last)
            return take_last_chunk(node, chunk);
        keep_deal(member, node, counter.begin_of_ranges());
    }
    const LoopDeal deal(node, member);
    Units units;
    const bool took = node.mode == LoopMode::ranges
                          ? take_batch<chunk_rule>(member, node, deal, units)
                          : take_batch<adaptive_rule>(member, node, deal, units);
    if (!took) {
        // Who came late may have begun with its own range: others' units may precede that.
        if (mine.absent == came_late || leaves_rest(member, node, deal))
            return false;
        if (!steal_batch(member, node, deal, units))
            return take_front_of_absent(member, node, chunk) || take_last_chunk(node, chunk);
    }
    units = {deal.begin + units.first, deal.begin + units.end};
    if (node.mode == LoopMode::ranges)
        chunk = keep_in_hand(member, node, units.first, units.end);
    else
        chunk = {units.first * node.chunk, units.end * node.chunk};
    return true;
}

} // namespace heddle::construct
