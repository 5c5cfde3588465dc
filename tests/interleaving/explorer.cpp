// SPDX-License-Identifier: Apache-2.0
// The explorer's machinery: fibers, fairness, who goes next, and the report of a failure.
// Actors are the fibers and one pseudo-actor for each store buffer that is not empty, whose step
// makes the oldest store visible. All runs on one thread; decisions are made by strategy.hpp.
#include "engine.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace explore {

Engine engine;

namespace {

constexpr uint64_t most_steps = 50000;      // more is taken for a livelock
constexpr uint32_t longest_run = 400;       // steps of one fiber in a row: a system is fair at last
constexpr uint64_t longest_in_buffer = 120; // steps until a store is visible at the latest

} // namespace

size_t number(const Fiber* fiber) {
    for (size_t i = 0; i < engine.used; ++i)
        if (engine.fibers[i].get() == fiber)
            return i;
    return 0;
}

namespace {

[[noreturn]] void report(const char* text) {
    printf("%s: %s\n  step %lu of %s, fiber %zu\n  repeat with: --only %s --replay %s\n",
           engine.scenario ? engine.scenario->name : "-", text,
           static_cast<unsigned long>(engine.step), engine.strategy.name(), number(engine.current),
           engine.scenario ? engine.scenario->name : "-", engine.strategy.replay().c_str());
    if (engine.expects_failure)
        printf("  which was expected of the planted bug\n");
    fflush(stdout);
    _exit(engine.expects_failure ? 0 : 1);
}

void on_signal(int) { report("crashed"); }

} // namespace

void make_visible(Fiber& fiber) {
    const BufferedStore store = fiber.stores.front();
    fiber.stores.pop_front();
    memcpy(store.word, &store.bits, store.size);
    if (engine.trace)
        printf("%6lu  buffer %zu  %p = %lx\n", static_cast<unsigned long>(engine.step),
               number(&fiber), store.word, static_cast<unsigned long>(store.bits));
}

namespace {

void switch_to(Fiber* next) {
    Fiber* const before = engine.current;
    if (next == before)
        return;
    engine.current = next;
    swapcontext(before ? &before->context : &engine.main_context,
                next ? &next->context : &engine.main_context);
}

/// An actor has made a step: spinning fibers may look again, the actor itself excepted.
void others_may_look(const Fiber* actor) {
    for (size_t i = 0; i < engine.used; ++i)
        if (engine.fibers[i].get() != actor)
            engine.fibers[i]->passive = false;
}

/// Some sleeper's time is over, because nothing else can happen. False: nobody has a limit.
bool let_one_time_out() {
    std::vector<Fiber*> candidates;
    for (size_t i = 0; i < engine.used; ++i) {
        Fiber& fiber = *engine.fibers[i];
        if (fiber.state == Fiber::State::asleep && fiber.may_time_out)
            candidates.push_back(&fiber);
    }
    if (candidates.empty())
        return false;
    Fiber& chosen = *candidates[engine.strategy.choose(static_cast<uint32_t>(candidates.size()))];
    chosen.state = Fiber::State::ready;
    engine.time += 1'000'000;
    return true;
}

/// A fiber that polls without relax() must not keep the others from what it waits for.
void be_fair() {
    if (++engine.run_length <= longest_run || !engine.current)
        return;
    engine.run_length = 0;
    engine.current->passive = true;
    engine.strategy.reshuffle();
}

} // namespace

void schedule() {
    be_fair();
    for (;;) {
        if (++engine.step > most_steps)
            report("no end: livelock, or too large a test");
        std::vector<Actor>& actors = engine.actors;
        actors.clear();
        bool spinning = false;
        for (size_t i = 0; i < engine.used; ++i) {
            Fiber& fiber = *engine.fibers[i];
            const bool ready = fiber.state == Fiber::State::ready;
            if (ready && !fiber.passive)
                actors.push_back({static_cast<uint32_t>(i), false, &fiber == engine.current});
            spinning |= ready && fiber.passive;
        }
        for (size_t i = 0; i < engine.used; ++i) {
            Fiber& fiber = *engine.fibers[i];
            while (!fiber.stores.empty() &&
                   fiber.stores.front().step + longest_in_buffer < engine.step)
                make_visible(fiber);
            if (!fiber.stores.empty())
                actors.push_back({static_cast<uint32_t>(i), true, false});
        }
        if (actors.empty()) {
            if (let_one_time_out())
                continue;
            if (spinning) { // two that wait for each other never get out of here: most_steps
                others_may_look(nullptr);
                continue;
            }
            for (size_t i = 0; i < engine.used; ++i)
                if (engine.fibers[i]->state == Fiber::State::asleep)
                    report("deadlock: everybody sleeps");
            switch_to(nullptr); // all have ended
            return;
        }
        const Actor& next = actors[engine.strategy.next(actors, engine.step)];
        Fiber& fiber = *engine.fibers[next.fiber];
        if (next.is_buffer) {
            make_visible(fiber);
            others_may_look(nullptr);
            continue;
        }
        others_may_look(&fiber);
        if (&fiber != engine.current)
            engine.run_length = 0;
        switch_to(&fiber);
        return;
    }
}

