// SPDX-License-Identifier: Apache-2.0
// The explorer's machinery: fibers, fairness, who goes next, and the report of a failure.
// Actors are the fibers and one pseudo-actor for each store buffer that is not empty, whose step
// makes the oldest store visible; with views there are no buffers. All runs on one thread;
// decisions are made by strategy.hpp.
#include "engine.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
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
    printf("%s: %s\n  step %lu of %s, fiber %zu\n  repeat with:%s --only %s --replay %s\n",
           engine.scenario ? engine.scenario->name : "-", text,
           static_cast<unsigned long>(engine.step), engine.strategy.name(), number(engine.current),
           engine.options_to_repeat.c_str(), engine.scenario ? engine.scenario->name : "-",
           engine.strategy.replay().c_str());
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

/// In the exhaustive search a step of one that polls does not count: two that poll could have each
/// other look without an end, at no cost, and a third would never get its turn.
void let_others_look(const Fiber& actor) {
    if (!actor.polls || !engine.strategy.is_exhaustive())
        others_may_look(&actor);
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

void has_acted() {
    if (!engine.current)
        return;
    engine.current->polls = false;
    others_may_look(engine.current);
}

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
        let_others_look(fiber);
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

const Fiber& add_fiber(std::function<void()> body) {
    if (engine.used == engine.fibers.size())
        engine.fibers.push_back(std::make_unique<Fiber>());
    Fiber& fiber = *engine.fibers[engine.used++];
    fiber.body = std::move(body);
    fiber.state = Fiber::State::ready;
    fiber.passive = fiber.polls = false;
    fiber.self = nullptr;
    fiber.unwatched = 0;
    fiber.clock = {};
    if (engine.memory == Memory::views) {
        const size_t me = engine.used - 1;
        if (me >= most_fibers)
            report("more fibers than clocks have room for");
        if (engine.current) { // making a thread synchronizes
            fiber.clock = engine.current->clock;
            ++engine.current->clock.times[number(engine.current)];
        }
        fiber.clock.times[me] = 1;
    }
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = stack_size;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, fiber_main, 0);
    return fiber;
}

