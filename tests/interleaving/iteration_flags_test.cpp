// SPDX-License-Identifier: Apache-2.0
// Doacross loops with a flag for each iteration, with the real construct/iteration_flags.cpp: no
// iteration begins before its sinks are done, every waiter is woken, and the flags stay until the
// last member has ended. Protocol: docs/protocols/doacross.md.
#include "construct/iteration_flags.cpp"

#include "construct/doacross.cpp"
#include "construct/loop.cpp"
#include "construct/loop_in_order.cpp"
#include "construct/loop_ranges.cpp"
#include "construct/worksharing.cpp"
#include "team/workshare.cpp"

#include "loop_stubs.hpp"
#include "no_offers.hpp"
#include "team_stubs.hpp"

#include <memory>
#include <vector>

namespace construct = heddle::construct;
namespace team = heddle::team;
using heddle::config::ScheduleKind;

namespace {

/// Iteration i waits for i - back; its flag is that of value `scale` * i.
struct Shared {
    team::Member members[3]{};
    uint64_t count;
    uint64_t back;
    int64_t scale;
    ScheduleKind schedule;
    std::vector<int> done;

    Shared(int size, uint64_t iterations, uint64_t distance, int64_t step, ScheduleKind kind)
        : count(iterations), back(distance), scale(step), schedule(kind), done(iterations) {
        team::Workshare* first = team::Workshare::create(size);
        first->expect(size);
        for (int i = 0; i < size; ++i) {
            members[i].team_size = size;
            members[i].number = i;
            members[i].workshare.node = first;
        }
    }

    void iteration(team::Member& member, uint64_t i) {
        const int64_t here = scale * static_cast<int64_t>(i);
        const int64_t sink = here - scale * static_cast<int64_t>(back);
        construct::await_iteration(member, &sink);
        explore::expect(i < back || done[i - back] == 1, "the sink is not done");
        heddle::platform::model::point("an iteration", this);
        ++done[i];
        construct::flag_iteration(member, &here);
    }

    void run(team::Member& member) {
        const construct::NamedLoop nest{0, scale * static_cast<int64_t>(count - 1), scale};
        construct::begin_iteration_flags(member, 1, &nest);
        construct::begin_loop(member, {{0, count, 1, count}, {schedule, true, 0}, 1, false, 0});
        uint64_t begin, end;
        while (construct::next_chunk(member, &begin, &end))
            for (uint64_t i = begin; i < end; ++i)
                iteration(member, i);
        construct::end_iteration_flags(member);
    }
};

void add(explore::World& world, int size, uint64_t count, uint64_t back, int64_t scale,
         ScheduleKind schedule) {
    team::choose_wait_limits();
    auto shared = std::make_shared<Shared>(size, count, back, scale, schedule);
    for (int i = 0; i < size; ++i)
        world.thread([=] { shared->run(shared->members[i]); });
    world.at_end([=] {
        for (int times : shared->done)
            explore::expect(times == 1, "an iteration did not run exactly once");
    });
}

void chain(explore::World& world) { add(world, 2, 3, 1, 1, ScheduleKind::dynamic); }
void chain_down(explore::World& world) { add(world, 2, 4, 1, -3, ScheduleKind::static_); }
void three(explore::World& world) { add(world, 3, 4, 1, 1, ScheduleKind::dynamic); }
void apart(explore::World& world) { add(world, 2, 6, 2, 1, ScheduleKind::dynamic); }

} // namespace

int main(int argc, char** argv) {
    return explore::run(
        argc, argv,
        {{"chain", chain}, {"chain_down", chain_down}, {"three", three}, {"apart", apart}});
}