namespace {

void fiber_main() {
    engine.current->body();
    // Its buffer lives on; the other threads see the stores some time later.
    engine.current->state = Fiber::State::ended;
    schedule();
    abort();
}

} // namespace

void add_fiber(std::function<void()> body) {
    if (engine.used == engine.fibers.size())
        engine.fibers.push_back(std::make_unique<Fiber>());
    Fiber& fiber = *engine.fibers[engine.used++];
    fiber.body = std::move(body);
    fiber.state = Fiber::State::ready;
    fiber.passive = false;
    fiber.self = nullptr;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = stack_size;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, fiber_main, 0);
}

namespace {

void execute(const Scenario& scenario) {
    engine.scenario = &scenario;
    engine.used = 0;
    engine.step = 0;
    World world;
    scenario.set_up(world);
    schedule();
    for (auto& check : engine.at_end)
        check();
    engine.at_end.clear();
    for (size_t i = 0; i < engine.used; ++i)
        engine.fibers[i]->body = nullptr;
    engine.main_self = nullptr;
    for (auto& [block, size] : engine.allocated)
        free(block);
    engine.allocated.clear();
}

void explore_scenario(const Scenario& scenario, uint64_t seed, double budget) {
    uint64_t executions = 0;
    const auto many = static_cast<uint64_t>(budget * scenario.share);
    bool complete[2] = {false, false};
    for (int with_buffers = 0; with_buffers < 2 && scenario.exhaustive; ++with_buffers) {
        engine.buffers = with_buffers != 0;
        engine.strategy.begin_exhaustive(with_buffers ? 2 : 3, engine.buffers);
        const auto limit = static_cast<uint64_t>(scenario.exhaustive * (budget / 10000));
        for (uint64_t i = 0; i < limit && !complete[with_buffers]; ++i, ++executions) {
            execute(scenario);
            complete[with_buffers] = !engine.strategy.advance();
        }
    }
    engine.buffers = true;
    for (uint64_t i = 0; i < many; ++i, ++executions) {
        engine.strategy.begin_random(seed + i, i % 4 == 3);
        execute(scenario);
    }
    printf("%-32s %8lu executions%s\n", scenario.name, static_cast<unsigned long>(executions),
           !scenario.exhaustive         ? ""
           : complete[0] && complete[1] ? ", every one of 3 preemptions, 2 with store buffers"
           : complete[0]                ? ", every one of 3 preemptions without store buffers"
                                        : "");
    fflush(stdout);
}

} // namespace

void World::thread(std::function<void()> body) { add_fiber(std::move(body)); }
void World::at_end(std::function<void()> body) { engine.at_end.push_back(std::move(body)); }
void fail(const char* text) { report(text); }
void expect(bool condition, const char* text) {
    if (!condition)
        report(text);
}
uint32_t choose(uint32_t bound) { return engine.strategy.choose(bound); }
uint64_t steps() { return engine.step; }

int run(int argc, char** argv, std::initializer_list<Scenario> scenarios) {
    std::string only, replay;
    uint64_t seed = 1;
    double budget = 10000;
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        const char* value = i + 1 < argc ? argv[i + 1] : "";
        if (option == "--expect-failure") {
            engine.expects_failure = true;
            continue;
        }
        ++i;
        if (option == "--only")
            only = value;
        else if (option == "--replay")
            replay = value;
        else if (option == "--seed")
            seed = strtoull(value, nullptr, 0);
        else if (option == "--executions")
            budget = atof(value);
        else
            return fprintf(stderr, "unknown option %s\n", option.c_str()), 2;
    }
    // A crash is a finding, too; the fiber's stack may be the reason, so use another.
    static char signal_stack[65536];
    stack_t alternative{};
    alternative.ss_sp = signal_stack;
    alternative.ss_size = sizeof signal_stack;
    sigaltstack(&alternative, nullptr);
    struct sigaction action{};
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE})
        sigaction(signal, &action, nullptr);

    for (const Scenario& scenario : scenarios) {
        if (!only.empty() && only != scenario.name)
            continue;
        if (replay.empty()) {
            explore_scenario(scenario, seed, budget);
            continue;
        }
        engine.trace = true;
        engine.buffers = engine.strategy.begin_replay(replay);
        execute(scenario);
        printf("%s: nothing failed\n", scenario.name);
    }
    if (engine.expects_failure)
        printf("the planted bug was not found\n");
    return engine.expects_failure ? 1 : 0;
}

} // namespace explore
