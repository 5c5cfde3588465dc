// SPDX-License-Identifier: Apache-2.0
// The barrier's tree: the same promises with nodes of two below the root, and regions whose threads
// are not those of the last one. Protocol: docs/protocols/team-barrier.md.
#include "barrier_team.hpp"

using namespace barrier_team;

namespace {

constexpr uint32_t width = 2;

/// A thread that stands at the root beside a node; two nodes; three levels.
void three(explore::World& world) { add(world, 3, 2, 0, width); }
void three_growing(explore::World& world) { add(world, 3, 2, 1, width); }
void four(explore::World& world) { add(world, 4, 2, 0, width); }
void five(explore::World& world) { add(world, 5, 2, 1, width); }

void held_three(explore::World& world) { held(world, 3, false, width); }
void inbox_three(explore::World& world) { held(world, 3, true, width); }

/// How the opening goes down.
void empty_three(explore::World& world) { add_empty(world, 3, width); }
void empty_five(explore::World& world) { add_empty(world, 5, width); }

/// In the next region another thread has the last number, whose former one may still be on its way
/// out.
void exchanged_thread(explore::World& world, int size) {
    auto shared = std::make_shared<Shared>(size, width);
    auto begun = std::make_shared<platform::Atomic<uint32_t>>(0u);
    for (int i = 0; i <= size; ++i)
        world.thread([=] {
            if (i == 1) {
                shared->push(shared->deques[i], 0);
                shared->push(shared->deques[i], 0);
            }
            if (i < size)
                shared->wait(i);
            if (i == size - 1)
                return;
            if (i == 0) {
                shared->reset();
                begun->exchange(1, platform::seq_cst);
            }
            while (!begun->load(platform::acquire))
                platform::relax();
            const int number = i == size ? size - 1 : i;
            if (number == 1) {
                shared->push(shared->deques[number], 0);
                shared->push(shared->deques[number], 0);
            }
            shared->wait(number);
            explore::expect(shared->unfinished == 0, "passed with unfinished tasks");
            shared->wait(number);
        });
}
void exchanged_of_three(explore::World& world) { exchanged_thread(world, 3); }
void exchanged_of_four(explore::World& world) { exchanged_thread(world, 4); }

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"empty_three", empty_three, 1, 5000},
                         {"empty_five", empty_five, 1, 0},
                         {"three", three, 1, 5000},
                         {"three_growing", three_growing, 1, 0},
                         {"four", four, 1, 0},
                         {"five", five, 1, 0},
                         {"held_three", held_three, 0.5, 2000},
                         {"inbox_three", inbox_three, 0.5, 2000},
                         {"exchanged_of_three", exchanged_of_three, 1, 0},
                         {"exchanged_of_four", exchanged_of_four, 1, 0}});
}
