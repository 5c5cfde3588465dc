// SPDX-License-Identifier: Apache-2.0
// The modelled system's scheduler: a queue for each CPU, time slices, sleeping on a word and
// waking, idle CPUs that take what waits elsewhere. Threads begin and wake on the CPU where they
// were, else on an idle one near it, on an idle core first.
#include "engine/engine.hpp"

#include <algorithm>

namespace heddle::sim {

namespace {

/// Spawning and waking take up to a quarter longer than the model says, so that seeds differ.
constexpr uint64_t jitter_share = 4;

} // namespace

bool Engine::may_use(const Fiber& fiber, int cpu) const {
    const auto word = static_cast<size_t>(cpu / 64);
    return fiber.mask.empty() ||
           (word < fiber.mask.size() && (fiber.mask[word] >> (cpu % 64) & 1) != 0);
}

void Engine::enter_queue(Fiber& fiber) {
    queue_.add({fiber.clock, static_cast<uint32_t>(random_()), fiber.number});
}

/// Has the event of a fiber come for it to run? Else its sleep is over, and it needs a CPU.
bool Engine::goes_on(Fiber& fiber, Time when) {
    fiber.clock = when;
    if (fiber.state == Fiber::State::running)
        return true;
    forget_sleeper(fiber); // its time limit
    place(fiber, fiber.clock + wake_);
    return false;
}

/// The next fiber in virtual time; sleepers whose time is over are placed on the way.
Fiber& Engine::next() {
    for (;;) {
        if (queue_.empty()) {
            trouble_ = "all threads of the modelled machine sleep for ever";
            end_run();
        }
        const Event event = queue_.first();
        queue_.remove_first();
        Fiber& fiber = *fibers_[event.fiber()];
        if (goes_on(fiber, event.time))
            return fiber;
    }
}

/// The current fiber has reached the horizon.
void Engine::pass_on() {
    Fiber& fiber = *current_;
    Cpu& cpu = cpus_[static_cast<size_t>(fiber.cpu)];
    if (!cpu.ready.empty() && fiber.clock >= cpu.slice_end) {
        ++counts_.preemptions;
        ++fiber.preemptions;
        fiber.state = Fiber::State::ready;
        cpu.ready.push_back(&fiber);
        ++ready_;
        dispatch(fiber.cpu, fiber.clock);
        switch_to_next();
        return;
    }
    const Event mine(fiber.clock, static_cast<uint32_t>(random_()), fiber.number);
    if (queue_.empty() || mine.time < queue_.first().time + slack_ || mine.before(queue_.first())) {
        set_horizon();
        if (horizon_ == fiber.clock)
            ++horizon_; // the tie is decided
        return;
    }
    const Event later(fiber.clock, static_cast<uint32_t>(random_()), fiber.number);
    if (later.before(queue_.first()))
        return set_horizon(); // of two at the same time, and drawn once more
    const Event event = queue_.first();
    queue_.replace_first(later);
    Fiber& other = *fibers_[event.fiber()];
    switch_to(goes_on(other, event.time) ? other : next());
}

/// The fiber has the CPU from `when` on.
void Engine::begin_on(Fiber& fiber, int number, Time when) {
    Cpu& cpu = cpus_[static_cast<size_t>(number)];
    fiber.state = Fiber::State::running;
    fiber.cpu = number;
    fiber.core = machine_.scratch ? number : machine_.core_of(number);
    fiber.clock = std::max(fiber.clock, when);
    cpu.running = &fiber;
    cpu.slice_end = fiber.clock + slice_;
    enter_queue(fiber);
}

/// An allowed one that waits elsewhere, where most wait.
Fiber* Engine::pull_for(int number) {
    std::deque<Fiber*>* longest = nullptr;
    std::deque<Fiber*>::iterator chosen;
    for (Cpu& cpu : cpus_) {
        if (cpu.ready.empty() || (longest && cpu.ready.size() <= longest->size()))
            continue;
        const auto found =
            std::find_if(cpu.ready.begin(), cpu.ready.end(),
                         [this, number](Fiber* fiber) { return may_use(*fiber, number); });
        if (found != cpu.ready.end()) {
            longest = &cpu.ready;
            chosen = found;
        }
    }
    if (!longest)
        return nullptr;
    Fiber* const fiber = *chosen;
    longest->erase(chosen);
    return fiber;
}

/// Nobody has the CPU any more: the next one.
void Engine::dispatch(int number, Time now) {
    Cpu& cpu = cpus_[static_cast<size_t>(number)];
    cpu.running = nullptr;
    if (ready_ == 0)
        return;
    Fiber* fiber;
    if (!cpu.ready.empty()) {
        fiber = cpu.ready.front();
        cpu.ready.pop_front();
    } else if (fiber = pull_for(number); !fiber) {
        return;
    }
    --ready_;
    begin_on(*fiber, number, std::max(now, fiber->clock) + switch_);
}

/// An idle CPU, the nearest to where the fiber was; -1 when there is none.
int Engine::idle_cpu(const Fiber& fiber, bool whole_core) const {
    const auto is_free = [&](int cpu) {
        if (cpus_[static_cast<size_t>(cpu)].running || !may_use(fiber, cpu))
            return false;
        const int first = machine_.core_of(cpu) * machine_.threads_per_core;
        for (int i = 0; whole_core && i < machine_.threads_per_core; ++i)
            if (cpus_[static_cast<size_t>(first + i)].running)
                return false;
        return true;
    };
    if (is_free(fiber.cpu))
        return fiber.cpu;
    int size = machine_.threads_per_core * machine_.cores_per_cluster;
    for (int more : {1, machine_.clusters_per_node, machine_.nodes_per_socket, machine_.sockets}) {
        size *= more;
        const int first = fiber.cpu / size * size;
        for (int cpu = first; cpu < first + size; ++cpu)
            if (is_free(cpu))
                return cpu;
    }
    return -1;
}

int Engine::shortest_queue(const Fiber& fiber) const {
    int best = -1;
    for (int i = 0; i < machine_.cpus(); ++i) {
        const int cpu = (fiber.cpu + i) % machine_.cpus();
        if (may_use(fiber, cpu) && (best < 0 || cpus_[static_cast<size_t>(cpu)].ready.size() <
                                                    cpus_[static_cast<size_t>(best)].ready.size()))
            best = cpu;
    }
    return best < 0 ? fiber.cpu : best;
}

/// A fiber that has no CPU can run from `when` on.
void Engine::place(Fiber& fiber, Time when) {
    fiber.clock = when;
    const auto own = static_cast<size_t>(fiber.cpu); // where its scratchpad is
    const bool stays = machine_.scratch && !cpus_[own].running && may_use(fiber, fiber.cpu);
    int number = stays ? fiber.cpu : idle_cpu(fiber, true);
    if (number < 0 && machine_.threads_per_core > 1)
        number = idle_cpu(fiber, false);
    if (number >= 0)
        return begin_on(fiber, number, when);
    fiber.cpu = shortest_queue(fiber);
    fiber.state = Fiber::State::ready;
    Cpu& cpu = cpus_[static_cast<size_t>(fiber.cpu)];
    if (cpu.ready.empty() && cpu.slice_end < when)
        cpu.slice_end = when;
    cpu.ready.push_back(&fiber);
    ++ready_;
    Fiber* const running = cpu.running;
    if (running->is_waiting && queue_.holds(running->number) &&
        queue_.time_of(running->number) > cpu.slice_end)
        queue_.hasten(running->number, cpu.slice_end);
}

void Engine::forget_sleeper(Fiber& fiber) {
    const auto found = sleepers_.find(fiber.sleeps_on);
    std::erase(found->second, &fiber);
    if (found->second.empty())
        sleepers_.erase(found);
}

void Engine::sleep(const void* word, uint64_t timeout_ns) {
    Fiber& fiber = *current_;
    ++counts_.sleeps;
    ++fiber.sleeps;
    fiber.is_active = true;
    fiber.state = Fiber::State::asleep;
    fiber.sleeps_on = word;
    sleepers_[word].push_back(&fiber);
    const Time now = fiber.clock;
    constexpr uint64_t longest_ns = uint64_t{1} << 50; // 13 days: more is for ever
    if (timeout_ns < longest_ns) {
        fiber.clock += timeout_ns * nanosecond;
        enter_queue(fiber);
    }
    dispatch(fiber.cpu, now);
    switch_to_next();
}

void Engine::wake(const void* word, int count) {
    Fiber& waker = *current_;
    waker.is_active = true;
    const auto found = sleepers_.find(word);
    if (found == sleepers_.end()) {
        charge(switch_ / 4); // the system call alone
        return;
    }
    std::deque<Fiber*>& list = found->second;
    for (; count > 0 && !list.empty(); --count) {
        Fiber& fiber = *list.front();
        list.pop_front();
        if (queue_.holds(fiber.number))
            queue_.remove(fiber.number);
        ++counts_.wakes;
        charge(switch_ / 4);
        place(fiber, waker.clock + wake_ + random(wake_ / jitter_share + 1));
    }
    if (list.empty())
        sleepers_.erase(found);
    charge(switch_ / 4);
    set_horizon();
}

void Engine::signal(Fiber& fiber) {
    Fiber& sender = *current_;
    sender.is_active = true;
    sender.clock += plain_ + machine_.cycles(1);
    point();
    if (fiber.state == Fiber::State::asleep && fiber.sleeps_on == &fiber.signalled)
        return wake(&fiber.signalled, 1);
    fiber.signal_at =
        fiber.signalled ? std::min(fiber.signal_at, sender.clock + wake_) : sender.clock + wake_;
    fiber.signalled = true;
}

void Engine::await_signal() {
    Fiber& fiber = *current_;
    fiber.is_active = true;
    if (!fiber.signalled)
        return sleep(&fiber.signalled, ~uint64_t{0});
    fiber.signalled = false;
    fiber.clock = std::max(fiber.clock, fiber.signal_at);
    point();
}

const Fiber& Engine::spawn(std::function<void()> body, size_t stack_bytes) {
    Fiber& maker = *current_;
    maker.is_active = true;
    charge(spawn_);
    Fiber& fiber = make_fiber(std::move(body), stack_bytes);
    fiber.cpu = maker.cpu;
    fiber.mask = maker.mask;
    place(fiber, maker.clock + random(spawn_ / jitter_share + 1));
    set_horizon();
    return fiber;
}

void Engine::yield() {
    if (!current_)
        return;
    Fiber& fiber = *current_;
    charge(switch_ / 4);
    Cpu& cpu = cpus_[static_cast<size_t>(fiber.cpu)];
    if (cpu.ready.empty())
        return relax();
    fiber.state = Fiber::State::ready;
    cpu.ready.push_back(&fiber);
    ++ready_;
    dispatch(fiber.cpu, fiber.clock);
    switch_to_next();
}

void Engine::move_from_forbidden_cpu() {
    Fiber& fiber = *current_;
    if (may_use(fiber, fiber.cpu))
        return;
    const Time now = fiber.clock + switch_;
    dispatch(fiber.cpu, now);
    place(fiber, now);
    switch_to_next();
}

void Engine::move_to_idle_cpu() {
    Fiber& fiber = *current_;
    Cpu& cpu = cpus_[static_cast<size_t>(fiber.cpu)];
    const int idle = idle_cpu(fiber, false);
    if (idle < 0)
        return;
    const int before = fiber.cpu;
    const Time now = fiber.clock + switch_;
    cpu.running = nullptr;
    begin_on(fiber, idle, now);
    dispatch(before, now);
    switch_to_next();
}

} // namespace heddle::sim
