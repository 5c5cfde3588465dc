// SPDX-License-Identifier: Apache-2.0
// The flags of a doacross loop's iterations. Called on each member of the team; the flags lie in a
// worksharing node of their own, which the members hold until they have left the loop.
// Each flag is set once, by fetch_or with seq_cst: it releases the iteration, goes on with the
// release of the flags beside it, and is the write of the sleepers' Dekker pair.
#include "construct/iteration_flags.hpp"

#include "schedule/await.hpp"
#include "construct/worksharing.hpp"
#include "team/tool_events.hpp"

namespace heddle::construct {

namespace {

using platform::Atomic;
using team::Member;
using team::Workshare;

constexpr uint64_t bits = 64; ///< of a word of flags

/// How often the loop goes round; 0 with no iteration, or with more than 64 bits can count.
uint64_t count_of(const NamedLoop& loop) {
    const auto first = static_cast<uint64_t>(loop.first), last = static_cast<uint64_t>(loop.last);
    const auto step = static_cast<uint64_t>(loop.step);
    if (loop.step > 0)
        return loop.first > loop.last ? 0 : (last - first) / step + 1;
    return loop.first < loop.last || loop.step == 0 ? 0 : (first - last) / (0 - step) + 1;
}

/// The number of the iteration in which the loop variable has `value`; not below the loop's count
/// when there is no such iteration.
uint64_t number_of(const NamedLoop& loop, int64_t value) {
    const auto first = static_cast<uint64_t>(loop.first), is = static_cast<uint64_t>(value);
    const auto step = static_cast<uint64_t>(loop.step);
    if (loop.step == 1)
        return is - first; // huge when it is negative
    if (loop.step > 0)
        return value < loop.first ? ~uint64_t{0} : (is - first) / step;
    return value > loop.first ? ~uint64_t{0} : (first - is) / (0 - step);
}

/// False: there is no such iteration.
bool find_position(const IterationFlags& flags, uint64_t excess, const int64_t* iteration,
                   uint64_t* position) {
    uint64_t number = 0;
    for (uint32_t i = 0; i < flags.dimensions; ++i) {
        const CountedLoop& counted = flags.loops[i];
        const uint64_t here = number_of(counted.loop, iteration[i]);
        if (here >= counted.count - excess)
            return false;
        number = number * counted.count + here;
    }
    *position = number;
    return true;
}

/// One block of memory for all of it; `size` threads, `positions` flags.
IterationFlags& create(uint32_t dimensions, const NamedLoop* loops, uint64_t size,
                       uint64_t positions) {
    const uint64_t words = positions / bits + 1;
    const uint64_t before =
        sizeof(IterationFlags) + size * sizeof(FlagsMember) + dimensions * sizeof(CountedLoop);
    void* block =
        words > (~uint64_t{0} - before) / sizeof(uint64_t)
            ? nullptr
            : platform::allocate(before + words * sizeof(uint64_t), alignof(IterationFlags));
    if (!block)
        platform::die("no memory for the flags of a doacross loop");
    auto& flags = *::new (block) IterationFlags;
    flags.dimensions = dimensions;
    flags.members = reinterpret_cast<FlagsMember*>(&flags + 1);
    for (uint64_t i = 0; i < size; ++i)
        ::new (&flags.members[i]) FlagsMember;
    flags.loops = reinterpret_cast<CountedLoop*>(flags.members + size);
    for (uint32_t i = 0; i < dimensions; ++i)
        flags.loops[i] = {loops[i], count_of(loops[i])};
    flags.words = reinterpret_cast<Atomic<uint64_t>*>(flags.loops + dimensions);
    for (uint64_t i = 0; i < words; ++i)
        ::new (&flags.words[i]) Atomic<uint64_t>;
    return flags;
}

IterationFlags& flags_of(const Workshare& region) {
    return *static_cast<IterationFlags*>(region.memory);
}

concurrent::EventCount& sleepers_of(IterationFlags& flags, uint64_t word) {
    return flags.sleepers[word % IterationFlags::sleeping_places].changed;
}

} // namespace

void begin_iteration_flags(Member& member, uint32_t dimensions, const NamedLoop* loops) {
    uint64_t positions = 1;
    for (uint32_t i = 0; i < dimensions; ++i)
        if (__builtin_mul_overflow(positions, count_of(loops[i]), &positions))
            platform::die("a doacross loop with more iterations than there can be flags");
    if (positions == 0 || member.team_size == 1)
        return;
    enter_workshare(member, [&](Workshare& node) {
        node.memory =
            &create(dimensions, loops, static_cast<uint64_t>(member.team_size), positions);
    });
    // The member goes on to the node of the loop, but this one has to stay.
    member.workshare.node->hold();
    member.workshare.flagged = member.workshare.node;
}

void end_iteration_flags(Member& member) {
    Workshare* region = member.workshare.flagged;
    if (!region)
        return;
    member.workshare.flagged = nullptr;
    if (region->release())
        recycle_workshare(member, *region);
}

void compare_with_loop(Member& member, uint64_t count) {
    const IterationFlags& flags = flags_of(*member.workshare.flagged);
    uint64_t less = 1, positions = 1;
    for (uint32_t i = 0; i < flags.dimensions; ++i) {
        positions *= flags.loops[i].count;
        if (positions == count)
            return;
        less *= flags.loops[i].count - 1;
        if (less == count) {
            flags.members[member.number].excess = 1;
            return;
        }
    }
}

void await_iteration(Member& member, const int64_t* iteration) {
    const Workshare* region = member.workshare.flagged;
    if (!region)
        return;
    IterationFlags& flags = flags_of(*region);
    FlagsMember& mine = flags.members[member.number];
    uint64_t position;
    if (!find_position(flags, mine.excess, iteration, &position))
        return;
    if (HEDDLE_UNLIKELY(team::tells(member)))
        team::tell_iteration(member, ompt_dependence_type_sink, iteration, flags.dimensions);
    const uint64_t word = position / bits, flag = uint64_t{1} << position % bits;
    if (word == mine.known_word && (mine.known & flag) != 0)
        return;
    uint64_t seen;
    schedule::await(member, sleepers_of(flags, word), [&](platform::Order order) {
        seen = flags.words[word].load(order); // pairs with flag_iteration()
        return (seen & flag) != 0;
    });
    mine.known_word = word;
    mine.known = seen;
}

void flag_iteration(Member& member, const int64_t* iteration) {
    const Workshare* region = member.workshare.flagged;
    uint64_t position;
    if (!region || !find_position(flags_of(*region), 0, iteration, &position))
        return;
    IterationFlags& flags = flags_of(*region);
    if (HEDDLE_UNLIKELY(team::tells(member)))
        team::tell_iteration(member, ompt_dependence_type_source, iteration, flags.dimensions);
    // seq_cst: releases the iteration, and is the write of the Dekker pair
    flags.words[position / bits].fetch_or(uint64_t{1} << position % bits, platform::seq_cst);
    sleepers_of(flags, position / bits).notify_all();
}

} // namespace heddle::construct
