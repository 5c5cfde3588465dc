// SPDX-License-Identifier: Apache-2.0
// Pages of the modelled machine for the platform contract: memory comes from the host, nodes from
// the model. A page lies on a node from the first charge on, or where it was asked for.
#include "platform/contract.hpp"

#include "engine/engine.hpp"
#include "platform/fixed_memory.hpp"

#include <sys/mman.h>

namespace heddle::platform {

using sim::engine;

size_t page_size() { return sim::Pages::page_bytes; }

void* map_pages(size_t size) { return sim::fixed_pages(size); }

void unmap_pages(void* start, size_t size) {
    if (engine.is_on())
        engine.pages().forget(start, size);
    munmap(start, size);
}

void use_small_pages(void*, size_t) {}

bool prefer_node_for(void* start, size_t size, int node) {
    if (!engine.is_on() || node < 0 || node >= engine.machine().nodes())
        return false;
    engine.pages().prefer(start, size, {node});
    return true;
}

bool interleave_on(void* start, size_t size, const uint64_t* nodes) {
    std::vector<int> chosen;
    for (int node = 0; engine.is_on() && node < engine.machine().nodes(); ++node)
        if ((nodes[node / 64] >> (node % 64) & 1) != 0)
            chosen.push_back(node);
    if (chosen.empty())
        return false;
    engine.pages().prefer(start, size, chosen);
    return true;
}

// A policy of the thread: what it touches is its own node's, as if nobody had asked.
bool read_memory_policy(MemoryPolicy&) { return false; }
bool set_memory_policy(const MemoryPolicy&) { return false; }
MemoryPolicy preferring(int) { return {}; }

int node_of_page(const void* address) {
    return engine.is_on() ? engine.pages().node_of(address) : -1;
}

} // namespace heddle::platform
