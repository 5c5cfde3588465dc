// SPDX-License-Identifier: Apache-2.0
// Doacross loops, with the real construct/doacross.cpp and a ring of four entries: no iteration
// begins before its sinks are done, and every waiter is woken, by a source or by the end of a
// chunk. Protocol: docs/protocols/doacross.md.
#include "construct/doacross.cpp"

#include "construct/loop.cpp"
#include "construct/loop_in_order.cpp"
#include "construct/loop_ranges.cpp"
#include "construct/worksharing.cpp"
#include "team/workshare.cpp"

#include "loop_stubs.hpp"
#include "no_offers.hpp"
#include "team_stubs.hpp"

#include <initializer_list>
#include <memory>
#include <vector>

namespace construct = heddle::construct;
namespace team = heddle::team;
using heddle::config::ScheduleKind;

namespace {

/// An iteration (outer, inner) waits for (outer - back, inner + right), where that exists.
struct Sink {
    uint64_t back, right;
};

struct Shared {
    team::Member members[3]{};
    uint64_t counts[2];
    ScheduleKind schedule;
    uint64_t chunk;
    std::vector<Sink> sinks;
    uint64_t sources; ///< every which outermost iteration has one
    std::vector<int> done;

    Shared(int size, uint64_t outer, uint64_t inner, ScheduleKind kind, uint64_t chunk_size,
           std::initializer_list<Sink> list, uint64_t every)
        : counts{outer, inner}, schedule(kind), chunk(chunk_size), sinks(list), sources(every),
          done(outer * inner) {
        team::Workshare* first = team::Workshare::create(size);
        first->users.store(size, heddle::platform::relaxed);
        for (int i = 0; i < size; ++i) {
            members[i].team_size = size;
            members[i].number = i;
            members[i].workshare.node = first;
        }
    }

    void iteration(team::Member& member, uint64_t outer, uint64_t inner) {
        for (const Sink& sink : sinks) {
            if (outer < sink.back || inner + sink.right >= counts[1])
                continue;
            const uint64_t row = outer - sink.back, column = inner + sink.right;
            construct::wait_doacross(member, row, [column] { return column; });
            explore::expect(done[row * counts[1] + column] == 1, "the sink is not done");
        }
        heddle::platform::model::point("an iteration", this);
        ++done[outer * counts[1] + inner];
        if (outer % sources == 0)
            construct::post_doacross(member, outer, [inner] { return inner; });
    }

    void run(team::Member& member) {
        construct::begin_doacross(member, {2, counts, schedule, chunk, 0});
        uint64_t begin, end;
        while (construct::next_chunk(member, &begin, &end))
            for (uint64_t outer = begin; outer < end; ++outer)
                for (uint64_t inner = 0; inner < counts[1]; ++inner)
                    iteration(member, outer, inner);
    }
};

void add(explore::World& world, int size, uint64_t outer, uint64_t inner, ScheduleKind schedule,
         uint64_t chunk, std::initializer_list<Sink> sinks, uint64_t sources = 1) {
    team::choose_wait_limits();
    auto shared = std::make_shared<Shared>(size, outer, inner, schedule, chunk, sinks, sources);
    for (int i = 0; i < size; ++i)
        world.thread([=] { shared->run(shared->members[i]); });
    world.at_end([=] {
        for (int count : shared->done)
            explore::expect(count == 1, "an iteration did not run exactly once");
    });
}

void chain(explore::World& world) { add(world, 2, 3, 1, ScheduleKind::dynamic, 1, {{1, 0}}); }
void wavefront(explore::World& world) {
    add(world, 2, 4, 2, ScheduleKind::static_, 1, {{1, 1}, {1, 0}});
}
void wavefront_three(explore::World& world) {
    add(world, 3, 3, 2, ScheduleKind::dynamic, 1, {{1, 1}, {1, 0}});
}
void blocks(explore::World& world) { add(world, 3, 5, 1, ScheduleKind::static_, 0, {{1, 0}}); }
void guided(explore::World& world) { add(world, 2, 6, 1, ScheduleKind::guided, 1, {{2, 0}}); }
/// The ring goes round; what member 1 waits for lies further back than its entries reach.
void far(explore::World& world) { add(world, 2, 8, 1, ScheduleKind::dynamic, 1, {{5, 0}}); }
void far_and_near(explore::World& world) {
    add(world, 2, 9, 1, ScheduleKind::dynamic, 1, {{5, 0}, {2, 0}});
}
/// Nobody waits for the iterations without a source, but their entries are needed again.
void without_source(explore::World& world) {
    add(world, 2, 10, 1, ScheduleKind::dynamic, 1, {}, 2);
}

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"chain", chain},
                         {"wavefront", wavefront},
                         {"wavefront_three", wavefront_three},
                         {"blocks", blocks},
                         {"guided", guided},
                         {"far", far},
                         {"far_and_near", far_and_near},
                         {"without_source", without_source}});
}
