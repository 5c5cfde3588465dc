// SPDX-License-Identifier: Apache-2.0
// Scratchpads, self-identification and signals of a chip without caches, as far as the model's
// layout of the runtime uses them. Called by the runtime's layers through platform::own.
#include "platform/contract.hpp"

#include "engine/engine.hpp"

namespace heddle::platform::own {

using sim::ChipRuntime;
using sim::engine;

namespace {

const ChipRuntime* runtime() {
    return engine.is_on() && engine.machine().scratch ? &engine.machine().scratch->runtime
                                                      : nullptr;
}

bool has_scratchpads() {
    const ChipRuntime* layout = runtime();
    return layout && layout->descriptors == ChipRuntime::Descriptors::scratchpad;
}

/// Who waits for a word. A word has one such thread for as long as that lives.
struct Awaited {
    std::unordered_map<const void*, sim::Fiber*> by;
};

} // namespace

bool has_memory_atomics() { return runtime() != nullptr; }

bool is_central() {
    const ChipRuntime* layout = runtime();
    return layout && layout->barrier == ChipRuntime::Barrier::central;
}

bool elects_first() {
    const ChipRuntime* layout = runtime();
    return layout && layout->barrier == ChipRuntime::Barrier::signal_bus;
}

void keep_near(const void* address, size_t bytes) {
    if (has_scratchpads())
        engine.lines().place_in_scratchpad(address, bytes, engine.current().core);
}

void charge_self() {
    const ChipRuntime* layout = runtime();
    if (!layout)
        return;
    const sim::ScratchCosts& costs = *engine.machine().scratch;
    double cycles = costs.self_cycles;
    if (layout->descriptors == ChipRuntime::Descriptors::scratchpad)
        cycles += costs.scratchpad_cycles;
    else
        cycles += costs.sram_cycles;
    if (layout->descriptors == ChipRuntime::Descriptors::hashed)
        cycles += costs.sram_cycles; // the table
    engine.charge(engine.machine().cycles(cycles));
}

bool has_signals() { return has_scratchpads(); }

void await_signal(Atomic<uint32_t>& word, uint32_t seen) {
    sim::of_this_run<Awaited>().by[&word] = &engine.current();
    while (word.load(acquire) == seen) // in the thread's own scratchpad; pairs with signal()
        engine.await_signal();
}

void signal(Atomic<uint32_t>& word, uint32_t value) {
    word.store(value, release); // the signal comes after it, on the same way
    const auto& by = sim::of_this_run<Awaited>().by;
    const auto waiting = by.find(&word);
    if (waiting != by.end()) // or it has yet to look for the first time
        engine.signal(*waiting->second);
}

} // namespace heddle::platform::own
