// SPDX-License-Identifier: Apache-2.0
// Steal ranges: each chunk of a loop is executed exactly once, whoever steals from whom, however
// many chunks an owner takes at a time. Protocol: docs/protocols/steal-range.md.
#include "concurrent/steal_range.hpp"

#include "linearizability.hpp"

#include <algorithm>
#include <array>
#include <memory>

using heddle::concurrent::StealRange;

namespace {

struct Shared {
    std::array<StealRange, 3> ranges;
    std::array<int, 16> runs{};

    void run(uint32_t chunk) { explore::expect(++runs[chunk] == 1, "a chunk ran twice"); }

    /// As construct/loop_ranges.cpp does it: batches of up to `most` from the own range, which run
    /// chunk by chunk, then the back half of another's.
    void member(size_t me, size_t members, uint32_t most) {
        const auto size = [most](uint32_t left) { return std::min(most, left); };
        for (;;) {
            uint32_t first = 0, end = 0;
            if (ranges[me].take(size, first, end)) {
                for (uint32_t chunk = first; chunk < end; ++chunk)
                    run(chunk);
                continue;
            }
            bool found = false;
            for (size_t i = 1; i < members && !found; ++i)
                found = ranges[(me + i) % members].steal(first, end);
            if (!found)
                return;
            ranges[me].assign(first + 1, end);
            run(first);
        }
    }
};

void add(explore::World& world, size_t members, uint32_t chunks, uint32_t most) {
    auto shared = std::make_shared<Shared>();
    shared->ranges[0].deal(0, chunks - 1); // uneven: the others have to steal
    shared->ranges[1].deal(chunks - 1, chunks);
    for (size_t i = 0; i < members; ++i)
        world.thread([=] { shared->member(i, members, most); });
    world.at_end([=] {
        for (uint32_t i = 0; i < chunks; ++i)
            explore::expect(shared->runs[i] == 1, "a chunk was lost");
    });
}

void two(explore::World& world) { add(world, 2, 5, 1); }
void three(explore::World& world) { add(world, 3, 9, 1); }
void two_in_batches(explore::World& world) { add(world, 2, 9, 3); }
void three_in_batches(explore::World& world) { add(world, 3, 12, 2); }

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
    range->deal(0, 6);
    world.thread([=] {
        for (int round = 0; round < 2; ++round) {
            uint32_t first, end;
            do {
                first = end = 0;
                const auto asked = explore::now();
                if (!range->take([](uint32_t left) { return std::min(Range::most, left); }, first,
                                 end))
                    first = end = 0;
                history->add({Kind::take, first, end}, asked);
            } while (first != end);
            if (round == 0) {
                const auto asked = explore::now();
                range->assign(10, 13);
                history->add({Kind::assign, 10, 13}, asked);
            }
        }
    });
    for (int i = 0; i < 2; ++i)
        world.thread([=] {
            for (int tries = 0; tries < 2; ++tries) {
                uint32_t first, end;
                const auto asked = explore::now();
                if (range->steal(first, end))
                    history->add({Kind::steal, first, end}, asked);
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
                         {"linearizable", linearizable, 0.5, 5000}});
}
