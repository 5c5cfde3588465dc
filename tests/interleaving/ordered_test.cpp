// SPDX-License-Identifier: Apache-2.0
// Turns of ordered loops, with the real construct/ordered.cpp and two words for the turns: ordered
// regions run one by one in the order of the iterations, what one writes the next one reads, and
// every waiter is woken. Protocol: docs/protocols/ordered-turns.md.
#include "construct/ordered.cpp"

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

struct Shared {
    team::Member members[3]{};
    construct::LoopRequest request;
    uint64_t every;             ///< which iteration has an ordered region
    std::vector<uint64_t> next; ///< iteration of each loop; plain, for the turn alone protects it

    Shared(int size, uint64_t count, ScheduleKind kind, uint64_t chunk, size_t loops,
           uint64_t regions)
        : request{construct::unsigned_bounds(true, 0, count, 1), {kind, false, 0}, chunk, true, 0},
          every(regions), next(loops) {
        team::Workshare* first = team::Workshare::create(size);
        first->users.store(size, heddle::platform::relaxed);
        for (int i = 0; i < size; ++i) {
            members[i].team_size = size;
            members[i].number = i;
            members[i].workshare.node = first;
        }
    }

    void run(team::Member& member) {
        for (uint64_t& expected : next) {
            construct::begin_loop(member, request);
            uint64_t begin, end;
            while (construct::next_ordered_chunk(member, &begin, &end))
                for (uint64_t i = (begin + every - 1) / every * every; i < end; i += every)
                    iteration(member, expected, i);
        }
    }

    void iteration(team::Member& member, uint64_t& expected, uint64_t i) {
        construct::begin_ordered(member);
        explore::expect(expected == i, "it is another iteration's turn");
        heddle::platform::model::point("an ordered region", this);
        expected = i + every;
        construct::end_ordered(member);
    }
};

void add(explore::World& world, int size, uint64_t count, ScheduleKind schedule, uint64_t chunk,
         size_t loops = 1, uint64_t every = 1) {
    team::choose_wait_limits();
    auto shared = std::make_shared<Shared>(size, count, schedule, chunk, loops, every);
    for (int i = 0; i < size; ++i)
        world.thread([=] { shared->run(shared->members[i]); });
    world.at_end([=] {
        for (uint64_t next : shared->next)
            explore::expect(next >= count, "not all iterations had a turn");
    });
}

void in_turns(explore::World& world) { add(world, 2, 4, ScheduleKind::static_, 1); }
void three(explore::World& world) { add(world, 3, 5, ScheduleKind::static_, 1); }
void as_they_come(explore::World& world) { add(world, 3, 4, ScheduleKind::dynamic, 1); }
void pairs(explore::World& world) { add(world, 2, 6, ScheduleKind::dynamic, 2); }
void blocks(explore::World& world) { add(world, 3, 5, ScheduleKind::static_, 0); }
void guided(explore::World& world) { add(world, 2, 6, ScheduleKind::guided, 1); }
/// The third loop has the node of the first.
void again(explore::World& world) { add(world, 2, 3, ScheduleKind::static_, 1, 3); }
/// Chunks without a region pass their turns on, too, but not before they have them.
void without_region(explore::World& world) { add(world, 3, 5, ScheduleKind::dynamic, 1, 1, 2); }

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"in_turns", in_turns},
                         {"three", three},
                         {"as_they_come", as_they_come},
                         {"pairs", pairs},
                         {"blocks", blocks},
                         {"guided", guided},
                         {"again", again},
                         {"without_region", without_region}});
}
