// SPDX-License-Identifier: Apache-2.0
// The team barrier with stealing: nobody passes while a task of the team is unfinished, and nobody
// sleeps for ever. Protocol: docs/protocols/team-barrier.md.
#include "barrier_team.hpp"

using namespace barrier_team;

namespace {

void empty(explore::World& world) {
    auto shared = std::make_shared<Shared>(2);
    for (int i = 0; i < 2; ++i)
        world.thread([=] {
            for (int phase = 1; phase <= 3; ++phase) {
                shared->wait(i);
                shared->passed[i] = phase;
                explore::expect(shared->passed[1 - i] >= phase - 1, "passed alone");
            }
        });
}

/// The next region of the team is smaller; a thread may still be on its way out of the first.
void smaller_region(explore::World& world) {
    auto shared = std::make_shared<Shared>(3);
    auto begun = std::make_shared<platform::Atomic<uint32_t>>(0u);
    for (int i = 0; i < 3; ++i)
        world.thread([=] {
            if (i == 0) {
                shared->push(shared->deques[i], 0);
                shared->push(shared->deques[i], 0);
            }
            shared->wait(i);
            if (i == 2)
                return;
            if (i == 0) {
                shared->barrier.reset(2);
                begun->exchange(1, platform::seq_cst);
            }
            while (!begun->load(platform::acquire))
                platform::relax();
            shared->push(shared->deques[i], 0);
            shared->push(shared->deques[i], 0);
            shared->wait(i, 2);
            explore::expect(shared->unfinished == 0, "passed with unfinished tasks");
            shared->wait(i, 2);
        });
}

/// A region on offer, whose threads poll the word, and one in which they poll what they are told.
void few_and_many(explore::World& world) {
    auto shared = std::make_shared<Shared>(3);
    auto begun = std::make_shared<platform::Atomic<uint32_t>>(0u);
    shared->few = true;
    for (int i = 0; i < 3; ++i)
        world.thread([=] {
            for (uint32_t region = 0; region < 2; ++region) {
                if (i == 0 && region == 1) {
                    shared->few = false;
                    shared->reset();
                    begun->exchange(1, platform::seq_cst);
                }
                while (begun->load(platform::acquire) != region)
                    platform::relax();
                shared->push(shared->deques[i], 0);
                shared->wait(i);
                explore::expect(shared->unfinished == 0, "passed with unfinished tasks");
                shared->wait(i);
            }
        });
}

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
                         {"few_and_many", few_and_many, 1, 0},
                         {"two", two},
                         {"two_growing", two_growing, 1, 5000},
                         {"three", three, 1, 0}});
}
