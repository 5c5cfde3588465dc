// SPDX-License-Identifier: Apache-2.0
// Fibers, virtual time and what accesses cost. The scheduler of the modelled system is in
// scheduler.cpp, polling in polling.cpp.
// A fiber that runs is in no queue; it goes on until its clock reaches the horizon, which is the
// time of the next event or the end of its time slice.
#include "engine/engine.hpp"

#include "platform/fixed_memory.hpp"

#include <stdexcept>

namespace heddle::sim {

Engine engine;

namespace {

constexpr Time never = ~Time{0};
/// Of a fiber from what it polls: 16 polls of 25 ns.
constexpr Time longest_absence = 400 * nanosecond;
constexpr size_t usual_stack = size_t{8} << 20; // as Linux has it

/// Stacks are memory only as far as they are touched, and are kept until the process ends.
struct Stack {
    Fiber* fiber;
    boost::context::stack_context allocate() const {
        boost::context::stack_context context;
        context.size = fiber->stack_size;
        context.sp = fiber->stack + fiber->stack_size;
        return context;
    }
    void deallocate(boost::context::stack_context&) const {}
};

uint64_t mix(uint64_t value) {
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

} // namespace

void Engine::set_up(const Machine& machine, uint64_t seed, Time slack) {
    const uint32_t number = run_number_ + 1;
    *this = Engine(); // threads of an earlier run stay where they were
    run_number_ = number;
    machine_ = machine;
    slack_ = slack;
    lines_ = std::make_unique<Lines>(machine_);
    pages_ = std::make_unique<Pages>(machine_);
    cpus_.resize(static_cast<size_t>(machine_.cpus()));
    random_.seed(mix(seed));
    jitter_.seed(mix(seed + 1));
    plain_ = machine_.cycles(machine_.plain_cycles_per_step);
    poll_ = static_cast<Time>(machine_.pause_ns * nanosecond);
    while (poll_ << (longest_skip_ + 1) <= longest_absence)
        ++longest_skip_;
    switch_ = static_cast<Time>(machine_.switch_ns * nanosecond);
    wake_ = static_cast<Time>(machine_.wake_ns * nanosecond);
    slice_ = static_cast<Time>(machine_.slice_us * 1000 * nanosecond);
    spawn_ = static_cast<Time>(machine_.spawn_us * 1000 * nanosecond);
}

Time Engine::jittered(Time time) {
    const Time most = time * jitter_percent_ / 100;
    return time - most + jitter_() % (2 * most + 1);
}

Fiber& Engine::make_fiber(std::function<void()> body, size_t stack_bytes) {
    auto* fiber = new Fiber; // for as long as the process runs, for its stack may be referred to
    fiber->number = static_cast<uint32_t>(fibers_.size());
    fiber->stack_size = stack_bytes < 65536 ? usual_stack : (stack_bytes + 4095) / 4096 * 4096;
    void* stack = fixed_pages(fiber->stack_size);
    if (!stack)
        throw std::runtime_error("no memory for the stack of a thread");
    fiber->stack = static_cast<char*>(stack);
    fiber->body = std::move(body);
    fiber->context = boost::context::fiber(
        std::allocator_arg, Stack{fiber},
        [this](boost::context::fiber&& from) { return run_fiber(std::move(from)); });
    fibers_.push_back(fiber);
    return *fiber;
}

void Engine::run(std::function<void()> body) {
    begin_run_heap();
    Fiber& first = make_fiber(
        [this, &body] {
            body();
            end_ = current_->clock;
            end_run();
        },
        0);
    cpus_[0].running = &first;
    cpus_[0].slice_end = slice_;
    previous_ = nullptr;
    current_ = &first;
    set_horizon();
    boost::context::fiber from = std::move(first.context).resume();
    if (current_)
        current_->context = std::move(from);
    current_ = nullptr;
    if (!trouble_.empty())
        throw std::runtime_error(trouble_);
}

/// By the current fiber, which does not return.
void Engine::end_run() {
    host_ = std::move(host_).resume();
    __builtin_unreachable();
}

/// After a switch: whoever was left keeps the place where it goes on.
void Engine::arrive(boost::context::fiber&& from) {
    (previous_ ? previous_->context : host_) = std::move(from);
}

boost::context::fiber Engine::run_fiber(boost::context::fiber&& from) {
    arrive(std::move(from));
    Fiber& fiber = *current_;
    fiber.body();
    fiber.state = Fiber::State::ended;
    fiber.body = nullptr;
    cpus_[static_cast<size_t>(fiber.cpu)].running = nullptr;
    dispatch(fiber.cpu, fiber.clock);
    switch_to_next(); // and never comes back
    return {};
}

void Engine::switch_to(Fiber& fiber) {
    if (&fiber != current_) {
        ++counts_.switches;
        previous_ = current_;
        current_ = &fiber;
        set_horizon();
        arrive(std::move(fiber.context).resume());
        return;
    }
    set_horizon();
}

void Engine::set_horizon() {
    horizon_ = queue_.empty() ? never : queue_.first().time + slack_;
    const Cpu& cpu = cpus_[static_cast<size_t>(current_->cpu)];
    if (!cpu.ready.empty() && cpu.slice_end < horizon_)
        horizon_ = cpu.slice_end;
}

/// The digest knows who did something, and when.
void Engine::note(const Fiber& fiber) {
    digest_ = (digest_ ^ (fiber.clock + fiber.number)) * 0x9e3779b97f4a7c15u;
    digest_ ^= digest_ >> 29;
}

void Engine::load(const void* word) {
    if (!current_)
        return;
    Fiber& fiber = *current_;
    fiber.clock += plain_;
    point();
    ++counts_.atomics;
    Line& line = lines_->at(word);
    fiber.clock = lines_->load(line, fiber.core, fiber.clock);
    if (!fiber.is_active)
        remember(fiber, line);
    note(fiber);
}

void Engine::store(void* word, bool waits_for_buffer) {
    if (!current_)
        return;
    Fiber& fiber = *current_;
    fiber.clock += plain_;
    point();
    ++counts_.atomics;
    fiber.is_active = true;
    Line& line = lines_->at(word);
    fiber.clock = lines_->store(line, fiber.core, fiber.clock, fiber.stores_done);
    if (waits_for_buffer && fiber.stores_done > fiber.clock)
        fiber.clock = fiber.stores_done;
    tell_watchers(line, line.free_at > fiber.clock ? line.free_at : fiber.clock);
    note(fiber);
}

void Engine::change(void* word) {
    if (!current_)
        return;
    Fiber& fiber = *current_;
    fiber.clock += plain_;
    point();
    ++counts_.atomics;
    fiber.is_active = true;
    if (fiber.stores_done > fiber.clock)
        fiber.clock = fiber.stores_done;
    Line& line = lines_->at(word);
    fiber.clock = lines_->change(line, fiber.core, fiber.clock);
    tell_watchers(line, fiber.clock);
    note(fiber);
}
void Engine::fence() {
    if (!current_)
        return;
    Fiber& fiber = *current_;
    fiber.clock += plain_;
    if (fiber.stores_done > fiber.clock)
        fiber.clock = fiber.stores_done;
}

} // namespace heddle::sim
