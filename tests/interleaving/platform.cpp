// SPDX-License-Identifier: Apache-2.0
// The platform contract on fibers: both kinds of memory, sleeping and waking, memory that is never
// reused within an execution, virtual time. See platform.hpp.
#include "engine.hpp"

#include <cstdio>
#include <cstdlib>

namespace heddle::platform {

using explore::engine;
using explore::Fiber;
using explore::Operation;

namespace model {

void point(const char* what, const void* word) {
    if (!engine.current)
        return;
    explore::schedule();
    engine.traced = what;
    engine.traced_word = word;
}

namespace {

/// For the trace: the value that the operation read or wrote.
void note(uint64_t bits) {
    if (engine.trace && engine.current)
        printf("%6lu  fiber %zu   %p %s %lx\n", static_cast<unsigned long>(engine.step),
               explore::number(engine.current), engine.traced_word, engine.traced,
               static_cast<unsigned long>(bits));
}

uint64_t read(const void* word, size_t size) {
    uint64_t bits = 0;
    memcpy(&bits, word, size);
    return bits;
}

/// Makes the calling fiber's buffered stores visible.
void drain() {
    if (!engine.current || engine.current->stores.empty())
        return;
    while (!engine.current->stores.empty())
        explore::make_visible(*engine.current);
    explore::has_acted();
}

/// What the calling fiber sees in `word`: its newest buffered store, else memory. One of a part of
/// the word has to leave the buffer first.
uint64_t read_through_buffer(const void* word, size_t size) {
    const auto& stores = engine.current->stores;
    for (auto store = stores.rbegin(); store != stores.rend(); ++store)
        if (store->word == word && store->size == size)
            return store->bits;
        else if (store->word == word)
            break;
    for (const explore::BufferedStore& store : stores)
        if (store.word == word) {
            drain();
            break;
        }
    return read(word, size);
}

bool uses_views() { return engine.current && engine.memory == explore::Memory::views; }

} // namespace

uint64_t load(const void* word, size_t size, Order order, const Site& site) {
    point("load", word);
    order = engine.orders.at(site, Operation::load, order);
    const uint64_t bits = uses_views()     ? engine.views.load(word, size, order)
                          : engine.current ? read_through_buffer(word, size)
                                           : read(word, size);
    note(bits);
    return bits;
}

void store(void* word, size_t size, uint64_t bits, Order order, const Site& site) {
    point(order == seq_cst ? "store seq_cst" : "store", word);
    order = engine.orders.at(site, Operation::store, order);
    note(bits);
    explore::has_acted();
    if (uses_views())
        return engine.views.store(word, size, bits, order);
    if (order != seq_cst && engine.current && engine.memory == explore::Memory::buffers) {
        engine.current->stores.push_back({word, bits, size, engine.step});
        return;
    }
    drain();
    memcpy(word, &bits, size);
}

uint64_t load_low(const void* word, size_t size, size_t low_size, Order order, const Site& site) {
    return load(word, uses_views() ? size : low_size, order, site);
}

void store_low(void* word, size_t size, uint64_t bits, size_t low_size, Order order,
               const Site& site) {
    if (!uses_views())
        return store(word, low_size, bits, order, site);
    // The low bytes join what the others are by then: stored in their newest state.
    point("store low bytes", word);
    order = engine.orders.at(site, Operation::store, order);
    const uint64_t before = engine.views.begin_update(word, size, order);
    note(bits);
    explore::has_acted();
    const uint64_t others = ~uint64_t{0} << low_size * 8;
    engine.views.end_update(word, size, (before & others) | bits, order);
}

uint64_t begin_update(const char* what, void* word, size_t size, Order order, const Site& site) {
    point(what, word);
    engine.update_order = engine.orders.at(site, Operation::update, order);
    drain();
    const uint64_t bits = uses_views() ? engine.views.begin_update(word, size, engine.update_order)
                                       : read(word, size);
    note(bits);
    return bits;
}

void end_update(void* word, size_t size, uint64_t bits) {
    explore::has_acted();
    if (uses_views())
        engine.views.end_update(word, size, bits, engine.update_order);
    else
        memcpy(word, &bits, size);
}

bool compare_exchange(void* word, size_t size, uint64_t& expected, uint64_t desired, Order success,
                      Order failure, const Site& site) {
    point("compare_exchange", word);
    success = engine.orders.at(site, Operation::compare_exchange, success);
    failure = engine.orders.at(site, Operation::failure, failure);
    drain();
    const uint64_t before = expected;
    bool exchanged;
    if (uses_views()) {
        exchanged = engine.views.compare_exchange(word, size, expected, desired, success, failure);
    } else {
        expected = read(word, size);
        exchanged = expected == before;
        if (exchanged)
            memcpy(word, &desired, size);
    }
    note(exchanged ? before : expected);
    if (exchanged)
        explore::has_acted();
    return exchanged;
}

void fence(const Site& site) {
    point("fence", nullptr);
    if (engine.orders.at(site, Operation::fence, seq_cst) != seq_cst)
        return;
    drain();
    if (uses_views())
        engine.views.fence();
}

void construct(const void* word) {
    if (uses_views())
        engine.views.construct(word);
}

namespace {

template <class T>
bool sleep_on(Atomic<T>& word, T expected, uint64_t timeout_ns, bool low_half) {
    point("wait_on", &word);
    drain();
    const T now = word.peek();
    note(now);
    const bool same =
        low_half ? static_cast<uint32_t>(now) == static_cast<uint32_t>(expected) : now == expected;
    if (!same || !engine.current)
        return same;
    engine.current->sleeps_on = &word;
    engine.current->may_time_out = timeout_ns != forever;
    engine.current->state = Fiber::State::asleep;
    explore::has_acted();
    explore::schedule();
    return true;
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
    engine.current->passive = engine.current->polls = true;
    engine.strategy.spins(static_cast<uint32_t>(explore::number(engine.current)));
    explore::schedule();
}
void yield() { relax(); }

bool fence_all_threads() {
    if (!engine.current)
        return true;
    // The caller passes one first, then each at a time of its own, before the call returns.
    model::point("fence of all", nullptr);
    model::drain();
    for (size_t i = 0; i < engine.used; ++i) {
        model::point("fence of one of all", nullptr);
        while (!engine.fibers[i]->stores.empty())
            explore::make_visible(*engine.fibers[i]);
        if (engine.memory == explore::Memory::views && engine.fibers[i].get() != engine.current)
            engine.views.fence_for(*engine.fibers[i]);
    }
    model::drain();
    return true;
}

uint64_t now_ns() { return engine.time += 100; }
void* self() { return engine.current ? engine.current->self : engine.main_self; }
void set_self(void* pointer) {
    (engine.current ? engine.current->self : engine.main_self) = pointer;
}

bool wait_on(Atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns) {
    return model::sleep_on(word, expected, timeout_ns, false);
}
bool wait_on(Atomic<uint64_t>& word, uint64_t expected, uint64_t timeout_ns) {
    return model::sleep_on(word, expected, timeout_ns, true);
}
void wake(Atomic<uint32_t>& word, int count) { model::wake_sleepers(&word, count); }
void wake(Atomic<uint64_t>& word, int count) { model::wake_sleepers(&word, count); }

bool spawn(Thread& thread, size_t) {
    model::drain(); // making a thread synchronizes
    const explore::Fiber& fiber = explore::add_fiber([&thread] { thread.entry(thread.argument); });
    thread.stack = {fiber.stack.get(), explore::stack_size};
    return true;
}
StackOfThread stack_of_thread() {
    if (!engine.current)
        return {nullptr, 0};
    return {engine.current->stack.get(), explore::stack_size};
}

std::atomic<GetGlobals> exception_globals{nullptr};
LibraryPlace library_place() { return {calling_thread(), &engine.current->error, nullptr}; }
bool may_switch_stacks() { return true; }
SideStack map_stack(size_t) {
    if (engine.used_stacks == engine.side_stacks.size())
        engine.side_stacks.push_back(std::make_unique<char[]>(explore::stack_size));
    char* low = engine.side_stacks[engine.used_stacks++].get();
    engine.races.forget(low, explore::stack_size);
    return {low, explore::stack_size / 16 * 16, nullptr};
}
void unmap_stack(const SideStack&) {}

// Freed memory keeps its address until the execution ends and holds nonsense, so that a late
// reader finds something that cannot be right and never somebody else's block.
void* allocate(size_t size, size_t alignment) {
    void* block = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    memset(block, 0xaa, size);
    engine.races.access(block, size, explore::Access::write, __builtin_return_address(0));
    engine.allocated.emplace_back(block, size);
    return block;
}
void deallocate(void* block) {
    for (auto& [known, size] : engine.allocated)
        if (known == block) {
            engine.races.access(block, size, explore::Access::write, __builtin_return_address(0));
            memset(block, 0xdd, size);
        }
}

void on_thread_exit(void (*)(void*)) {}
bool programs_keep_thread_data() { return false; }
bool calls_are_tied = false;
bool is_main_thread() { return false; }
bool main_thread_has_ended() { return false; }
void on_fork_child(void (*)()) {}
int thread_id() { return static_cast<int>(explore::number(engine.current)) + 1; }
void warn(const char* text) { printf("warning: %s\n", text); }
void die(const char* text) { explore::fail(text); }

} // namespace heddle::platform
