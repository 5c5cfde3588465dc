// SPDX-License-Identifier: Apache-2.0
// Steal ranges: each chunk of a loop is executed exactly once, whoever steals from whom, however
// many chunks an owner takes at a time. Protocol: docs/protocols/steal-range.md.
#include "concurrent/steal_range.hpp"

#include "explorer.hpp"

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

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"two", two},
                         {"three", three},
                         {"two_in_batches", two_in_batches},
                         {"three_in_batches", three_in_batches}});
}
