// SPDX-License-Identifier: Apache-2.0
// What a chip without caches has of its own, without the runtime: the signal bus and the barrier on
// it, locks whose threads sleep, scratchpads, signals. Times are the model's: 1 GHz, so that a
// cycle is a nanosecond. Nothing depends on the host's speed.
#include "engine/engine.hpp"
#include "machine/signal_bus.hpp"
#include "platform/contract.hpp"

#include <gtest/gtest.h>

namespace heddle::sim {

namespace {

namespace own = platform::own;

/// Sixteen thread units, two a processor.
Machine chip(const char* layout) {
    Machine machine;
    machine.name = "test";
    machine.clock_ghz = 1;
    machine.cores_per_cluster = 8;
    machine.threads_per_core = 2;
    machine.scratch = ScratchCosts{};
    machine.scratch->scratchpad_cycles = 2;
    machine.scratch->sram_cycles = 20;
    machine.scratch->dram_cycles = 36;
    machine.scratch->atomic_bank_cycles = 3;
    machine.scratch->banks = 16;
    machine.scratch->signal_bus_bits = 16;
    machine.scratch->signal_bus_cycles = 5;
    machine.scratch->scratchpad_bytes = 1024;
    machine.scratch->self_cycles = 4;
    EXPECT_TRUE(machine.scratch->runtime.set(layout));
    machine.plain_cycles_per_step = 0;
    machine.slice_us = 1000000;
    machine.switch_ns = 1;
    machine.wake_ns = 20;
    machine.spawn_us = 1;
    return machine;
}

constexpr Time ns = nanosecond;

/// Runs `body(number)` on so many threads, the initial one among them as number 0.
template <class Body>
void run_threads(const Machine& machine, uint64_t seed, int count, Body body) {
    engine.set_up(machine, seed);
    engine.run([&body, count] {
        int ended = 0;
        for (int i = 1; i < count; ++i)
            engine.spawn(
                [&body, &ended, i] {
                    body(i);
                    ++ended;
                },
                65536);
        body(0);
        while (ended < count - 1) {
            engine.charge(1000 * ns);
            engine.point();
        }
    });
}

/// Computes for some time, as the seed has it.
void compute(uint64_t most_ns) {
    engine.charge(engine.random(most_ns) * ns);
    engine.point();
}

TEST(SimSignalBus, ReadsTheOrOfWhatEachUnitHasWrittenLast) {
    SignalBus bus;
    EXPECT_EQ(bus.read(), 0);
    bus.write(0, 0x8001);
    bus.write(159, 0x0003);
    EXPECT_EQ(bus.read(), 0x8003);
    bus.write(0, 0x0010); // instead of what it drove before
    EXPECT_EQ(bus.read(), 0x0013);
    bus.write(159, 0);
    EXPECT_EQ(bus.read(), 0x0010);
    bus.write(0, 0x0010);
    EXPECT_EQ(bus.read(), 0x0010);
    EXPECT_EQ(bus.driven_by(0), 0x0010);
    EXPECT_EQ(bus.driven_by(500), 0);
}

TEST(SimChip, LayoutsAreNamed) {
    ChipRuntime layout;
    EXPECT_TRUE(layout.set("base,signal_bus"));
    EXPECT_EQ(layout.locks, ChipRuntime::Locks::mutex);
    EXPECT_EQ(layout.barrier, ChipRuntime::Barrier::signal_bus);
    for (const char* wrong : {"", "ports", "port,x"})
        EXPECT_FALSE(layout.set(wrong)) << wrong;
    EXPECT_EQ(layout.locks, ChipRuntime::Locks::mutex); // nothing has changed
}

TEST(SimChip, WhatIsKeptNearIsFastForItsUnitAlone) {
    alignas(64) static char near[128], far[64];
    static Time own_load, other_load, full_load, self_port;
    run_threads(chip("port"), 1, 2, [](int number) {
        if (number == 0) {
            own::keep_near(near, sizeof near);
            Time began = engine.now();
            engine.load(near + 64);
            own_load = engine.now() - began;
            own::keep_near(far, 2048); // more than there is
            began = engine.now();
            engine.load(far);
            full_load = engine.now() - began;
            began = engine.now();
            platform::self();
            self_port = engine.now() - began;
        } else {
            engine.charge(100000 * ns);
            engine.point();
            const Time began = engine.now();
            engine.load(near);
            other_load = engine.now() - began;
        }
    });
    EXPECT_EQ(own_load, 2 * ns);
    EXPECT_EQ(other_load, 20 * ns);
    EXPECT_EQ(full_load, 20 * ns);
    EXPECT_EQ(self_port, 6 * ns);
    EXPECT_EQ(engine.lines().scratchpad_used(0), 128u);
    static Time self_base;
    run_threads(chip("base"), 1, 1, [](int) {
        own::keep_near(near, sizeof near); // not in this layout
        const Time began = engine.now();
        platform::self();
        self_base = engine.now() - began;
    });
    EXPECT_EQ(self_base, 44 * ns);
    EXPECT_EQ(engine.lines().scratchpad_used(0), 0u);
}

TEST(SimChip, ASignalIsNotLostAndArrivesAWayLater) {
    static platform::Atomic<uint32_t> word{0};
    for (const Time delay : {0 * ns, 5000 * ns}) { // the sender is first, or the waiter
        static Time sent, seen;
        word.store(0, platform::relaxed);
        run_threads(chip("port"), 1, 2, [delay](int number) {
            if (number == 1) {
                engine.charge(3000 * ns - delay / 2);
                engine.point();
                own::await_signal(word, 0);
                seen = engine.now();
            } else {
                engine.charge(2000 * ns + delay);
                engine.point();
                own::signal(word, 1);
                sent = engine.now();
            }
        });
        EXPECT_EQ(word.load(platform::relaxed), 1u);
        // wake_ns and up to a quarter more, and a load; or at once, where it was first
        EXPECT_LE(seen, std::max(sent + 50 * ns, 4100 * ns));
        EXPECT_GE(seen, sent + (delay != 0 ? 20 * ns : 0));
    }
}

/// Threads that meet `rounds` times; in each, all must have arrived before any leaves.
uint64_t meet(uint64_t seed, int threads, uint32_t rounds) {
    static std::vector<uint32_t> arrived;
    static int wrong, enrolled;
    static const char team = 0;
    arrived.assign(static_cast<size_t>(threads), 0);
    wrong = enrolled = 0;
    run_threads(chip("port"), seed, threads, [threads, rounds](int number) {
        if (number == 0)
            own::Barrier::begin_region(&team, threads, true);
        engine.charge(100000 * ns); // all are there
        engine.point();
        enrolled += own::Barrier::serves(&team, threads); // they would meet in memory now
        engine.charge(100000 * ns);
        engine.point();
        for (uint32_t round = 1; round <= rounds; ++round) {
            compute(300);
            arrived[static_cast<size_t>(number)] = round;
            wrong += !own::Barrier::serves(&team, threads);
            uint32_t epoch;
            wrong += !own::Barrier(&team).arrive(epoch);
            for (const uint32_t other : arrived)
                wrong += other != round && other != round + 1;
        }
    });
    EXPECT_EQ(wrong, 0) << "seed " << seed;
    EXPECT_EQ(enrolled, 0);
    return engine.digest();
}

TEST(SimBusBarrier, NobodyLeavesBeforeAllHaveArrived) {
    for (uint64_t seed = 1; seed <= 20; ++seed)
        meet(seed, 16, 50);
    EXPECT_EQ(meet(7, 5, 30), meet(7, 5, 30)); // same seed, same run
    EXPECT_NE(meet(7, 5, 30), meet(8, 5, 30));
}

TEST(SimBusBarrier, WhoTurnsActiveAgainHoldsTheOthersBack) {
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        static int left, wrong, returns;
        static const char team = 0;
        static uint64_t working; // threads that have something to do
        constexpr int threads = 6;
        left = wrong = returns = 0;
        working = 0;
        run_threads(chip("port"), seed, threads, [](int number) {
            if (number == 0)
                own::Barrier::begin_region(&team, threads, true);
            engine.charge(100000 * ns);
            engine.point();
            own::Barrier::serves(&team, threads);
            engine.charge(100000 * ns);
            engine.point();
            own::Barrier::announce_tasks(&team);
            ++working;
            compute(500);
            --working;
            own::Barrier place(&team);
            uint32_t epoch;
            bool open = place.arrive(epoch);
            wrong += open && left == 0 && working != 0;
            while (!open && !place.completed(epoch)) {
                if (!place.has_tasks())
                    ++wrong; // this thread itself has announced some
                if (engine.random(3) == 0 && place.rejoin(epoch)) {
                    wrong += left != 0; // somebody was through, and yet this one is back
                    ++returns;
                    ++working;
                    compute(500);
                    --working;
                    uint32_t again;
                    place.arrive(again);
                    wrong += again != epoch;
                }
                engine.relax();
            }
            wrong += working != 0;
            ++left;
        });
        EXPECT_EQ(wrong, 0) << "seed " << seed;
        EXPECT_EQ(left, threads);
        EXPECT_GT(returns, 0) << "seed " << seed;
    }
}

TEST(SimBusBarrier, ThreeTeamsAtMostAndNoneOfOneSizeTooMany) {
    static const char teams[4] = {};
    run_threads(chip("port"), 1, 1, [](int) {
        for (const char& team : teams)
            own::Barrier::begin_region(&team, 2, true);
        for (int i = 0; i < 3; ++i) {
            EXPECT_FALSE(own::Barrier::serves(&teams[i], 2)); // enrols
            EXPECT_TRUE(own::Barrier::serves(&teams[i], 2));
        }
        EXPECT_FALSE(own::Barrier::serves(&teams[3], 2));
        EXPECT_FALSE(own::Barrier::serves(&teams[3], 2));
        own::Barrier::begin_region(&teams[0], 5, false); // another size: in memory
        EXPECT_FALSE(own::Barrier::serves(&teams[0], 5));
        own::Barrier::begin_region(&teams[0], 2, false); // and back
        EXPECT_TRUE(own::Barrier::serves(&teams[0], 2));
        EXPECT_FALSE(own::Barrier::serves(&teams[0], 1));
        own::Barrier::begin_region(&teams[0], 2, true); // the old threads' lines are up for ever
        EXPECT_FALSE(own::Barrier::serves(&teams[0], 2));
    });
    run_threads(chip("base"), 1, 1, [](int) {
        own::Barrier::begin_region(&teams[0], 2, true);
        EXPECT_FALSE(own::Barrier::serves(&teams[0], 2));
        EXPECT_FALSE(own::Barrier::serves(&teams[0], 2));
    });
}

/// Cycles a turn, of threads that all want one lock again at once.
double turn(const char* layout, uint64_t seed, int threads) {
    static platform::Atomic<uint32_t> word{0};
    static int inside, wrong, turns;
    static Time began;
    inside = wrong = turns = 0;
    began = 0;
    run_threads(chip(layout), seed, threads, [](int) {
        engine.charge(100000 * ns);
        engine.point();
        if (began == 0)
            began = engine.now();
        for (int i = 0; i < 40; ++i) {
            if (i % 8 != 7 || !own::try_lock(word))
                own::lock(word);
            wrong += inside++ != 0;
            compute(200);
            ++turns;
            --inside;
            own::unlock(word);
        }
    });
    EXPECT_EQ(wrong, 0) << layout << " seed " << seed;
    EXPECT_EQ(turns, threads * 40) << layout << " seed " << seed;
    return static_cast<double>(engine.now() - began) / static_cast<double>(ns * turns);
}

TEST(SimChipLocks, OneHolderAtATime) {
    for (const char* layout : {"base", "port"})
        for (uint64_t seed = 1; seed <= 10; ++seed)
            for (const int threads : {1, 2, 7, 16})
                turn(layout, seed, threads);
}

} // namespace

} // namespace heddle::sim
