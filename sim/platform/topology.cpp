// SPDX-License-Identifier: Apache-2.0
// place/topology and config/cpu_budget for the modelled machine: what the native sources read below
// /sys and /proc comes from the model. Linked in the place of those two; everything else of the
// runtime is the same. CPUs are numbered so that neighbours stand side by side (machine.hpp).
#include "place/topology.hpp"
#include "config/cpu_budget.hpp"
#include "engine/engine.hpp"

#include <algorithm>

namespace heddle {

namespace place {

namespace {

using config::CpuSet;
using config::PlaceUnit;

int unit_of(const sim::Machine& machine, PlaceUnit unit, int cpu) {
    switch (unit) {
    case PlaceUnit::cores:
        return machine.core_of(cpu);
    case PlaceUnit::ll_caches:
        return machine.cluster_of(cpu);
    case PlaceUnit::numa_domains:
        return machine.node_of(cpu);
    case PlaceUnit::sockets:
        return machine.socket_of(cpu);
    default:
        return cpu;
    }
}

} // namespace

void read_topology(PlaceUnit unit, int limit, const CpuSet& available, const char*,
                   config::PlaceList& places) {
    const sim::Machine& machine = sim::engine.machine();
    for (int cpu = available.next(0); cpu >= 0 && places.count() < limit;) {
        const int number = unit_of(machine, unit, cpu);
        CpuSet place;
        for (; cpu >= 0 && unit_of(machine, unit, cpu) == number; cpu = available.next(cpu + 1))
            place.add(cpu);
        if (!places.add(place))
            return;
    }
}

CpuSet online_cpus(const char*) {
    CpuSet cpus;
    for (int cpu = 0; cpu < sim::engine.machine().cpus(); ++cpu)
        cpus.add(cpu);
    return cpus;
}

CpuSet online_nodes(const char*) {
    CpuSet nodes;
    for (int node = 0; node < sim::engine.machine().nodes(); ++node)
        nodes.add(node);
    return nodes;
}

CpuSet cpus_of_node(int node, const char*) {
    CpuSet cpus;
    for (int cpu = 0; cpu < sim::engine.machine().cpus(); ++cpu)
        if (sim::engine.machine().node_of(cpu) == node)
            cpus.add(cpu);
    return cpus;
}

} // namespace place

namespace config {

int affinity_cpus() { return sim::engine.machine().cpus(); }
int quota_cpus(const char*) { return 0; }
int available_cpus(int affinity, int) { return std::max(affinity, 1); }

} // namespace config

} // namespace heddle
