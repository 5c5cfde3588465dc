// SPDX-License-Identifier: Apache-2.0
// The CPUs of the machine as threads, cores, last-level caches, NUMA domains and sockets.
// Called once by place/places, when places are first asked for; opens files below /sys, keeps
// nothing. What the system does not tell is taken to be simple: a core for each CPU, one socket,
// one cache, one NUMA domain. Source: the kernel's admin-guide/cputopology and ABI/stable/sysfs.
#pragma once

#include "config/places.hpp"

namespace heddle::place {

/// Appends to `places` one place for each `unit`, which is not `listed`, that has CPUs in
/// `available`, with those CPUs; `limit` places at most. Neighbours stand side by side: the threads
/// of a core, the cores of a socket. `root` comes before every path, "" for this machine.
void read_topology(config::PlaceUnit unit, int limit, const config::CpuSet& available,
                   const char* root, config::PlaceList& places);

/// The CPUs that the system has switched on; none when it does not tell.
config::CpuSet online_cpus(const char* root);

/// The numbers of the NUMA nodes that are online; none when the system does not tell.
config::CpuSet online_nodes(const char* root);

/// The CPUs of one node; none when it has but memory.
config::CpuSet cpus_of_node(int node, const char* root);

} // namespace heddle::place
