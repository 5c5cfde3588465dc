// SPDX-License-Identifier: Apache-2.0
// Handing out chunks. static: computed; ordered: a shared counter; monotonic dynamic: the same, in
// batches, construct/loop_in_order.cpp; monotonic guided: a shared counter with shrinking chunks;
// the nonmonotonic ones: construct/loop_ranges.cpp.
// Called on each member. Shared words are relaxed: chunks carry no data, barriers order the rest.
#include "construct/loop.hpp"

#include "construct/doacross.hpp"
#include "construct/loop_in_order.hpp"
#include "construct/worksharing.hpp"
#include "team/tool_events.hpp"
#include "team/watching.hpp"

#include <cstring>

namespace heddle::construct {

namespace {

using team::LoopMode;
using team::Member;
using team::Workshare;

LoopMode mode_of(const config::Schedule& schedule, uint64_t chunk, uint64_t chunks, bool ordered,
                 bool merges) {
    if (merges)
        return LoopMode::static_blocks; // alone, all iterations are one chunk
    const auto in_order = [&] {
        return schedule.monotonic || ordered || config::settings().kmp_monotonic_loops;
    };
    switch (schedule.kind) {
    case config::ScheduleKind::dynamic:
        return in_order() || chunks > most_range_units ? LoopMode::counter : LoopMode::ranges;
    case config::ScheduleKind::guided:
    case config::ScheduleKind::adaptive:
        return in_order() ? LoopMode::guided : LoopMode::adaptive;
    case config::ScheduleKind::trapezoidal:
        return LoopMode::guided;
    case config::ScheduleKind::auto_:
        return in_order() ? LoopMode::static_blocks : LoopMode::adaptive;
    default:
        return chunk == 0 ? LoopMode::static_blocks : LoopMode::static_chunks;
    }
}

/// How many pieces of `chunk` iterations, at least 1, there are in `count`.
uint64_t count_chunks(uint64_t count, uint64_t chunk) {
    return count / chunk + (count % chunk != 0);
}

} // namespace

void describe_loop(Workshare& node, const Member& member, const LoopRequest& request) {
    config::Schedule schedule = request.schedule;
    uint64_t chunk = request.chunk;
    if (schedule.kind == config::ScheduleKind::runtime) {
        const bool monotonic = schedule.monotonic;
        const bool takes_static = schedule.implied;
        schedule = member.current->context()->icvs->run_sched;
        if (schedule.implied && takes_static)
            schedule = {config::ScheduleKind::static_, true, 0};
        schedule.monotonic |= monotonic;
        chunk = schedule.chunk > 0 ? static_cast<uint64_t>(schedule.chunk) : 0;
    }
    if (schedule.kind == config::ScheduleKind::auto_)
        chunk = 0; // has no meaning then
    else if (chunk == 0 && schedule.kind != config::ScheduleKind::static_)
        chunk = 1;
    node.loop = request.bounds;
    node.chunk = chunk;
    node.chunks = chunk ? count_chunks(node.loop.count, chunk) : 0;
    node.ordered = request.ordered;
    node.mode = mode_of(schedule, chunk, node.chunks, request.ordered,
                        member.team_size == 1 && request.merges_alone);
    node.next_chunk.store(0, platform::relaxed);
    const uint64_t turns = chunk ? node.chunks : static_cast<uint64_t>(member.team_size);
    node.spreads_turns = request.ordered && member.team_size >= team::Turn::least_team &&
                         turns >= team::Turn::fewest && !platform::own::is_central();
    if (HEDDLE_UNLIKELY(node.spreads_turns))
        for (int i = 0; i < team::Turn::count; ++i)
            node.turns()[i].first.store(0, platform::relaxed);
    node.ordered_turn.store(0, platform::relaxed);
    if (node.mode == LoopMode::adaptive) {
        node.chunk = range_unit(node.loop.count, chunk ? chunk : 1);
        node.chunks = count_chunks(node.loop.count, node.chunk);
    }
    if (is_in_ranges(node))
        deal_ranges(node, member);
    if (request.memory) {
        node.memory = platform::allocate(request.memory, concurrent::cache_line);
        if (!node.memory)
            platform::die("no memory for the shared data of a loop");
        memset(node.memory, 0, request.memory);
    }
}

namespace {

bool next_static(Member& member, const Workshare& node, Iterations& chunk) {
    const auto number = static_cast<uint64_t>(member.number);
    const auto size = static_cast<uint64_t>(member.team_size);
    const uint64_t trip = member.workshare.trip++;
    if (node.mode == LoopMode::static_blocks) {
        const uint64_t share = node.loop.count / size, more = node.loop.count % size;
        chunk.begin = number * share + (number < more ? number : more);
        chunk.end = chunk.begin + share + (number < more ? 1 : 0);
        return trip == 0 && chunk.begin < chunk.end;
    }
    const uint64_t index = trip * size + number;
    if (index >= node.chunks)
        return false;
    chunk.begin = index * node.chunk;
    chunk.end = index + 1 == node.chunks ? node.loop.count : chunk.begin + node.chunk;
    return true;
}

bool next_counted(Member& member, Workshare& node, Iterations& chunk) {
    // Chunks that wait for the one before come one by one, and so do those that a tool is told of.
    if (HEDDLE_LIKELY(!node.ordered && member.workshare.flagged == nullptr &&
                      !team::tells(member) && !(node.chunks >> 62)))
        return next_monotonic(member, node, chunk);
    // A look first would cost a second transfer of the line; it is needed only where the counter,
    // which each thread pushes past the end once, could wrap.
    if (HEDDLE_UNLIKELY(node.chunks >> 63) &&
        node.next_chunk.load(platform::relaxed) >= node.chunks)
        return false;
    const uint64_t index = node.next_chunk.fetch_add(1, platform::relaxed);
    if (index >= node.chunks)
        return false;
    chunk = chunk_at(node, index);
    return true;
}

bool next_guided(const Member& member, Workshare& node, Iterations& chunk) {
    const auto size = static_cast<uint64_t>(member.team_size);
    uint64_t begin = node.next_chunk.load(platform::relaxed);
    while (begin < node.loop.count) {
        const uint64_t take = guided_chunk(node.loop.count - begin, size, node.chunk);
        if (node.next_chunk.compare_exchange_strong(begin, begin + take, platform::relaxed,
                                                    platform::relaxed)) {
            chunk = {begin, begin + take};
            return true;
        }
    }
    return false;
}

/// In its own words, so that the other schedules keep their chunk in registers.
bool next_doacross_chunk(Member& member, Iterations& chunk) {
    uint64_t begin, end;
    if (!next_doacross(member, &begin, &end))
        return false;
    chunk = {begin, end};
    return true;
}

} // namespace

LoopBounds signed_bounds(long start, long end, long increment) {
    const auto s = static_cast<uint64_t>(start), e = static_cast<uint64_t>(end);
    const auto step = static_cast<uint64_t>(increment);
    uint64_t count = 0;
    if (increment > 0 && start < end)
        count = (e - s - 1) / step + 1;
    else if (increment < 0 && start > end)
        count = (s - e - 1) / (0 - step) + 1;
    return {s, e, step, count};
}

LoopBounds unsigned_bounds(bool up, uint64_t start, uint64_t end, uint64_t increment) {
    uint64_t count = 0;
    if (up && start < end)
        count = (end - start - 1) / increment + 1;
    else if (!up && start > end)
        count = (start - end - 1) / (0 - increment) + 1;
    return {start, end, increment, count};
}

namespace {

ompt_work_t work_of(config::ScheduleKind kind) {
    return kind == config::ScheduleKind::static_   ? ompt_work_loop_static
           : kind == config::ScheduleKind::dynamic ? ompt_work_loop_dynamic
           : kind == config::ScheduleKind::guided  ? ompt_work_loop_guided
           : kind == config::ScheduleKind::auto_   ? ompt_work_loop_guided // as libomp
                                                   : ompt_work_loop_other;
}

} // namespace

void note_loop_begin(Member& member, const LoopRequest& request) {
    team::note_loop(member, tool::EventKind::loop_begin, request.bounds.count,
                    static_cast<uint64_t>(request.schedule.kind));
    if (!team::tells(member))
        return;
    config::ScheduleKind kind = request.schedule.kind;
    if (kind == config::ScheduleKind::runtime)
        kind = request.schedule.implied && member.current->context()->icvs->run_sched.implied
                   ? config::ScheduleKind::static_
                   : member.current->context()->icvs->run_sched.kind;
    if (member.team_size == 1 && request.merges_alone && kind != config::ScheduleKind::dynamic)
        kind = config::ScheduleKind::static_; // see mode_of(); libomp tells the same
    team::begin_told_work(member, work_of(kind), request.bounds.count, team::tool_of(member).code);
}

namespace {

/// The schedule of a loop that the region's threads were given.
config::ScheduleKind kind_of(LoopMode mode) {
    switch (mode) {
    case LoopMode::ranges:
    case LoopMode::counter:
        return config::ScheduleKind::dynamic;
    case LoopMode::guided:
    case LoopMode::adaptive:
        return config::ScheduleKind::guided;
    default:
        return config::ScheduleKind::static_;
    }
}

/// The member has come to its end of the loop.
void note_end(Member& member) {
    team::note_loop(member, tool::EventKind::loop_end, 0, 0);
    if (team::tells(member))
        team::end_told_work(member);
}

/// A chunk was handed out.
void note_chunk(Member& member, const Iterations& chunk) {
    if (team::tells(member))
        team::tell_chunk(member, ompt_dispatch_ws_loop_chunk, chunk.begin, chunk.end - chunk.begin);
}

} // namespace

bool begin_loop(Member& member, const LoopRequest& request) {
    if (HEDDLE_UNLIKELY(team::counts(member)))
        note_loop_begin(member, request);
    return enter_loop(member, request);
}

bool enter_loop(Member& member, const LoopRequest& request) {
    const bool first =
        enter_workshare(member, [&](Workshare& node) { describe_loop(node, member, request); });
    if (first && is_in_ranges(*member.workshare.node))
        note_ranges(*member.workshare.node, member);
    return first;
}

void prepare_combined_loop(Member& primary, const LoopRequest& request) {
    Workshare& node = *primary.team->first_workshare;
    describe_loop(node, primary, request);
    if (is_in_ranges(node))
        note_ranges(node, primary);
    // Of a static one gcc's code shares out the iterations, and nothing tells when it ends.
    if (HEDDLE_UNLIKELY(team::counts(primary)) &&
        request.schedule.kind != config::ScheduleKind::static_)
        primary.team->at_begin |= team::gives_loop;
}

void note_given_loop(Member& member) {
    const Workshare& node = *member.team->first_workshare;
    const config::ScheduleKind kind = kind_of(node.mode);
    team::note_loop(member, tool::EventKind::loop_begin, node.loop.count,
                    static_cast<uint64_t>(kind));
    if (team::tells(member))
        team::begin_told_work(member, work_of(kind), node.loop.count, member.team->tool->code);
}

bool find_chunk(Member& member, uint64_t* begin, uint64_t* end) {
    Workshare& node = *member.workshare.node;
    Iterations chunk;
    bool found;
    if (is_in_ranges(node))
        found = next_from_ranges(member, node, chunk);
    else if (node.mode == LoopMode::counter)
        found = next_counted(member, node, chunk);
    else if (node.mode == LoopMode::guided)
        found = next_guided(member, node, chunk);
    else if (node.mode == LoopMode::doacross)
        found = next_doacross_chunk(member, chunk);
    else
        found = next_static(member, node, chunk);
    if (!found) {
        if (HEDDLE_UNLIKELY(team::counts(member)))
            note_end(member);
        return false;
    }
    if (HEDDLE_UNLIKELY(team::counts(member)))
        note_chunk(member, chunk);
    // For ordered, and for the rule of the last chunk.
    member.workshare.chunk_begin = chunk.begin;
    member.workshare.chunk_end = chunk.end;
    member.workshare.holds_chunk = 1;
    const LoopBounds& loop = node.loop;
    *begin = loop.start + chunk.begin * loop.increment;
    // Generated code finds the lastprivate iteration by comparing with the user's own end.
    *end = chunk.end == loop.count ? loop.end : loop.start + chunk.end * loop.increment;
    return true;
}

} // namespace heddle::construct
