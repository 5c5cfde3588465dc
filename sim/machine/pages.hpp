// SPDX-License-Identifier: Apache-2.0
// Pages of the modelled machine: which node each lies on, and what reading or writing a range costs
// by latency and by the bandwidth that all share at a node. Called by the engine's platform and by
// workloads that charge their own data. A page belongs to the node of the core that touches it
// first, unless it was asked for elsewhere.
#pragma once

#include "machine/machine.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <unordered_map>

namespace heddle::sim {

class Pages {
public:
    static constexpr size_t page_bytes = 4096;

    explicit Pages(const Machine& machine);

    /// Pages there that are touched from now on come from these nodes in turn, by page number.
    void prefer(const void* start, size_t bytes, std::vector<int> nodes);
    void forget(const void* start, size_t bytes);

    /// -1 when nobody has touched the page.
    int node_of(const void* address) const;

    /// When a core of `node` that begins `now` has moved these bytes; at most a page of them.
    Time move(const void* address, size_t bytes, int node, Time now);

private:
    static constexpr size_t block_pages = 512;
    /// The nodes of neighbouring pages; -1 where nobody has touched one.
    using Block = std::array<int16_t, block_pages>;

    Block* find(uint64_t page) const;
    int touch(uint64_t page, int node);

    struct Preference {
        uint64_t behind; ///< the last page
        std::vector<int> nodes;
    };
    const Machine& machine_;
    std::unordered_map<uint64_t, std::unique_ptr<Block>> touched_; ///< by the block's number
    mutable uint64_t last_ = ~uint64_t{0}; ///< the block that was found last, which is the next's
    mutable Block* last_block_ = nullptr;
    std::map<uint64_t, Preference> preferences_; ///< by first page
    std::vector<Time> free_at_;                  ///< each node's memory
    std::vector<Time> link_free_at_;             ///< what each socket sends to others
};

} // namespace heddle::sim
