// SPDX-License-Identifier: Apache-2.0
// Loops in ranges, with the real construct/loop.cpp, loop_in_order.cpp and loop_ranges.cpp: each
// iteration is handed out once, whoever steals from whom or leaves others theirs, the last one to a
// thread that gets nothing after it; dynamic in ascending order to each thread as long as chunks
// are long, and none to one that had a later one first; what a thread leaves in its hands when a
// loop is cancelled is not in the next. docs/protocols/steal-range.md and chunks-in-order.md.
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
#include <utility>
#include <vector>

namespace construct = heddle::construct;
namespace platform = heddle::platform;
namespace team = heddle::team;
using heddle::config::ScheduleKind;

namespace {

enum class Chunks { brief, long_or_brief, long_ones, very_long };

struct Shared {
    team::Member members[3];
    team::Worker workers[3];
    std::vector<int> runs[5]; ///< of one loop after the other
    bool cancels;
    Chunks chunks;
    bool monotonic;

    void run(uint64_t begin, uint64_t end, int loop) {
        for (uint64_t i = begin; i < end; ++i)
            explore::expect(++runs[loop][i] == 1, "an iteration ran twice");
        if (chunks >= Chunks::long_ones ||
            (chunks == Chunks::long_or_brief && explore::choose(2) == 1)) {
            const uint64_t ns = chunks == Chunks::very_long
                                    ? construct::OrderRule::absent_ns
                                    : construct::order_rule(3, 3, false).least_ns;
            const uint64_t until = platform::now_ns() + ns;
            while (platform::now_ns() < until) {
            }
        }
    }

    /// The chunks of one loop, as generated code takes them.
    void take(team::Member& member, int loop, ScheduleKind kind) {
        const auto count = static_cast<long>(runs[loop].size());
        construct::begin_loop(
            member, {construct::signed_bounds(0, count, 1), {kind, monotonic, 0}, 1, false, 0});
        uint64_t begin, end;
        bool had_last = false;
        uint64_t first = 0, last_end = 0;
        bool has_first = false;
        while (construct::next_chunk(member, &begin, &end)) {
            explore::expect(!had_last, "a chunk after the last one");
            explore::expect(begin < end && end <= runs[loop].size(), "no chunk of the loop");
            explore::expect(kind != ScheduleKind::dynamic || end - begin == 1, "not one iteration");
            had_last = end == runs[loop].size();
            explore::expect(kind != ScheduleKind::dynamic || !has_first || first < begin,
                            "a chunk that precedes the thread's first one");
            if (!std::exchange(has_first, true))
                first = begin;
            const bool is_in_order = monotonic || member.workshare.trip == 0;
            explore::expect(is_in_order || chunks < Chunks::long_ones, "its order has ended");
            explore::expect(!is_in_order || last_end <= begin, "not in ascending order");
            last_end = end;
            run(begin, end, loop);
            if (cancels && loop == 0 && explore::choose(2))
                return;
        }
    }
};

Shared& add(explore::World& world, int members, int iterations, ScheduleKind kind, bool cancels,
            int loops = 2, int cpus = 8, Chunks chunks = Chunks::brief, bool monotonic = false) {
    auto shared = std::make_shared<Shared>();
    shared->monotonic = monotonic;
    shared->chunks = chunks;
    team::cpu_pressure.cpus.store(cpus, platform::relaxed);
    shared->cancels = cancels;
    team::Workshare& first = *team::Workshare::create(members);
    first.expect(members);
    // Each has another share for each member than what the last loop in the same node has left.
    for (int loop = 0; loop < loops; ++loop)
        shared->runs[loop].assign(static_cast<size_t>(iterations + 2 * (loop % 2)), 0);
    for (int i = 0; i < members; ++i) {
        shared->members[i].number = i;
        shared->members[i].team_size = members;
        shared->members[i].workshare.enter(&first);
    }
    for (int i = 0; i < members; ++i)
        world.thread([=] {
            for (int loop = 0; loop < loops; ++loop)
                shared->take(shared->members[i], loop, kind);
        });
    world.at_end([=] {
        for (int loop = 0; loop < loops; ++loop)
            for (int run : shared->runs[loop])
                explore::expect((cancels && loop == 0) || run == 1, "an iteration was lost");
    });
    return *shared;
}

/// Parts of a region on offer: the thread of each believes that it comes to the next one's later.
void on_offer(explore::World& world) {
    constexpr int parts = 3;
    Shared& shared = add(world, parts, 7, ScheduleKind::dynamic, false, 3);
    for (int i = 0; i < parts; ++i) {
        team::Carrier& carrier = shared.workers[i].carrier;
        carrier.stopped.begin(parts);
        carrier.stopped.add((i + 1) % parts);
        shared.members[i].offers = true;
        shared.members[i].part.carrier = &shared.workers[i];
    }
}

void two(explore::World& world) { add(world, 2, 5, ScheduleKind::dynamic, false); }
void three(explore::World& world) { add(world, 3, 9, ScheduleKind::dynamic, false); }
void crowded(explore::World& world) { add(world, 3, 9, ScheduleKind::dynamic, false, 3, 1); }
void reused(explore::World& world) { add(world, 2, 3, ScheduleKind::dynamic, false, 5); }
void batches(explore::World& world) { add(world, 2, 60, ScheduleKind::dynamic, false); }
void cancelled(explore::World& world) { add(world, 2, 60, ScheduleKind::dynamic, true); }
void in_order(explore::World& world) {
    add(world, 3, 7, ScheduleKind::dynamic, false, 3, 8, Chunks::long_ones);
}
void late_in_order(explore::World& world) {
    add(world, 3, 7, ScheduleKind::dynamic, false, 2, 8, Chunks::very_long);
}
void crowded_in_order(explore::World& world) {
    add(world, 3, 7, ScheduleKind::dynamic, false, 3, 2, Chunks::long_ones);
}
void order_ends(explore::World& world) {
    add(world, 2, 8, ScheduleKind::dynamic, false, 3, 8, Chunks::long_or_brief);
}
void crowded_order_ends(explore::World& world) {
    add(world, 3, 9, ScheduleKind::dynamic, false, 3, 2, Chunks::long_or_brief);
}
void cancelled_order(explore::World& world) {
    add(world, 2, 8, ScheduleKind::dynamic, true, 3, 8, Chunks::long_or_brief);
}
void monotonic(explore::World& world) {
    add(world, 3, 6, ScheduleKind::dynamic, false, 3, 8, Chunks::long_or_brief, true);
}
void monotonic_batches(explore::World& world) {
    add(world, 2, 80, ScheduleKind::dynamic, true, 3, 8, Chunks::brief, true);
}
void adaptive(explore::World& world) { add(world, 2, 40, ScheduleKind::adaptive, false); }

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"two", two},
                         {"three", three},
                         {"crowded", crowded},
                         {"reused", reused},
                         {"on_offer", on_offer},
                         {"in_order", in_order},
                         {"late_in_order", late_in_order, 0.3, 1000},
                         {"crowded_in_order", crowded_in_order},
                         {"order_ends", order_ends},
                         {"crowded_order_ends", crowded_order_ends},
                         {"cancelled_order", cancelled_order},
                         {"monotonic", monotonic},
                         {"monotonic_batches", monotonic_batches, 0.3, 1000},
                         {"batches", batches, 0.3, 1000},
                         {"cancelled", cancelled, 0.3, 1000},
                         {"adaptive", adaptive, 0.3, 1000}});
}