namespace {

void execute(const Scenario& scenario) {
    engine.scenario = &scenario;
    engine.used = 0;
    engine.step = 0;
    engine.views.begin();
    engine.races.begin(engine.memory == Memory::views);
    World world;
    scenario.set_up(world);
    schedule();
    for (auto& check : engine.at_end)
        check();
    engine.at_end.clear();
    for (size_t i = 0; i < engine.used; ++i)
        engine.fibers[i]->body = nullptr;
    engine.main_self = nullptr;
    engine.used_stacks = 0;
    for (auto& [block, size] : engine.allocated)
        free(block);
    engine.allocated.clear();
}

/// Depth first, as far as the budget goes. True: each schedule with so few preemptions.
bool explore_exhaustively(const Scenario& scenario, Memory memory, uint32_t preemptions,
                          double budget, uint64_t& executions) {
    engine.memory = memory;
    engine.strategy.begin_exhaustive(preemptions, memory == Memory::buffers);
    const auto limit = static_cast<uint64_t>(scenario.exhaustive * (budget / 10000));
    bool complete = false;
    for (uint64_t i = 0; i < limit && !complete; ++i, ++executions) {
        execute(scenario);
        complete = !engine.strategy.advance();
    }
    return complete;
}

/// As on x86 if `memory` is Memory::buffers.
void explore_scenario(const Scenario& scenario, Memory memory, uint64_t seed, double budget) {
    uint64_t executions = 0;
    const auto many = static_cast<uint64_t>(budget * scenario.share);
    const char* how_far = "";
    if (memory == Memory::views) {
        if (explore_exhaustively(scenario, memory, 2, budget, executions))
            how_far = ", every one of 2 preemptions or old values";
    } else {
        const bool direct = explore_exhaustively(scenario, Memory::direct, 3, budget, executions);
        const bool buffered = explore_exhaustively(scenario, memory, 2, budget, executions);
        if (direct && scenario.exhaustive)
            how_far = buffered ? ", every one of 3 preemptions, 2 with store buffers"
                               : ", every one of 3 preemptions without store buffers";
    }
    for (uint64_t i = 0; i < many; ++i, ++executions) {
        engine.strategy.begin_random(seed + i, i % 4 == 3);
        execute(scenario);
    }
    printf("%-32s %8lu executions%s\n", scenario.name, static_cast<unsigned long>(executions),
           how_far);
    fflush(stdout);
}

/// A bug in a process of its own: was it found?
bool finds_weakened(const OrderSite& site, Order weaker, const std::vector<Scenario>& scenarios,
                    uint64_t seed, double budget) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(2);
        engine.expects_failure = true;
        engine.orders = Orders();
        engine.orders.weaken(site.text() + ">" + name(weaker));
        for (const Scenario& scenario : scenarios)
            explore_scenario(scenario, Memory::views, seed, budget);
        _exit(1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Which orders does a scenario of this test need? Weakens each in turn.
void try_all_orders(const std::vector<Scenario>& scenarios, uint64_t seed, double budget) {
    engine.orders.collect();
    for (const Scenario& scenario : scenarios)
        explore_scenario(scenario, Memory::views, seed, budget);
    for (const OrderSite& site : engine.orders.collected())
        for (const Order weaker : site.weaker())
            printf("%s %s>%s\n",
                   finds_weakened(site, weaker, scenarios, seed, budget) ? "needed:   "
                                                                         : "not found:",
                   site.text().c_str(), name(weaker));
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

Unwatched::Unwatched() {
    if (engine.current)
        ++engine.current->unwatched;
}
Unwatched::~Unwatched() {
    if (engine.current)
        --engine.current->unwatched;
}
void unwatch(const void* address, size_t size) { engine.races.unwatch(address, size); }
bool memory_is_weak() { return engine.memory == Memory::views; }

Moment now() {
    const size_t me = engine.current ? number(engine.current) : 0;
    return {++engine.moments, me, engine.current ? engine.current->clock : Clock{}};
}
bool is_before(const Moment& one, const Moment& other) {
    if (engine.memory == Memory::views && one.fiber != other.fiber)
        return other.clock.knows(one.fiber, one.clock.times[one.fiber]);
    return one.number < other.number;
}

namespace {

struct Options {
    std::string only, replay;
    uint64_t seed = 1;
    double budget = 10000;
    Memory memory = Memory::buffers;
    bool all_orders = false;
};

/// False: one that we don't know, which it has said.
bool read_options(int argc, char** argv, Options& options) {
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        const std::string value = i + 1 < argc ? argv[i + 1] : "";
        if (option == "--expect-failure") {
            engine.expects_failure = true;
            continue;
        }
        if (option == "--orders") {
            options.all_orders = true;
            continue;
        }
        ++i;
        bool known = true;
        if (option == "--only")
            options.only = value;
        else if (option == "--replay")
            options.replay = value;
        else if (option == "--seed")
            options.seed = strtoull(value.c_str(), nullptr, 0);
        else if (option == "--executions")
            options.budget = atof(value.c_str());
        else if (option == "--memory" && (value == "buffers" || value == "views"))
            options.memory = value == "views" ? Memory::views : Memory::buffers;
        else
            known = option == "--weaken" && engine.orders.weaken(value);
        if (!known)
            return fprintf(stderr, "unknown option %s %s\n", option.c_str(), value.c_str()), false;
        if (option == "--memory")
            engine.options_to_repeat += " --memory " + value;
        if (option == "--weaken")
            engine.options_to_repeat += " --weaken '" + value + "'";
    }
    return true;
}

void explore_all(const std::vector<Scenario>& scenarios, const Options& options, double share) {
    for (const Scenario& scenario : scenarios)
        explore_scenario(scenario, options.memory, options.seed, options.budget * share);
}

void replay(const std::vector<Scenario>& scenarios, const Options& options) {
    engine.trace = true;
    for (const Scenario& scenario : scenarios) {
        const bool buffered = engine.strategy.begin_replay(options.replay);
        engine.memory = options.memory == Memory::views ? Memory::views
                        : buffered                      ? Memory::buffers
                                                        : Memory::direct;
        execute(scenario);
        printf("%s: nothing failed\n", scenario.name);
    }
}

void catch_crashes() { // A crash is a finding, too; the fiber's stack may be the reason.
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
}

} // namespace

int run(int argc, char** argv, std::initializer_list<Scenario> scenarios) {
    Options options;
    if (!read_options(argc, argv, options))
        return 2;
    catch_crashes();
    std::vector<Scenario> chosen;
    for (const Scenario& scenario : scenarios)
        if (options.only.empty() || options.only == scenario.name)
            chosen.push_back(scenario);
    if (options.all_orders) {
        try_all_orders(chosen, options.seed, options.budget);
        return 0;
    }
    if (!options.replay.empty())
        replay(chosen, options);
    // Most planted bugs are found soon, in one of the scenarios: a little of each comes first.
    else if (engine.expects_failure)
        for (const double share : {0.02, 0.2, 1.0})
            explore_all(chosen, options, share);
    else
        explore_all(chosen, options, 1.0);
    if (engine.expects_failure)
        printf("the planted bug was not found%s\n",
               engine.orders.is_active() && !engine.orders.met()
                   ? ": nothing with this order has been executed there"
                   : "");
    return engine.expects_failure ? 1 : 0;
}

} // namespace explore
