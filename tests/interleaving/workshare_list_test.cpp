// SPDX-License-Identifier: Apache-2.0
// The list of worksharing regions, with the real construct/worksharing.cpp: in each region exactly
// one member comes first, all read that region's description, and no node is used again too early.
// Protocol: docs/protocols/workshare-list.md.
#include "construct/worksharing.cpp"

#include "team/workshare.cpp"

#include "no_offers.hpp"
#include "team_stubs.hpp"

#include <memory>

namespace construct = heddle::construct;
namespace team = heddle::team;

namespace {

struct Shared {
    team::Member members[3]{};
    int firsts[4] = {};
    int executions[4] = {};

    explicit Shared(int size) {
        team::Workshare* first = team::Workshare::create(size);
        first->expect(size);
        for (int i = 0; i < size; ++i) {
            members[i].number = i;
            members[i].team_size = size;
            members[i].workshare.node = first;
        }
    }

    void regions(team::Member& member, uint64_t count) {
        for (uint64_t region = 0; region < count; ++region) {
            const bool first = construct::enter_workshare(member, [region](team::Workshare& node) {
                node.chunk = region + 100;
                node.next_chunk.store(0, heddle::platform::relaxed);
            });
            if (first)
                ++firsts[region];
            team::Workshare& node = *member.workshare.node;
            explore::expect(node.chunk == region + 100, "another region's description");
            if (node.next_chunk.fetch_add(1, heddle::platform::relaxed) == 0)
                ++executions[region];
            explore::expect(node.chunk == region + 100, "the node was used again too early");
        }
    }
};

/// As many nodes as the word says wait for the member that took them, and no more than may.
void expect_counted(const team::WorksharePosition& home) {
    const uintptr_t list = home.returned.load(heddle::platform::relaxed);
    uintptr_t nodes = 0;
    for (team::Workshare* node = construct::first_of(list); node; node = node->next_free)
        ++nodes;
    explore::expect(nodes == (list & construct::count_bits), "returned nodes are counted wrongly");
    explore::expect(nodes <= construct::most_returned, "too many nodes wait");
}

void add(explore::World& world, int size, int count) {
    team::choose_wait_limits();
    auto shared = std::make_shared<Shared>(size);
    for (int i = 0; i < size; ++i)
        world.thread([=] { shared->regions(shared->members[i], static_cast<uint64_t>(count)); });
    world.at_end([=] {
        for (int i = 0; i < count; ++i) {
            explore::expect(shared->firsts[i] == 1, "not exactly one member came first");
            explore::expect(shared->executions[i] == 1, "not exactly one got chunk 0");
        }
        for (int i = 0; i < size; ++i)
            expect_counted(shared->members[i].workshare);
    });
}

void two(explore::World& world) { add(world, 2, 4); }
void three(explore::World& world) { add(world, 3, 3); }

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv, {{"two", two}, {"three", three}});
}
