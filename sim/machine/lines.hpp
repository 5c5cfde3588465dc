// SPDX-License-Identifier: Apache-2.0
// What an access to shared memory costs: who holds its cache line, how far the line travels, who
// queues for it; on a machine without caches, which bank serves it. One record for each line ever
// touched by an atomic access; caches are taken to be large enough for all of them.
// Called by the engine alone, which runs on one OS thread, in the order of virtual time.
#pragma once

#include "machine/machine.hpp"

#include <cstddef>

namespace heddle::sim {

/// Somebody who waits in a loop for a line to change. Counted by the engine: an old one is stale.
struct Watcher {
    uint32_t fiber, episode;
};

/// Without caches: where a line is.
enum class Home : uint8_t {
    bank,       ///< on-chip memory that all share
    off_chip,   ///< slower
    signal_bus, ///< no memory at all: the bus that joins the units
};

struct Line {
    uint64_t address = 0;    ///< divided by the size of a line
    Time free_at = 0;        ///< when the last of those that queued has it
    int32_t exclusive = -1;  ///< the core whose cache alone has it; -1: several, or none
    bool is_cached = false;  ///< in any cache
    int32_t scratchpad = -1; ///< without caches: the thread unit whose own memory it is in
    Home home = Home::bank;
    uint64_t version = 0; ///< grows with each change
    uint64_t waited = 0;  ///< in all, for others to be done with it
    uint64_t transfers = 0;
    int32_t asked_by = -1; ///< the core that asked for it ahead, to read it, at last
    Time comes_at = 0;     ///< when it gets there
    std::vector<Watcher> watchers;
    std::vector<uint64_t> sharers; ///< a bit for each core, while several have it
};

class Lines {
public:
    explicit Lines(const Machine& machine);

    Line& at(const void* address) {
        const uint64_t number = reinterpret_cast<uintptr_t>(address) >> shift_;
        if (last_->address == number)
            return *last_;
        return find(number);
    }

    /// When an access that begins `now` on a core is over.
    Time load(Line& line, int core, Time now);
    Time change(Line& line, int core, Time now);

    /// A store: the core goes on at once, as long as its store buffer has room. `drained` is when
    /// its earlier stores are done, and becomes when this one is.
    Time store(Line& line, int core, Time now, Time& drained);

    /// A core gets the line in the background, for itself or to read it.
    void prefetch_for_write(Line& line, int core, Time now);
    void prefetch_for_read(Line& line, int core, Time now);

    // Without caches; `core` is then a thread unit, a CPU of the model, here and above.
    /// `address` lies in the memory of its own that a unit has; false: that has no room left, and
    /// it stays where it was.
    bool place_in_scratchpad(const void* address, size_t bytes, int unit);
    void place(const void* address, size_t bytes, Home home);
    /// Bytes of a unit's scratchpad that are taken.
    size_t scratchpad_used(int unit) const { return used_bytes_[static_cast<size_t>(unit)]; }

    /// Those for which others waited longest, `count` at most.
    std::vector<const Line*> most_waited(size_t count) const;

    uint64_t transfers() const { return transfers_; }

private:
    Line& find(uint64_t number);
    void grow();
    Time acquire(Line& line, int core, Time now, Time extra);
    Time bank_access(Line& line, int core, Time now, Time extra);
    bool has(const Line& line, int core) const;
    Time fetch_cost(const Line& line, int core) const;
    Time invalidate_cost(const Line& line, int core) const;
    bool any_sharer(const Line& line, int first, int behind) const;
    bool only_sharers(const Line& line, int first, int behind) const;
    Time between(int a, int b) const;

    const Machine& machine_;
    int shift_;
    size_t words_;
    Time hit_, cluster_, node_, socket_, far_, rmw_, memory_;
    std::vector<Line*> slots_; ///< hashed by address, a power of two
    size_t used_ = 0;
    Line* last_;
    std::vector<Time> banks_; ///< when each is free
    Time bank_, scratchpad_, cycle_, off_chip_, signal_bus_;
    Time held_longer_; ///< by an atomic operation, of its bank
    size_t scratchpad_bytes_ = 0;
    std::vector<size_t> used_bytes_; ///< by unit
    uint64_t transfers_ = 0;
};

} // namespace heddle::sim
