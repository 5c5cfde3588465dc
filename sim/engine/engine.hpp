// SPDX-License-Identifier: Apache-2.0
// The discrete-event engine: threads of the modelled machine are fibers with a clock each, on one
// OS thread, and the one whose clock is least goes on. Called by sim/platform at every atomic
// access. The order of events depends on the model, the program and the seed alone.
// docs/simulator.md says what is modelled, and why a spinning fiber may skip polls.
#pragma once

#include "engine/event_queue.hpp"
#include "machine/lines.hpp"
#include "machine/pages.hpp"

#include <boost/context/fiber.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <unordered_map>

namespace heddle::sim {

/// A thread of the modelled system.
struct Fiber {
    enum class State { running, ready, asleep, ended };

    boost::context::fiber context;
    std::function<void()> body;
    char* stack = nullptr;
    size_t stack_size = 0;
    uint32_t number = 0;
    State state = State::running;
    int cpu = 0;
    int core = 0; ///< on a machine without caches, where units share nothing, the CPU
    Time clock = 0;
    Time stores_done = 0; ///< when its store buffer is empty
    void* self = nullptr;
    std::vector<uint64_t> mask; ///< the CPUs it may use; empty: all
    uint64_t sleeps = 0, preemptions = 0;
    bool signalled = false; ///< a signal is on its way, or waits for it
    Time signal_at = 0;     ///< when it arrives
    const void* sleeps_on = nullptr;

    // Since the last relax(): what it has read, and whether it has done more than reading.
    std::vector<std::pair<Line*, uint64_t>> polled; ///< with the line's version
    bool is_active = true;
    uint64_t pattern = 0;    ///< of what it had read at the relax() before
    uint32_t idle_polls = 0; ///< in a row with that pattern
    uint32_t episode = 0;    ///< of watching lines
    bool watches = false;    ///< is in the lists of all lines of `pattern`
    bool is_waiting = false; ///< its next event comes earlier when a line that it watches changes
    Time poll_began = 0;     ///< of the poll that it waits in
    Time poll_ended = 0, poll_takes = 0; ///< the pause, and what is read between two
};

/// A CPU of the modelled machine.
struct Cpu {
    Fiber* running = nullptr;
    std::deque<Fiber*> ready;
    Time slice_end = 0;
};

struct Counts {
    uint64_t steps = 0, atomics = 0, switches = 0, sleeps = 0, wakes = 0, preemptions = 0,
             skipped_waits = 0;
};

class Engine {
public:
    /// Before a run. The runtime's own state is not reset: with that, a process is one run.
    /// With a `slack` the fiber that runs may be so far ahead of others: faster, and less exact.
    void set_up(const Machine& machine, uint64_t seed, Time slack = 0);

    /// Runs `body` on the initial thread until that returns; the others end with it. Throws
    /// std::runtime_error when all threads sleep for ever.
    void run(std::function<void()> body);

    /// Is there a run? Outside one an access acts at once and costs nothing.
    bool is_on() const { return current_ != nullptr; }
    Fiber& current() { return *current_; }
    const Machine& machine() const { return machine_; }
    Lines& lines() { return *lines_; }
    Pages& pages() { return *pages_; }

    /// A scheduling point of the current fiber: returns when nobody is behind its clock.
    void point() {
        ++counts_.steps;
        if (current_->clock >= horizon_)
            pass_on();
    }
    /// The current fiber computes.
    void charge(Time time) { current_->clock += time; }
    /// What the workload computes takes longer or shorter from now on, by up to `percent` of it.
    void set_jitter(uint32_t percent) { jitter_percent_ = percent; }
    /// The current fiber computes for the workload.
    void work(Time time) { charge(jitter_percent_ == 0 ? time : jittered(time)); }

    void load(const void* word);
    void store(void* word, bool waits_for_buffer);
    void change(void* word);
    void fence();

    void relax();
    void yield();
    void sleep(const void* word, uint64_t timeout_ns);
    void wake(const void* word, int count);
    const Fiber& spawn(std::function<void()> body, size_t stack_bytes);

    /// A signal to one thread, for the price of a store: it lets the thread's current or next
    /// await_signal() return, when it has arrived. Two that nobody awaited are one.
    void signal(Fiber& fiber);
    void await_signal();

    /// The current fiber's CPUs have changed, or it would rather run elsewhere.
    void move_from_forbidden_cpu();
    void move_to_idle_cpu();

    const Counts& counts() const { return counts_; }
    /// Of the order of events: equal runs have equal digests.
    uint64_t digest() const { return digest_; }
    Time now() const { return current_ ? current_->clock : end_; } ///< since the run began

    /// Which run of this process it is; 0: none was set up.
    uint32_t run_number() const { return run_number_; }

    /// A seeded number below `bound`.
    uint64_t random(uint64_t bound) { return random_() % bound; }

private:
    Time jittered(Time time);
    Fiber& make_fiber(std::function<void()> body, size_t stack_bytes);
    void pass_on();
    void end_run();
    void switch_to(Fiber& next);
    void set_horizon();
    void enter_queue(Fiber& fiber);
    void begin_on(Fiber& fiber, int cpu, Time when);
    void dispatch(int cpu, Time now);
    int idle_cpu(const Fiber& fiber, bool whole_core) const;
    int shortest_queue(const Fiber& fiber) const;
    void place(Fiber& fiber, Time now);
    bool may_use(const Fiber& fiber, int cpu) const;
    Fiber* pull_for(int cpu);
    void forget_sleeper(Fiber& fiber);
    void tell_watchers(Line& line, Time when);
    void watch(Fiber& fiber);
    bool goes_on(Fiber& fiber, Time when);
    Fiber& next();
    void switch_to_next() { switch_to(next()); }
    void arrive(boost::context::fiber&& from);
    boost::context::fiber run_fiber(boost::context::fiber&& from);
    void note(const Fiber& fiber);
    void remember(Fiber& fiber, Line& line);
    void wait_in_poll(Fiber& fiber);
    void stop_watching(Fiber& fiber);

    Machine machine_;
    std::unique_ptr<Lines> lines_;
    std::unique_ptr<Pages> pages_;
    std::mt19937_64 random_, jitter_; ///< that of the runtime's model, and that of workloads
    uint32_t jitter_percent_ = 0;
    std::vector<Fiber*> fibers_;
    std::vector<Cpu> cpus_;
    EventQueue queue_;
    size_t ready_ = 0; ///< fibers that have no CPU
    std::unordered_map<const void*, std::deque<Fiber*>> sleepers_;
    Fiber* current_ = nullptr;
    Fiber* previous_ = nullptr; ///< who switched to the current one
    boost::context::fiber host_;
    std::string trouble_; ///< why the run cannot go on
    Time horizon_ = 0;    ///< the current fiber may go on below it
    Time end_ = 0;
    Time slack_ = 0;
    uint32_t longest_skip_ = 0; ///< polls at a time, as a power of two
    Time plain_ = 0, poll_ = 0, switch_ = 0, slice_ = 0, wake_ = 0, spawn_ = 0;
    Counts counts_;
    uint64_t digest_ = 0;
    uint32_t run_number_ = 0;
};

/// The one of this process: the runtime's globals exist once, too.
extern Engine engine;

/// What a part of the platform keeps for one run: made in it, for its heap, and never freed.
template <class State>
State& of_this_run() {
    static State* state = nullptr;
    static uint32_t run = 0;
    if (run != engine.run_number()) {
        state = new State;
        run = engine.run_number();
    }
    return *state;
}

} // namespace heddle::sim
