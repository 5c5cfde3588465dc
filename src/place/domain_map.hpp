// SPDX-License-Identifier: Apache-2.0
// The locality domains of a machine: its NUMA nodes that have CPUs which the process may use, in
// the order of their lowest such CPU.
// Called by place/locality, once, and by tests, which bring a machine of their own; constant
// afterwards. Source: the kernel's ABI/stable/sysfs-devices-node. Paper: adaptive loops, 3.2.
#pragma once

#include "config/cpu_set.hpp"

namespace heddle::place {

class DomainMap {
public:
    static constexpr int most = platform::most_nodes;

    DomainMap() = default;
    ~DomainMap();
    DomainMap(const DomainMap&) = delete;
    DomainMap& operator=(const DomainMap&) = delete;

    /// Finds the domains among `available`; `root` comes before every path, "" for this machine.
    /// One domain where the system tells of less than two, or memory is short. Once for each map.
    void read(const config::CpuSet& available, const char* root);

    int count() const { return count_; }

    // Domains are 0 to count()-1. With a single one nothing more is known: it has all CPUs.

    /// The domain that `cpu` is in; -1 when it is in none, and for what is no CPU.
    int of_cpu(int cpu) const;
    /// The domain that all of `cpus` are in; -1 when they are in several, or none.
    int of_cpus(const config::CpuSet& cpus) const;
    /// How many CPUs of the domain the process may use; 1 with a single domain.
    int cpus_in(int domain) const { return count_ == 1 ? 1 : domains_[domain].cpus; }

    /// The system's number of the domain, and back; -1 for a node that is no domain.
    int node_of(int domain) const { return count_ == 1 ? 0 : domains_[domain].node; }
    int of_node(int node) const;

private:
    struct Domain {
        int node, lowest_cpu, cpus;
    };

    int count_ = 1;
    Domain* domains_ = nullptr;
    int16_t* of_cpu_ = nullptr;
};

} // namespace heddle::place
