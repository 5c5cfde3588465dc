// SPDX-License-Identifier: Apache-2.0
// The platform contract on fibers: store buffers, sleeping and waking, memory that is never reused
// within an execution, virtual time. See platform.hpp.
#include "engine.hpp"

#include <cstdio>
#include <cstdlib>

namespace heddle::platform {

using explore::engine;
using explore::Fiber;

namespace model {

void point(const char* what, const void* word) {
    if (!engine.current)
        return;
    explore::schedule();
    engine.traced = what;
    engine.traced_word = word;
}

void note(uint64_t bits) {
    if (engine.trace && engine.current)
        printf("%6lu  fiber %zu   %p %s %lx\n", static_cast<unsigned long>(engine.step),
               explore::number(engine.current), engine.traced_word, engine.traced,
               static_cast<unsigned long>(bits));
}

bool forward(const void* word, uint64_t& bits) {
    if (!engine.current)
        return false;
    const auto& stores = engine.current->stores;
    for (auto store = stores.rbegin(); store != stores.rend(); ++store) {
        if (store->word == word) {
            bits = store->bits;
            return true;
        }
    }
    return false;
}

bool buffer(void* word, uint64_t bits, size_t size) {
    if (!engine.current || !engine.buffers)
        return false;
    engine.current->stores.push_back({word, bits, size, engine.step});
    return true;
}

void drain() {
    if (!engine.current)
        return;
    while (!engine.current->stores.empty())
        explore::make_visible(*engine.current);
}

namespace {

template <class T>
void sleep_on(Atomic<T>& word, T expected, uint64_t timeout_ns, bool low_half) {
    point("wait_on", &word);
    drain();
    const T now = word.peek();
    note(now);
    const bool same =
        low_half ? static_cast<uint32_t>(now) == static_cast<uint32_t>(expected) : now == expected;
    if (!same || !engine.current)
        return;
    engine.current->sleeps_on = &word;
    engine.current->may_time_out = timeout_ns != forever;
    engine.current->state = Fiber::State::asleep;
    explore::schedule();
}

void wake_sleepers(const void* word, int count) {
    point("wake", word);
    drain();
    note(static_cast<uint64_t>(count));
    std::vector<Fiber*> sleepers;
    for (size_t i = 0; i < engine.used; ++i) {
        Fiber& fiber = *engine.fibers[i];
        if (fiber.state == Fiber::State::asleep && fiber.sleeps_on == word)
            sleepers.push_back(&fiber);
    }
    while (count-- > 0 && !sleepers.empty()) {
        const uint32_t i = engine.strategy.choose(static_cast<uint32_t>(sleepers.size()));
        sleepers[i]->state = Fiber::State::ready;
        sleepers[i]->passive = false;
        sleepers.erase(sleepers.begin() + i);
    }
}

} // namespace

} // namespace model

void relax() {
    if (!engine.current)
        return;
    engine.current->passive = true;
    engine.strategy.spins(static_cast<uint32_t>(explore::number(engine.current)));
    explore::schedule();
}
void yield() { relax(); }

uint64_t now_ns() { return engine.time += 100; }
void* self() { return engine.current ? engine.current->self : engine.main_self; }
void set_self(void* pointer) {
    (engine.current ? engine.current->self : engine.main_self) = pointer;
}

void wait_on(Atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns) {
    model::sleep_on(word, expected, timeout_ns, false);
}
void wait_on(Atomic<uint64_t>& word, uint64_t expected, uint64_t timeout_ns) {
    model::sleep_on(word, expected, timeout_ns, true);
}
void wake(Atomic<uint32_t>& word, int count) { model::wake_sleepers(&word, count); }
void wake(Atomic<uint64_t>& word, int count) { model::wake_sleepers(&word, count); }

bool spawn(void (*entry)(void*), void* argument, size_t) {
    model::drain(); // making a thread synchronizes
    explore::add_fiber([entry, argument] { entry(argument); });
    return true;
}
StackOfThread stack_of_thread() {
    if (!engine.current)
        return {nullptr, 0};
    return {engine.current->stack.get(), explore::stack_size};
}

// Freed memory keeps its address until the execution ends and holds nonsense, so that a late
// reader finds something that cannot be right and never somebody else's block.
void* allocate(size_t size, size_t alignment) {
    void* block = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    memset(block, 0xaa, size);
    engine.allocated.emplace_back(block, size);
    return block;
}
void deallocate(void* block) {
    for (auto& [known, size] : engine.allocated)
        if (known == block)
            memset(block, 0xdd, size);
}

void on_thread_exit(void (*)(void*)) {}
bool programs_keep_thread_data() { return false; }
bool is_main_thread() { return false; }
bool main_thread_has_ended() { return false; }
void on_fork_child(void (*)()) {}
int thread_id() { return static_cast<int>(explore::number(engine.current)) + 1; }
void warn(const char* text) { printf("warning: %s\n", text); }
void die(const char* text) { explore::fail(text); }

} // namespace heddle::platform
