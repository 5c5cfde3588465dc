// SPDX-License-Identifier: Apache-2.0
// Passes charges on to the engine. See charge.hpp.
#include "engine/charge.hpp"

#include "engine/engine.hpp"

#include <algorithm>

namespace heddle::sim {

void charge_load(const void* word) { engine.load(word); }
void charge_store(void* word, bool waits) { engine.store(word, waits); }
void charge_change(void* word) { engine.change(word); }

void charge_fence() { engine.fence(); }

void charge_prefetch_for_write(const void* word) {
    if (!engine.is_on())
        return;
    Fiber& fiber = engine.current();
    engine.lines().prefetch_for_write(engine.lines().at(word), fiber.core, fiber.clock);
}

void charge_prefetch_for_read(const void* word) {
    if (!engine.is_on())
        return;
    Fiber& fiber = engine.current();
    engine.lines().prefetch_for_read(engine.lines().at(word), fiber.core, fiber.clock);
}

void charge_pause() { engine.relax(); }

void charge_cycles(uint64_t cycles) {
    if (!engine.is_on())
        return;
    engine.work(engine.machine().cycles(static_cast<double>(cycles)));
    engine.point();
}

void charge_memory(const void* start, size_t bytes) {
    if (!engine.is_on())
        return;
    const auto* at = static_cast<const char*>(start);
    while (bytes > 0) {
        Fiber& fiber = engine.current();
        const size_t in_page =
            Pages::page_bytes - reinterpret_cast<uintptr_t>(at) % Pages::page_bytes;
        const size_t part = std::min(bytes, in_page);
        engine.point();
        const Time end =
            engine.pages().move(at, part, engine.machine().node_of(fiber.cpu), fiber.clock);
        engine.charge(end - fiber.clock);
        at += part;
        bytes -= part;
    }
    engine.point();
}

uint64_t virtual_ns() { return engine.now() / nanosecond; }

} // namespace heddle::sim
