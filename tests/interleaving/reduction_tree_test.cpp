// SPDX-License-Identifier: Apache-2.0
// The tree of a reduction, with the real construct/reduction_tree.cpp: every part is combined once,
// in the order of the threads, and none is used after its owner was let go or the barrier passed.
// Protocol: docs/protocols/reduction-tree.md.
#include "construct/reduction_tree.cpp"

#include "concurrent/team_barrier.hpp"

#include "no_offers.hpp"
#include "team_stubs.hpp"

#include <memory>
#include <string>

namespace construct = heddle::construct;
namespace platform = heddle::platform;
namespace team = heddle::team;

namespace {

/// A part knows whether its owner still has it.
struct Part {
    std::string threads;
    bool usable = false;
};

void combine(void* into, void* from) {
    auto& to = *static_cast<Part*>(into);
    auto& other = *static_cast<Part*>(from);
    explore::expect(to.usable && other.usable, "combines a part that is gone");
    platform::model::point("combine", into);
    explore::expect(to.usable && other.usable, "a part goes while it is combined");
    to.threads += other.threads;
    other.threads = "taken";
}

struct Shared {
    int size;
    team::Team team;
    team::Worker workers[4];
    team::Member members[4]{};
    platform::Atomic<team::Member*> entries[4];
    heddle::concurrent::TeamBarrier barrier;
    Part parts[2][4];
    std::string results[2];

    explicit Shared(int size_) : size(size_) {
        barrier.reset(static_cast<uint32_t>(size));
        team.members.store(entries, platform::relaxed);
        for (int i = 0; i < size; ++i) {
            members[i].team = &team;
            members[i].team_size = size;
            members[i].number = i;
            members[i].worker = &workers[i];
            entries[i].store(&members[i], platform::relaxed);
        }
    }

    void wait_at_barrier() {
        const uint32_t epoch = barrier.epoch();
        if (!barrier.arrive(static_cast<uint32_t>(size)))
            while (!barrier.completed(epoch))
                platform::relax();
    }

    void reduce(int me, int round, bool wait) {
        Part& part = parts[round][me];
        part.threads = static_cast<char>('0' + me);
        part.usable = true;
        if (construct::combine_in_tree(members[me], &part, combine, wait)) {
            explore::expect(me == 0, "another thread than 0 has the result");
            results[round] = part.threads;
        }
        if (!wait)
            wait_at_barrier();
        part.usable = false;
    }
};

void add(explore::World& world, int size, int rounds, bool wait) {
    team::choose_wait_limits();
    auto shared = std::make_shared<Shared>(size);
    for (int i = 0; i < size; ++i)
        world.thread([=] {
            for (int round = 0; round < rounds; ++round)
                shared->reduce(i, round, wait);
        });
    world.at_end([=] {
        for (int round = 0; round < rounds; ++round)
            explore::expect(shared->results[round] == std::string("0123").substr(0, size),
                            "another result");
    });
}

void two(explore::World& world) { add(world, 2, 1, true); }
void two_in_a_row(explore::World& world) { add(world, 2, 2, true); }
void three(explore::World& world) { add(world, 3, 2, true); }
void four(explore::World& world) { add(world, 4, 2, true); }
void three_with_barrier(explore::World& world) { add(world, 3, 2, false); }
void four_with_barrier(explore::World& world) { add(world, 4, 1, false); }

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"two", two},
                         {"two_in_a_row", two_in_a_row},
                         {"three", three},
                         {"four", four, 1, 5000},
                         {"three_with_barrier", three_with_barrier, 1, 5000},
                         {"four_with_barrier", four_with_barrier, 1, 5000}});
}
