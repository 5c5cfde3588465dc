// SPDX-License-Identifier: Apache-2.0
// The team barrier where threads arrive by flags, and count themselves once there are tasks or one
// is about to sleep: nobody passes while a task is unfinished, all that a thread has done is seen
// behind it, and nobody sleeps for ever. Protocol: docs/protocols/team-barrier.md.
#include "barrier_team.hpp"

using namespace barrier_team;

namespace {

void empty(explore::World& world) { add_empty(world, 2, 0, true); }
void empty_three(explore::World& world) { add_empty(world, 3, 0, true); }
void smaller_region(explore::World& world) { add_smaller_region(world, true); }

/// Regions whose threads arrive by the word and by flags, in turn.
void both_ways(explore::World& world) {
    auto shared = std::make_shared<Shared>(3);
    auto begun = std::make_shared<platform::Atomic<uint32_t>>(0u);
    for (int i = 0; i < 3; ++i)
        world.thread([=] {
            for (uint32_t region = 0; region < 3; ++region) {
                if (i == 0 && region > 0) {
                    shared->by_flags = region == 1;
                    shared->reset();
                    begun->exchange(region, platform::seq_cst);
                }
                while (begun->load(platform::acquire) != region)
                    platform::relax();
                if (i == 2)
                    shared->push(shared->deques[i], 0);
                shared->wait(i);
                explore::expect(shared->unfinished == 0, "passed with unfinished tasks");
                shared->wait(i);
            }
        });
}

void held_two(explore::World& world) { held(world, 2, false, 0, true); }
void held_three(explore::World& world) { held(world, 3, false, 0, true); }
void inbox_two(explore::World& world) { held(world, 2, true, 0, true); }

void two(explore::World& world) { add(world, 2, 2, 0, 0, true); }
void two_growing(explore::World& world) { add(world, 2, 2, 1, 0, true); }
void three(explore::World& world) { add(world, 3, 2, 1, 0, true); }
void four(explore::World& world) { add(world, 4, 1, 0, 0, true); }

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"empty", empty},
                         {"empty_three", empty_three},
                         {"smaller_region", smaller_region, 1, 0},
                         {"both_ways", both_ways, 1, 0},
                         {"held_two", held_two, 0.5, 5000},
                         {"held_three", held_three, 0.5, 0},
                         {"inbox_two", inbox_two, 0.5, 5000},
                         {"two", two},
                         {"two_growing", two_growing, 1, 5000},
                         {"three", three, 1, 0},
                         {"four", four, 1, 0}});
}
