// SPDX-License-Identifier: Apache-2.0
// The platform contract on the engine's fibers: threads, sleeping, time and affinity of the
// modelled machine. Called by the runtime's layers; outside a run, as in constructors, by the
// host's thread.
#include "platform/contract.hpp"

#include "engine/engine.hpp"

#include <cstdio>
#include <cstdlib>

#include <link.h>

namespace heddle::platform {

using sim::engine;

namespace {

void* self_outside = nullptr; // of the host's thread
bool warnings = true;

/// Time does not begin at 0, which the runtime takes for "never".
constexpr uint64_t first_ns = 1'000'000'000'000;

/// What reading the clock takes, assumed: 20 ns.
constexpr sim::Time clock_cost = 20 * sim::nanosecond;

template <class T>
bool sleep_on(Atomic<T>& word, uint32_t expected, uint64_t timeout_ns) {
    const T now = word.load(seq_cst); // a scheduling point, so the decision is of its moment
    if (static_cast<uint32_t>(now) != expected)
        return false;
    if (engine.is_on())
        engine.sleep(&word, timeout_ns);
    return true;
}

void wake_sleepers(const void* word, int count) {
    if (!engine.is_on())
        return;
    engine.point();
    engine.wake(word, count);
}

} // namespace

void relax() { engine.relax(); }
void yield() { engine.yield(); }

int current_cpu() { return engine.is_on() ? engine.current().cpu : -1; }

void leave_cpu() {
    if (engine.is_on())
        engine.move_to_idle_cpu();
}

bool get_affinity(uint64_t* words, size_t count) {
    if (!engine.is_on())
        return false;
    const std::vector<uint64_t>& mask = engine.current().mask;
    for (size_t i = 0; i < count; ++i)
        words[i] = i < mask.size() ? mask[i] : 0;
    for (int cpu = 0; mask.empty() && cpu < engine.machine().cpus(); ++cpu)
        if (static_cast<size_t>(cpu) < count * 64)
            words[cpu / 64] |= uint64_t{1} << (cpu % 64);
    return true;
}

bool set_affinity(const uint64_t* words, size_t count) {
    if (!engine.is_on())
        return false;
    engine.current().mask.assign(words, words + count);
    engine.move_from_forbidden_cpu();
    return true;
}

Stops stops() {
    if (!engine.is_on())
        return {};
    return {engine.current().sleeps, engine.current().preemptions};
}

uint64_t now_ns() {
    if (!engine.is_on()) // before a run, or after it: then it stands
        return first_ns + engine.now() / sim::nanosecond;
    engine.charge(clock_cost);
    engine.point();
    return first_ns + engine.now() / sim::nanosecond;
}

void* self() {
    if (!engine.is_on())
        return self_outside;
    own::charge_self();
    return engine.current().self;
}
void set_self(void* pointer) { (engine.is_on() ? engine.current().self : self_outside) = pointer; }

bool wait_on(Atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns) {
    return sleep_on(word, expected, timeout_ns);
}
bool wait_on(Atomic<uint64_t>& word, uint64_t expected, uint64_t timeout_ns) {
    return sleep_on(word, static_cast<uint32_t>(expected), timeout_ns);
}
void wake(Atomic<uint32_t>& word, int count) { wake_sleepers(&word, count); }
void wake(Atomic<uint64_t>& word, int count) { wake_sleepers(&word, count); }

bool spawn(Thread& thread, size_t stack_bytes) {
    if (!engine.is_on())
        return false;
    const auto& fiber = engine.spawn([&thread] { thread.entry(thread.argument); }, stack_bytes);
    thread.stack = {fiber.stack, fiber.stack_size};
    return true;
}

StackOfThread stack_of_thread() {
    if (!engine.is_on())
        return {nullptr, 0};
    return {engine.current().stack, engine.current().stack_size};
}

void* allocate(size_t size, size_t alignment) {
    void* block = nullptr;
    if (alignment < sizeof(void*))
        alignment = sizeof(void*);
    return posix_memalign(&block, alignment, size) == 0 ? block : nullptr;
}
void deallocate(void* block) { free(block); }

void on_thread_exit(void (*)(void*)) {} // the initial thread ends with the process
bool programs_keep_thread_data() { return false; }
bool ask_loader(int (*visit)(dl_phdr_info*, size_t, void*), void* data) {
    dl_iterate_phdr(visit, data);
    return true;
}
bool is_main_thread() { return !engine.is_on() || engine.current().number == 0; }
bool main_thread_has_ended() { return false; }
void on_fork_child(void (*)()) {}
int thread_id() { return engine.is_on() ? static_cast<int>(engine.current().number) + 1 : 1; }

void warn(const char* text) {
    if (warnings)
        fprintf(stderr, "heddle: %s\n", text);
}
void set_warnings(bool on) { warnings = on; }
void die(const char* text) {
    fprintf(stderr, "heddle: %s\n", text);
    abort();
}

} // namespace heddle::platform
