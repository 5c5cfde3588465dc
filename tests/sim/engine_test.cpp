// SPDX-License-Identifier: Apache-2.0
// The engine alone, without the runtime: what accesses cost, who goes next, what a polling fiber
// sees and when. All times are the model's: 1 GHz, so that a cycle is a nanosecond.
#include "engine/engine.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <stdexcept>

namespace heddle::sim {

namespace {

/// Two sockets of two nodes of two clusters of two cores.
Machine sixteen_cores() {
    Machine machine;
    machine.name = "test";
    machine.clock_ghz = 1;
    machine.sockets = machine.nodes_per_socket = machine.clusters_per_node =
        machine.cores_per_cluster = 2;
    machine.cache = CacheCosts{1, 10, 20, 30, 40, 5, 100};
    machine.plain_cycles_per_step = 0;
    machine.slice_us = 10;
    machine.switch_ns = 400;
    machine.wake_ns = 1000;
    machine.spawn_us = 1;
    return machine;
}

Machine one_core() {
    Machine machine = sixteen_cores();
    machine.sockets = machine.nodes_per_socket = machine.clusters_per_node =
        machine.cores_per_cluster = 1;
    return machine;
}

constexpr Time ns = nanosecond;
alignas(64) uint64_t word;

TEST(SimEvents, AreTakenInOrder) {
    const auto less = [](const Event& a, const Event& b) { return a.before(b); };
    std::set<Event, decltype(less)> wanted(less);
    EventQueue queue;
    std::mt19937_64 random(1);
    const auto find = [&wanted](uint32_t fiber) {
        return std::find_if(wanted.begin(), wanted.end(),
                            [fiber](const Event& event) { return event.fiber() == fiber; });
    };
    for (int i = 0; i < 20000; ++i) {
        const auto fiber = static_cast<uint32_t>(random() % 300);
        const Event event(random() % 50, static_cast<uint32_t>(random() % 2), fiber);
        const auto found = find(fiber);
        ASSERT_EQ(queue.holds(fiber), found != wanted.end());
        if (found == wanted.end() && random() % 2 == 0 && !queue.empty()) {
            queue.replace_first(event);
            wanted.erase(wanted.begin());
            wanted.insert(event);
        } else if (found == wanted.end()) {
            queue.add(event);
            wanted.insert(event);
        } else if (queue.time_of(fiber) > event.time) {
            queue.hasten(fiber, event.time);
            const Event sooner(event.time, static_cast<uint32_t>(found->rank >> 32), fiber);
            wanted.erase(found);
            wanted.insert(sooner);
        } else if (random() % 2 == 0) {
            queue.remove(fiber);
            wanted.erase(found);
        } else {
            queue.remove_first();
            wanted.erase(wanted.begin());
        }
        ASSERT_EQ(queue.empty(), wanted.empty());
        ASSERT_EQ(queue.empty() ? 0 : queue.first().rank,
                  wanted.empty() ? 0 : wanted.begin()->rank);
    }
}

TEST(SimPages, BelongToWhoTouchesThemFirst) {
    const Machine machine = sixteen_cores();
    Pages pages(machine);
    alignas(Pages::page_bytes) static char memory[3 * Pages::page_bytes];
    pages.move(memory, 64, 2, 0);
    pages.move(memory, 64, 3, 0);
    pages.prefer(memory + Pages::page_bytes, Pages::page_bytes, {1});
    pages.move(memory + Pages::page_bytes, 64, 2, 0);
    EXPECT_EQ(pages.node_of(memory), 2);
    EXPECT_EQ(pages.node_of(memory + Pages::page_bytes), 1);
    EXPECT_EQ(pages.node_of(memory + 2 * Pages::page_bytes), -1);
    pages.forget(memory, Pages::page_bytes);
    EXPECT_EQ(pages.node_of(memory), -1);
}

TEST(SimLines, ALineCostsByDistance) {
    const Machine machine = sixteen_cores();
    Lines lines(machine);
    Line& line = lines.at(&word);
    EXPECT_EQ(lines.load(line, 0, 0), 100 * ns);            // from memory
    EXPECT_EQ(lines.load(line, 0, 200 * ns), 201 * ns);     // its own
    EXPECT_EQ(lines.change(line, 0, 300 * ns), 306 * ns);   // and alone
    EXPECT_EQ(lines.change(line, 1, 400 * ns), 415 * ns);   // the neighbour's
    EXPECT_EQ(lines.change(line, 2, 500 * ns), 525 * ns);   // another cluster's
    EXPECT_EQ(lines.change(line, 4, 600 * ns), 635 * ns);   // another node's
    EXPECT_EQ(lines.change(line, 8, 700 * ns), 745 * ns);   // another socket's
    EXPECT_EQ(lines.load(line, 9, 800 * ns), 810 * ns);     // now two have it
    EXPECT_EQ(lines.load(line, 15, 900 * ns), 930 * ns);    // from the nearest
    EXPECT_EQ(lines.load(line, 8, 1000 * ns), 1001 * ns);   // and the writer still
    EXPECT_EQ(lines.change(line, 8, 1100 * ns), 1135 * ns); // from the farthest
    EXPECT_EQ(lines.load(line, 9, 1200 * ns), 1210 * ns);   // who had lost it
}

TEST(SimLines, WritersQueueAndReadersHardly) {
    const Machine machine = sixteen_cores();
    Lines lines(machine);
    Line& line = lines.at(&word);
    EXPECT_EQ(lines.change(line, 0, 0), 105 * ns);
    EXPECT_EQ(lines.change(line, 1, 0), 120 * ns); // 105 until it is there, then 15
    EXPECT_EQ(lines.change(line, 0, 0), 135 * ns);
    EXPECT_EQ(line.waited, 225 * ns);
    EXPECT_EQ(lines.load(line, 1, 1000 * ns), 1010 * ns);
    EXPECT_EQ(lines.load(line, 2, 1000 * ns), 1021 * ns); // behind a hit's time
}

TEST(SimLines, AStoreDoesNotHoldTheCore) {
    const Machine machine = sixteen_cores();
    Lines lines(machine);
    Line& line = lines.at(&word);
    Time drained = 0;
    lines.change(line, 8, 0);
    EXPECT_EQ(lines.store(line, 0, 1000 * ns, drained), 1001 * ns);
    EXPECT_EQ(drained, 1040 * ns);
    EXPECT_EQ(lines.load(line, 8, 1001 * ns), 1080 * ns); // when it has arrived there, and back
}

TEST(SimLines, BanksOfAMachineWithoutCaches) {
    Machine machine = sixteen_cores();
    machine.cache.reset();
    machine.scratch = ScratchCosts{2, 20, 36, 3, 1, 16, 5, 64};
    Lines lines(machine);
    Line& line = lines.at(&word);
    EXPECT_EQ(lines.load(line, 0, 0), 20 * ns);
    EXPECT_EQ(lines.load(line, 1, 0), 21 * ns);         // the bank takes one a cycle
    EXPECT_EQ(lines.load(line, 0, 100 * ns), 120 * ns); // and nothing is kept
    EXPECT_EQ(lines.change(line, 0, 150 * ns), 172 * ns);
    EXPECT_EQ(lines.load(line, 1, 150 * ns), 173 * ns); // an atomic operation held it for three
    EXPECT_TRUE(lines.place_in_scratchpad(&word, sizeof word, 3));
    EXPECT_EQ(lines.load(line, 3, 200 * ns), 202 * ns);
    EXPECT_EQ(lines.load(line, 4, 200 * ns), 220 * ns);
}

TEST(SimEngine, TheLeastClockGoesFirst) {
    engine.set_up(sixteen_cores(), 1);
    std::vector<Time> seen;
    engine.run([&seen] {
        for (int i = 0; i < 3; ++i)
            engine.spawn(
                [&seen] {
                    for (int step = 0; step < 100; ++step) {
                        engine.charge(engine.random(50) * ns);
                        engine.point();
                        seen.push_back(engine.now());
                    }
                },
                0);
        engine.charge(100000 * ns);
        engine.point();
    });
    ASSERT_EQ(seen.size(), 300u);
    for (size_t i = 1; i < seen.size(); ++i)
        EXPECT_LE(seen[i - 1], seen[i]);
}

/// When a fiber that polls a word sees it change, after `delay` in which it did not.
Time seen_after(Time delay) {
    engine.set_up(sixteen_cores(), 1);
    word = 0;
    Time seen = 0, written = 0;
    bool over = false;
    engine.run([&] {
        engine.spawn(
            [&] {
                for (;;) {
                    engine.load(&word);
                    if (word != 0)
                        break;
                    engine.relax();
                }
                seen = engine.now();
                over = true;
            },
            0);
        engine.charge(2000 * ns + delay);
        engine.point();
        engine.store(&word, true);
        word = 1;
        written = engine.now();
        while (!over) {
            engine.charge(1000 * ns);
            engine.point();
        }
    });
    EXPECT_GE(seen, written);
    return seen - written;
}

TEST(SimEngine, APollingFiberSeesAChangeAtItsNextPoll) {
    for (Time delay : {100 * ns, 10000 * ns, 1000000 * ns, 1000012 * ns})
        EXPECT_LE(seen_after(delay), 40 * ns) << delay / ns; // a poll of 25 and the line's way
    EXPECT_GT(engine.counts().skipped_waits, 0u);
    EXPECT_LT(engine.counts().atomics, 5000u); // of 40,000 polls
}

TEST(SimEngine, SleepersWakeInTurnAndByTheirLimits) {
    engine.set_up(sixteen_cores(), 1);
    std::vector<int> order;
    Time limited = 0;
    engine.run([&] {
        for (int i = 0; i < 2; ++i) {
            engine.spawn(
                [&order, i] {
                    engine.sleep(&word, ~uint64_t{0});
                    order.push_back(i);
                },
                0);
            engine.charge(5000 * ns);
        }
        engine.spawn(
            [&limited] {
                const Time began = engine.now();
                engine.sleep(&word, 20000);
                limited = engine.now() - began;
            },
            0);
        engine.charge(50000 * ns);
        engine.point();
        engine.wake(&word, 1);
        engine.charge(50000 * ns);
        engine.point();
        engine.wake(&word, 1);
        engine.charge(50000 * ns);
        engine.point();
    });
    EXPECT_EQ(order, (std::vector<int>{0, 1}));
    EXPECT_EQ(limited, 21000 * ns); // and what waking takes
}

TEST(SimEngine, MoreThreadsThanCpusTakeTurns) {
    engine.set_up(one_core(), 1);
    Time other_began = 0;
    engine.run([&other_began] {
        engine.spawn([&other_began] { other_began = engine.now(); }, 0);
        for (int i = 0; i < 100 && other_began == 0; ++i) { // it neither sleeps nor yields
            engine.charge(1000 * ns);
            engine.point();
        }
    });
    EXPECT_GE(other_began, 10000 * ns); // a time slice
    EXPECT_LE(other_began, 13000 * ns);
    EXPECT_EQ(engine.counts().preemptions, 1u);
}

TEST(SimEngine, APollingFiberLeavesItsCpuToOthers) {
    engine.set_up(one_core(), 1);
    word = 0;
    bool seen = false;
    engine.run([&seen] {
        engine.spawn(
            [] {
                engine.store(&word, true);
                word = 1;
            },
            0);
        while (!seen) {
            engine.load(&word);
            seen = word != 0;
            engine.relax();
        }
    });
    EXPECT_TRUE(seen);
}

TEST(SimEngine, SleepingForEverIsTold) {
    engine.set_up(sixteen_cores(), 1);
    EXPECT_THROW(engine.run([] { engine.sleep(&word, ~uint64_t{0}); }), std::runtime_error);
}

TEST(SimEngine, AnAffinityMaskIsKept) {
    engine.set_up(sixteen_cores(), 1);
    std::vector<int> cpus;
    engine.run([&cpus] {
        for (int i = 0; i < 16; ++i) {
            engine.current().mask = {uint64_t{1} << i};
            engine.move_from_forbidden_cpu();
            cpus.push_back(engine.current().cpu);
        }
    });
    for (int i = 0; i < 16; ++i)
        EXPECT_EQ(cpus[static_cast<size_t>(i)], i);
}

TEST(SimPages, NodesByFirstTouchAndByWish) {
    const Machine machine = sixteen_cores();
    Pages pages(machine);
    alignas(Pages::page_bytes) static char memory[4 * Pages::page_bytes];
    EXPECT_EQ(pages.node_of(memory), -1);
    pages.move(memory, 64, 2, 0);
    EXPECT_EQ(pages.node_of(memory), 2);
    pages.move(memory, 64, 3, 0);
    EXPECT_EQ(pages.node_of(memory), 2);
    pages.prefer(memory + Pages::page_bytes, Pages::page_bytes, {1});
    pages.move(memory + Pages::page_bytes, 64, 3, 0);
    EXPECT_EQ(pages.node_of(memory + Pages::page_bytes), 1);
    pages.forget(memory, Pages::page_bytes);
    EXPECT_EQ(pages.node_of(memory), -1);
}

TEST(SimPages, ANodesBandwidthIsShared) {
    const Machine machine = sixteen_cores(); // 10 GB/s a node, 100 ns
    Pages pages(machine);
    alignas(Pages::page_bytes) static char memory[Pages::page_bytes];
    // 64 lines, ten at a time: 640 ns for a core; the node takes 409.6 for each.
    EXPECT_EQ(pages.move(memory, 4096, 0, 0), 640 * ns);
    EXPECT_EQ(pages.move(memory, 4096, 0, 0), 819200u);
    EXPECT_EQ(pages.move(memory, 4096, 0, 0), 1228800u);
}

TEST(SimPages, WhatLeavesASocketQueuesForItsLinks) {
    Machine machine = sixteen_cores(); // nodes 0 and 1 are of a socket, 2 and 3 of the other
    machine.gbytes_per_s_per_node = 1000;
    machine.gbytes_per_s_between_sockets = 1;
    Pages pages(machine);
    alignas(Pages::page_bytes) static char memory[2 * Pages::page_bytes];
    pages.move(memory, 64, 0, 0);
    pages.move(memory + Pages::page_bytes, 64, 1, 0);
    EXPECT_EQ(pages.move(memory, 4096, 1, 0), 640 * ns);                      // stays inside
    EXPECT_EQ(pages.move(memory, 4096, 2, 0), 4096 * ns);                     // leaves
    EXPECT_EQ(pages.move(memory + Pages::page_bytes, 4096, 3, 0), 8192 * ns); // so, too
    EXPECT_EQ(pages.move(memory + Pages::page_bytes, 4096, 0, 0), 640 * ns);  // as before
}

} // namespace

} // namespace heddle::sim
