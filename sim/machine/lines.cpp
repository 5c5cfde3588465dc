// SPDX-License-Identifier: Apache-2.0
// A line is in one core's cache, in several, or in none. Who writes queues for the line and takes
// it from all; who reads it elsewhere queues too and gets a copy, and the supplier is busy for a
// hit's time. So readers hardly disturb each other, and writers pass the line on one by one.
#include "machine/lines.hpp"

#include <algorithm>
#include <bit>

namespace heddle::sim {

namespace {

/// Stores that may be on their way at the same time, as lines: as many as fill buffers of a core.
constexpr Time stores_underway = 10;

size_t slot_of(uint64_t number, size_t slots) {
    return (number * 0x9e3779b97f4a7c15u >> 20) & (slots - 1);
}

} // namespace

Lines::Lines(const Machine& machine)
    : machine_(machine), shift_(std::countr_zero(static_cast<unsigned>(machine.line_bytes))),
      words_((static_cast<size_t>(machine.cores()) + 63) / 64), slots_(4096), last_(new Line) {
    const CacheCosts cache = machine.cache.value_or(CacheCosts{});
    hit_ = machine.cycles(cache.hit_cycles);
    cluster_ = machine.cycles(cache.same_cluster_cycles);
    node_ = machine.cycles(cache.same_node_cycles);
    socket_ = machine.cycles(cache.same_socket_cycles);
    far_ = machine.cycles(cache.other_socket_cycles);
    rmw_ = machine.cycles(cache.rmw_extra_cycles);
    memory_ = machine.cycles(cache.memory_local_cycles);
    const ScratchCosts scratch = machine.scratch.value_or(ScratchCosts{1, 1, 1, 1, 1, 0});
    banks_.resize(static_cast<size_t>(scratch.banks));
    bank_ = machine.cycles(scratch.sram_cycles);
    scratchpad_ = machine.cycles(scratch.scratchpad_cycles);
    cycle_ = machine.cycles(1);
    held_longer_ = machine.cycles(scratch.atomic_bank_cycles - 1);
    off_chip_ = machine.cycles(scratch.dram_cycles);
    signal_bus_ = machine.cycles(scratch.signal_bus_cycles);
    scratchpad_bytes_ = static_cast<size_t>(scratch.scratchpad_bytes);
    used_bytes_.resize(static_cast<size_t>(machine.cpus()));
    last_->address = ~uint64_t{0};
}

Line& Lines::find(uint64_t number) {
    size_t i = slot_of(number, slots_.size());
    for (; slots_[i]; i = (i + 1) & (slots_.size() - 1))
        if (slots_[i]->address == number)
            return *(last_ = slots_[i]);
    auto* line = new Line; // for as long as the program runs
    line->address = number;
    slots_[i] = last_ = line;
    if (++used_ * 2 > slots_.size())
        grow();
    return *line;
}

void Lines::grow() {
    std::vector<Line*> old(slots_.size() * 2);
    old.swap(slots_);
    for (Line* line : old) {
        if (!line)
            continue;
        size_t i = slot_of(line->address, slots_.size());
        while (slots_[i])
            i = (i + 1) & (slots_.size() - 1);
        slots_[i] = line;
    }
}

bool Lines::any_sharer(const Line& line, int first, int behind) const {
    for (int core = first; core < behind;) {
        const int bit = core % 64, count = std::min(64 - bit, behind - core);
        const uint64_t mask = (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << bit;
        if ((line.sharers[static_cast<size_t>(core / 64)] & mask) != 0)
            return true;
        core += count;
    }
    return false;
}

bool Lines::only_sharers(const Line& line, int first, int behind) const {
    return !any_sharer(line, 0, first) && !any_sharer(line, behind, machine_.cores());
}

/// What a line takes from core to core.
Time Lines::between(int a, int b) const {
    if (a == b)
        return hit_;
    int unit_a = a / machine_.cores_per_cluster, unit_b = b / machine_.cores_per_cluster;
    if (unit_a == unit_b)
        return cluster_;
    unit_a /= machine_.clusters_per_node;
    unit_b /= machine_.clusters_per_node;
    if (unit_a == unit_b)
        return node_;
    return unit_a / machine_.nodes_per_socket == unit_b / machine_.nodes_per_socket ? socket_
                                                                                    : far_;
}

/// From the nearest that has it.
Time Lines::fetch_cost(const Line& line, int core) const {
    if (!line.is_cached)
        return memory_;
    if (line.exclusive >= 0)
        return between(line.exclusive, core);
    int size = machine_.cores_per_cluster;
    if (any_sharer(line, core / size * size, core / size * size + size))
        return cluster_;
    size *= machine_.clusters_per_node;
    if (any_sharer(line, core / size * size, core / size * size + size))
        return node_;
    size *= machine_.nodes_per_socket;
    if (any_sharer(line, core / size * size, core / size * size + size))
        return socket_;
    return far_;
}

/// From all that have it: as long as from the farthest.
Time Lines::invalidate_cost(const Line& line, int core) const {
    if (!line.is_cached)
        return memory_;
    if (line.exclusive >= 0)
        return between(line.exclusive, core);
    int size = machine_.cores_per_cluster;
    if (only_sharers(line, core / size * size, core / size * size + size))
        return cluster_;
    size *= machine_.clusters_per_node;
    if (only_sharers(line, core / size * size, core / size * size + size))
        return node_;
    size *= machine_.nodes_per_socket;
    if (only_sharers(line, core / size * size, core / size * size + size))
        return socket_;
    return far_;
}

Time Lines::bank_access(Line& line, int core, Time now, Time extra) {
    if (line.scratchpad == core)
        return now + scratchpad_ + extra;
    if (line.home == Home::signal_bus)
        return now + signal_bus_;
    // A scratchpad is a part of its unit's bank.
    const uint64_t bank =
        line.scratchpad >= 0 ? static_cast<uint64_t>(line.scratchpad) : line.address;
    Time& free_at = banks_[bank % banks_.size()];
    const Time start = std::max(now, free_at);
    line.waited += start - now;
    ++line.transfers;
    ++transfers_;
    free_at = start + cycle_ + extra; // a bank takes a load or store each cycle
    return start + (line.home == Home::off_chip ? off_chip_ : bank_) + extra;
}

bool Lines::has(const Line& line, int core) const {
    const auto word = static_cast<size_t>(core / 64);
    return line.exclusive == core ||
           (line.exclusive < 0 && line.is_cached && (line.sharers[word] >> (core % 64) & 1) != 0);
}

Time Lines::load(Line& line, int core, Time now) {
    if (machine_.scratch)
        return line.exclusive == core ? now + hit_ : bank_access(line, core, now, 0);
    if (has(line, core))
        return std::max(now, line.asked_by == core ? line.comes_at : 0) + hit_;
    const auto word = static_cast<size_t>(core / 64);
    const uint64_t bit = uint64_t{1} << (core % 64);
    const Time start = std::max(now, line.free_at);
    const Time end = start + fetch_cost(line, core);
    line.waited += start - now;
    ++line.transfers;
    ++transfers_;
    line.free_at = start + hit_;
    if (!line.is_cached) {
        line.is_cached = true;
        line.exclusive = core;
        return end;
    }
    if (line.exclusive >= 0) {
        line.sharers.assign(words_, 0);
        line.sharers[static_cast<size_t>(line.exclusive / 64)] |= uint64_t{1}
                                                                  << (line.exclusive % 64);
        line.exclusive = -1;
    }
    line.sharers[word] |= bit;
    return end;
}

/// The line for one core alone.
Time Lines::acquire(Line& line, int core, Time now, Time extra) {
    const Time start = std::max(now, line.free_at);
    if (line.exclusive == core)
        return line.free_at = start + hit_ + extra;
    const Time end = start + invalidate_cost(line, core) + extra;
    line.waited += start - now;
    ++line.transfers;
    ++transfers_;
    line.free_at = end;
    line.exclusive = core;
    line.is_cached = true;
    return end;
}

Time Lines::change(Line& line, int core, Time now) {
    return machine_.scratch ? bank_access(line, core, now, held_longer_)
                            : acquire(line, core, now, rmw_);
}

Time Lines::store(Line& line, int core, Time now, Time& drained) {
    if (machine_.scratch) {
        drained = std::max(drained, bank_access(line, core, now, 0));
        return now + cycle_;
    }
    if (line.exclusive == core && line.free_at <= now)
        return now + hit_;
    drained = acquire(line, core, std::max(now, drained), 0);
    const Time most = stores_underway * far_;
    return drained > now + most ? drained - most : now + hit_;
}

void Lines::prefetch_for_write(Line& line, int core, Time now) {
    if (!machine_.scratch && line.exclusive != core)
        acquire(line, core, now, 0);
}

void Lines::prefetch_for_read(Line& line, int core, Time now) {
    if (machine_.scratch || has(line, core))
        return;
    line.comes_at = load(line, core, now);
    line.asked_by = core;
}

bool Lines::place_in_scratchpad(const void* address, size_t bytes, int unit) {
    const auto start = reinterpret_cast<uintptr_t>(address);
    const uintptr_t first = start >> shift_, behind = ((start + bytes - 1) >> shift_) + 1;
    size_t& used = used_bytes_[static_cast<size_t>(unit)];
    const size_t more = (behind - first) << shift_;
    if (used + more > scratchpad_bytes_)
        return false;
    used += more;
    for (uintptr_t line = first; line < behind; ++line)
        find(line).scratchpad = unit;
    return true;
}

void Lines::place(const void* address, size_t bytes, Home home) {
    const auto start = reinterpret_cast<uintptr_t>(address);
    for (uintptr_t line = start >> shift_; line <= (start + bytes - 1) >> shift_; ++line)
        find(line).home = home;
}

std::vector<const Line*> Lines::most_waited(size_t count) const {
    std::vector<const Line*> lines;
    for (const Line* line : slots_)
        if (line && line->waited > 0)
            lines.push_back(line);
    std::sort(lines.begin(), lines.end(), [](const Line* a, const Line* b) {
        return a->waited != b->waited ? a->waited > b->waited : a->address < b->address;
    });
    if (lines.size() > count)
        lines.resize(count);
    return lines;
}

} // namespace heddle::sim
