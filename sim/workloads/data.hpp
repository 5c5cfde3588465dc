// SPDX-License-Identifier: Apache-2.0
// Data of a workload: addresses whose use is charged to the memory of the modelled machine. What
// lies there is never looked at. Allocated on the initial thread, charged by any.
#pragma once

#include "engine/engine.hpp"
#include "heddle.h"
#include "platform.hpp"
#include "workloads/workload.hpp"

namespace heddle::sim {

/// Bytes used, and those of them on another node than the core's.
struct Traffic {
    uint64_t all = 0, remote = 0;

    double remote_share() const {
        return all == 0 ? 0.0 : static_cast<double>(remote) / static_cast<double>(all);
    }
};

enum class Placement { touch, primary, block, interleave };

inline Placement choose_placement(Parameters& parameters, const char* name) {
    const std::string value = parameters.choice(name, {"touch", "primary", "block", "interleave"});
    return value == "touch"     ? Placement::touch
           : value == "primary" ? Placement::primary
           : value == "block"   ? Placement::block
                                : Placement::interleave;
}

/// An array in pages that belong to nodes: of who touches them first, of all in contiguous parts,
/// or page by page in turn. Needs a region whose threads are bound for the second.
class Array {
public:
    Array(size_t bytes, Placement placement) {
        if (placement == Placement::block)
            start_ = static_cast<char*>(omp_locality_domain_allocate_bloc1d(bytes));
        else if (placement == Placement::interleave)
            start_ = static_cast<char*>(
                omp_locality_domain_allocate_bloc1dcyclic(bytes, Pages::page_bytes));
        else
            start_ = static_cast<char*>(platform::map_pages(bytes));
    }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    char* at(size_t byte) const { return start_ + byte; }

    /// The current thread uses these bytes.
    void use(size_t first, size_t bytes, Traffic& traffic) const {
        for (size_t end = first + bytes; first < end;) {
            const size_t rest = Pages::page_bytes - first % Pages::page_bytes;
            const size_t now = rest < end - first ? rest : end - first;
            charge_memory(at(first), now);
            const int node = engine.pages().node_of(at(first));
            traffic.all += now;
            if (node != engine.machine().node_of(engine.current().cpu))
                traffic.remote += now;
            first += now;
        }
    }

private:
    char* start_;
};

} // namespace heddle::sim
