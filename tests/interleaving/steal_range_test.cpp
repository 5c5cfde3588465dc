// SPDX-License-Identifier: Apache-2.0
// Steal ranges: each chunk of a loop is executed exactly once, whoever steals from whom, however
// many chunks an owner takes at a time. Protocol: docs/protocols/steal-range.md.
#include "concurrent/steal_range.hpp"

#include "linearizability.hpp"

#include <algorithm>
#include <array>
#include <memory>

using heddle::concurrent::Deal;
using heddle::concurrent::StealRange;
using heddle::concurrent::Units;

namespace {

struct Shared {
    std::array<StealRange, 3> ranges;
    Deal deal;
    StealRange::Part part = StealRange::Part::half;
    std::array<int, 16> runs{};

    void run(uint32_t chunk) { explore::expect(++runs[chunk] == 1, "a chunk ran twice"); }

    /// As construct/loop_ranges.cpp does it: batches of up to `most` from the own range, which run
    /// chunk by chunk, then the back half of another's.
    void member(size_t me, size_t members, uint32_t most) {
        const auto size = [most](uint32_t left) { return std::min(most, left); };
        for (;;) {
            Units units;
            if (ranges[me].take(deal, static_cast<uint32_t>(me), size, units)) {
                for (uint32_t chunk = units.first; chunk < units.end; ++chunk)
                    run(chunk);
                continue;
            }
            bool found = false;
            for (size_t i = 1; i < members && !found; ++i) {
                const size_t other = (me + i) % members;
                found = ranges[other].steal(deal, static_cast<uint32_t>(other), part, units);
            }
            if (!found)
                return;
            ranges[me].assign(deal, static_cast<uint32_t>(me), {units.first + 1, units.end});
            run(units.first);
        }
    }
};

void start(explore::World& world, const std::shared_ptr<Shared>& shared, size_t members,
           uint32_t chunks, uint32_t most) {
    for (size_t i = 0; i < members; ++i)
        world.thread([=] { shared->member(i, members, most); });
    world.at_end([=] {
        for (uint32_t i = 0; i < chunks; ++i)
            explore::expect(shared->runs[i] == 1, "a chunk was lost");
    });
}

void add(explore::World& world, size_t members, uint32_t chunks, uint32_t most) {
    auto shared = std::make_shared<Shared>();
    shared->ranges[0].deal(false, {0, chunks - 1}); // uneven: the others have to steal
    shared->ranges[1].deal(false, {chunks - 1, chunks});
    start(world, shared, members, chunks, most);
}

/// The ranges are as another loop, which was cancelled, has left them.
void add_undealt(explore::World& world, size_t members, uint32_t chunks, uint32_t most,
                 StealRange::Part part = StealRange::Part::half) {
    auto shared = std::make_shared<Shared>();
    shared->part = part;
    shared->ranges[0].deal(false, {3, 7});
    const auto size = static_cast<uint32_t>(members);
    shared->deal = {chunks, chunks / size, chunks % size, true};
    start(world, shared, members, chunks, most);
    world.at_end([=] {
        for (size_t i = 0; i < members; ++i)
            explore::expect(shared->ranges[i].was_left(true), "a range without a mark");
    });
}

void two(explore::World& world) { add(world, 2, 5, 1); }
void three(explore::World& world) { add(world, 3, 9, 1); }
void two_in_batches(explore::World& world) { add(world, 2, 9, 3); }
void three_in_batches(explore::World& world) { add(world, 3, 12, 2); }
void two_undealt(explore::World& world) { add_undealt(world, 2, 5, 2); }
void three_undealt(explore::World& world) { add_undealt(world, 3, 7, 1); }
void two_whole(explore::World& world) { add_undealt(world, 2, 5, 2, StealRange::Part::whole); }
void three_whole(explore::World& world) { add_undealt(world, 3, 7, 1, StealRange::Part::whole); }
void fewer_than_members(explore::World& world) { add_undealt(world, 3, 2, 1); }

/// The range to one thread. A steal that gets nothing may always happen: it may look at an old
/// word.
struct Range {
    enum class Kind { take, steal, assign };
    struct Operation {
        Kind kind;
        uint32_t first, end; ///< taken, stolen or assigned; equal: nothing was there to take
    };
    static constexpr uint32_t most = 2;
    uint32_t first = 0, end = 0;

    bool apply(const Operation& operation) {
        const uint32_t left = end - first;
        switch (operation.kind) {
        case Kind::take: {
            const uint32_t size = std::min(most, left);
            const bool right =
                size == operation.end - operation.first && (size == 0 || operation.first == first);
            first += size;
            return right;
        }
        case Kind::steal: {
            const bool right = left != 0 && operation.end == end &&
                               operation.end - operation.first == (left + 1) / 2;
            end = operation.first;
            return right;
        }
        case Kind::assign:
            first = operation.first;
            end = operation.end;
            return left == 0;
        }
        return false;
    }
};

void linearizable(explore::World& world) {
    using Kind = Range::Kind;
    auto range = std::make_shared<StealRange>();
    auto history = std::make_shared<explore::History<Range>>();
    range->deal(false, {0, 6});
    world.thread([=] {
        for (int round = 0; round < 2; ++round) {
            Units units;
            do {
                const auto asked = explore::now();
                const auto size = [](uint32_t left) { return std::min(Range::most, left); };
                if (!range->take(Deal{}, 0, size, units))
                    units = {};
                history->add({Kind::take, units.first, units.end}, asked);
            } while (units.count() > 0);
            if (round == 0) {
                const auto asked = explore::now();
                range->assign(Deal{}, 0, {10, 13});
                history->add({Kind::assign, 10, 13}, asked);
            }
        }
    });
    for (int i = 0; i < 2; ++i)
        world.thread([=] {
            for (int tries = 0; tries < 2; ++tries) {
                Units units;
                const auto asked = explore::now();
                if (range->steal(Deal{}, 0, StealRange::Part::half, units))
                    history->add({Kind::steal, units.first, units.end}, asked);
            }
        });
    world.at_end([=] { history->check({0, 6}); });
}

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"two", two},
                         {"three", three},
                         {"two_in_batches", two_in_batches},
                         {"three_in_batches", three_in_batches},
                         {"two_undealt", two_undealt},
                         {"three_undealt", three_undealt},
                         {"two_whole", two_whole},
                         {"three_whole", three_whole},
                         {"fewer_than_members", fewer_than_members},
                         {"linearizable", linearizable, 0.5, 5000}});
}
