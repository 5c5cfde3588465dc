// SPDX-License-Identifier: Apache-2.0
// The team barrier with stealing: nobody passes while a task of the team is unfinished, and nobody
// sleeps for ever. Protocol: docs/protocols/team-barrier.md.
#include "barrier_team.hpp"

using namespace barrier_team;

namespace {

void empty(explore::World& world) { add_empty(world, 2); }
void smaller_region(explore::World& world) { add_smaller_region(world, false); }
void held_alone(explore::World& world) { held(world, 1, false); }
void held_two(explore::World& world) { held(world, 2, false); }
void inbox_alone(explore::World& world) { held(world, 1, true); }
void inbox_two(explore::World& world) { held(world, 2, true); }

void two(explore::World& world) { add(world, 2, 2, 0); }
void two_growing(explore::World& world) { add(world, 2, 2, 1); }
void three(explore::World& world) { add(world, 3, 2, 1); }

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"empty", empty},
                         {"held_alone", held_alone},
                         {"held_two", held_two, 0.5, 5000},
                         {"inbox_alone", inbox_alone},
                         {"inbox_two", inbox_two, 0.5, 5000},
                         {"smaller_region", smaller_region, 2, 0},
                         {"two", two},
                         {"two_growing", two_growing, 1, 5000},
                         {"three", three, 1, 0}});
}
