// SPDX-License-Identifier: Apache-2.0
// The single construct, with the real construct/single.hpp: exactly one member executes each
// region, however far apart the members are, and with copyprivate all others get what that one
// gives; they sleep until then. Protocol: docs/protocols/single.md.
#include "construct/single.hpp"

#include "no_offers.hpp"
#include "team_stubs.hpp"

#include <memory>

namespace construct = heddle::construct;
namespace team = heddle::team;

namespace {

struct Shared {
    team::Team team;
    team::Member members[3]{};
    int executions[4] = {};
    uint64_t data[4] = {};

    explicit Shared(int size) {
        team.barrier.reset(static_cast<uint32_t>(size));
        for (int i = 0; i < size; ++i) {
            members[i].number = i;
            members[i].team = &team;
            members[i].team_size = size;
        }
    }

    void nowait(team::Member& member, int count) {
        for (int region = 0; region < count; ++region)
            if (construct::begin_single(member))
                ++executions[region]; // plain: two members at one would be a race
    }

    void copyprivate(team::Member& member, int count) {
        for (int region = 0; region < count; ++region) {
            void* result = nullptr;
            const auto value = static_cast<uint64_t>(region + 7);
            if (construct::begin_copyprivate(member, &result)) {
                data[region] = value;
                construct::end_copyprivate(member, &data[region]);
                ++executions[region];
            } else {
                explore::expect(result == &data[region] && data[region] == value,
                                "not what the executing member gave");
            }
            meet(member);
        }
    }

    /// Two copyprivates of one region, as flang's code has them, then a region of nowait.
    void copies(team::Member& member, int count) {
        const bool executes = construct::begin_single(member);
        for (int copy = 0; copy < count - 1; ++copy) {
            construct::next_copyprivate(member, executes);
            if (executes) {
                data[copy] = static_cast<uint64_t>(copy + 7);
                construct::end_copyprivate(member, &data[copy]);
                ++executions[copy];
            } else {
                const void* result = construct::await_copyprivate(member);
                explore::expect(result == &data[copy], "not the data of this copy");
            }
            meet(member);
        }
        if (construct::begin_single(member))
            ++executions[count - 1];
    }

    void meet(team::Member& member) {
        uint32_t epoch;
        if (!team.barrier.arrive(static_cast<uint32_t>(member.team_size), epoch))
            while (!team.barrier.completed(epoch))
                heddle::platform::relax();
    }
};

void add(explore::World& world, int size, int count,
         void (Shared::*body)(team::Member& member, int count)) {
    team::choose_wait_limits();
    auto shared = std::make_shared<Shared>(size);
    for (int i = 0; i < size; ++i)
        world.thread([=] { (shared.get()->*body)(shared->members[i], count); });
    world.at_end([=] {
        for (int i = 0; i < count; ++i)
            explore::expect(shared->executions[i] == 1, "not exactly one member executed it");
    });
}

void two(explore::World& world) { add(world, 2, 4, &Shared::nowait); }
void three(explore::World& world) { add(world, 3, 3, &Shared::nowait); }
void copyprivate_two(explore::World& world) { add(world, 2, 2, &Shared::copyprivate); }
void copyprivate_three(explore::World& world) { add(world, 3, 2, &Shared::copyprivate); }
void copies_two(explore::World& world) { add(world, 2, 3, &Shared::copies); }
void copies_three(explore::World& world) { add(world, 3, 3, &Shared::copies); }

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"two", two},
                         {"three", three},
                         {"copyprivate_two", copyprivate_two},
                         {"copyprivate_three", copyprivate_three},
                         {"copies_two", copies_two},
                         {"copies_three", copies_three}});
}
