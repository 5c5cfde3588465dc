// SPDX-License-Identifier: Apache-2.0
// A core has ten lines underway at a time, as many as a core of these years has fill buffers, so it
// alone does not fill a node's bandwidth; all that a node serves queues there. What leaves a socket
// queues for its links as well, which are one here: which way a line takes is not modelled.
#include "machine/pages.hpp"

#include <algorithm>

namespace heddle::sim {

namespace {

constexpr double lines_underway = 10; // assumed for all machines

uint64_t page_of(const void* address) {
    return reinterpret_cast<uintptr_t>(address) / Pages::page_bytes;
}

} // namespace

Pages::Pages(const Machine& machine)
    : machine_(machine), free_at_(static_cast<size_t>(machine.nodes())),
      link_free_at_(static_cast<size_t>(machine.sockets)) {}

void Pages::prefer(const void* start, size_t bytes, std::vector<int> nodes) {
    const uint64_t first = page_of(start);
    preferences_[first] = {first + (bytes + page_bytes - 1) / page_bytes, std::move(nodes)};
}

void Pages::forget(const void* start, size_t bytes) {
    const uint64_t first = page_of(start), behind = first + (bytes + page_bytes - 1) / page_bytes;
    preferences_.erase(preferences_.lower_bound(first), preferences_.lower_bound(behind));
    for (uint64_t page = first; page < behind && !touched_.empty(); ++page)
        if (Block* block = find(page))
            (*block)[page % block_pages] = -1;
}

/// nullptr when none of its pages was touched.
Pages::Block* Pages::find(uint64_t page) const {
    const uint64_t number = page / block_pages;
    if (number == last_)
        return last_block_;
    const auto found = touched_.find(number);
    if (found == touched_.end())
        return nullptr;
    last_ = number;
    return last_block_ = found->second.get();
}

int Pages::node_of(const void* address) const {
    const uint64_t page = page_of(address);
    const Block* block = find(page);
    return block ? (*block)[page % block_pages] : -1;
}

int Pages::touch(uint64_t page, int node) {
    Block* block = find(page);
    if (!block) {
        block = new Block;
        block->fill(-1);
        touched_.emplace(page / block_pages, block);
    }
    int16_t& place = (*block)[page % block_pages];
    if (place >= 0)
        return place;
    place = static_cast<int16_t>(node);
    auto preference = preferences_.upper_bound(page);
    if (preference != preferences_.begin() && page < (--preference)->second.behind) {
        const std::vector<int>& nodes = preference->second.nodes;
        place = static_cast<int16_t>(nodes[page % nodes.size()]);
    }
    return place;
}

Time Pages::move(const void* address, size_t bytes, int node, Time now) {
    const int home = touch(page_of(address), node);
    const double latency_ns = home == node ? machine_.memory_local_ns : machine_.memory_remote_ns;
    const double lines = static_cast<double>(bytes) / machine_.line_bytes;
    const auto core_takes =
        static_cast<Time>(latency_ns * nanosecond * std::max(1.0, lines / lines_underway));
    const auto takes = [bytes](double gbytes_per_s) {
        return static_cast<Time>(static_cast<double>(bytes) * nanosecond / gbytes_per_s);
    };
    Time& free_at = free_at_[static_cast<size_t>(home)];
    free_at = std::max(now, free_at) + takes(machine_.gbytes_per_s_per_node);
    Time end = std::max(now + core_takes, free_at);
    const int socket = home / machine_.nodes_per_socket;
    if (socket != node / machine_.nodes_per_socket) {
        Time& link_free_at = link_free_at_[static_cast<size_t>(socket)];
        link_free_at = std::max(now, link_free_at) + takes(machine_.gbytes_per_s_between_sockets);
        end = std::max(end, link_free_at);
    }
    return end;
}

} // namespace heddle::sim
