// SPDX-License-Identifier: Apache-2.0
// Reads the nodes' CPU lists, and sorts. Called by one thread for each map; nothing of it is fast,
// for it is done once, and only where there are two nodes or more.
#include "place/domain_map.hpp"

#include "place/topology.hpp"

namespace heddle::place {

namespace {

using config::CpuSet;

template <class T>
T* allocate_array(size_t count) {
    return static_cast<T*>(platform::allocate(sizeof(T) * count, alignof(T)));
}

} // namespace

DomainMap::~DomainMap() {
    platform::deallocate(domains_);
    platform::deallocate(of_cpu_);
}

void DomainMap::read(const CpuSet& available, const char* root) {
    const CpuSet nodes = online_nodes(root);
    if (nodes.count() < 2)
        return;
    // Not on the stack, which may be a small one: any thread may be the first that asks.
    domains_ = allocate_array<Domain>(static_cast<size_t>(nodes.count()));
    if (!domains_)
        return;
    int count = 0;
    CpuSet left = available;
    for (int node = nodes.next(0); node >= 0 && node < most; node = nodes.next(node + 1)) {
        CpuSet cpus = cpus_of_node(node, root);
        cpus.keep(left);
        if (cpus.empty())
            continue; // memory alone, or not for this process
        left.remove(cpus);
        int place = count++;
        const Domain domain{node, cpus.next(0), cpus.count()};
        for (; place > 0 && domains_[place - 1].lowest_cpu > domain.lowest_cpu; --place)
            domains_[place] = domains_[place - 1];
        domains_[place] = domain;
    }
    if (count < 2)
        return;
    of_cpu_ = allocate_array<int16_t>(CpuSet::capacity);
    if (!of_cpu_)
        return;
    count_ = count;
    for (int cpu = 0; cpu < CpuSet::capacity; ++cpu)
        of_cpu_[cpu] = -1;
    for (int domain = 0; domain < count_; ++domain) {
        const CpuSet cpus = cpus_of_node(domains_[domain].node, root);
        for (int cpu = cpus.next(0); cpu >= 0; cpu = cpus.next(cpu + 1))
            if (of_cpu_[cpu] < 0)
                of_cpu_[cpu] = static_cast<int16_t>(domain);
    }
}

int DomainMap::of_cpu(int cpu) const {
    if (cpu < 0 || cpu >= CpuSet::capacity)
        return -1;
    return count_ == 1 ? 0 : of_cpu_[cpu];
}

int DomainMap::of_cpus(const CpuSet& cpus) const {
    const int lowest = cpus.next(0);
    const int domain = of_cpu(lowest);
    if (domain < 0 || count_ == 1)
        return domain;
    for (int cpu = lowest; cpu >= 0; cpu = cpus.next(cpu + 1))
        if (of_cpu_[cpu] != domain)
            return -1;
    return domain;
}

int DomainMap::of_node(int node) const {
    if (count_ == 1)
        return 0;
    for (int domain = 0; domain < count_; ++domain)
        if (domains_[domain].node == node)
            return domain;
    return -1;
}

} // namespace heddle::place
