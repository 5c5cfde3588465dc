// SPDX-License-Identifier: Apache-2.0
// The model of a machine, read from sim/machines/*.json: topology, costs, scheduler of its system.
// Read once by main, constant afterwards; whoever charges a cost asks here.
// CPUs are numbered socket by socket, node by node, cluster by cluster, core by core; the hardware
// threads of a core are neighbours. docs/simulator.md has the schema.
#pragma once

#include "machine/chip_runtime.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle::sim {

/// Virtual time, in picoseconds.
using Time = uint64_t;
inline constexpr Time nanosecond = 1000;

/// A model that cannot be used: one line with file, key and value.
struct ModelError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct CacheCosts {
    double hit_cycles, same_cluster_cycles, same_node_cycles, same_socket_cycles,
        other_socket_cycles, rmw_extra_cycles, memory_local_cycles;
};

/// A machine without caches, such as Cyclops-64.
struct ScratchCosts {
    double scratchpad_cycles, sram_cycles, dram_cycles;
    double atomic_bank_cycles; ///< for which an atomic operation holds its bank
    int banks, signal_bus_bits;
    double signal_bus_cycles = 1; ///< for a read
    int scratchpad_bytes = 0;     ///< of each thread unit
    double self_cycles = 0;       ///< for the address of what is the thread's own
    ChipRuntime runtime = {};
};

struct Machine {
    std::string name, description;
    double clock_ghz = 1;
    int line_bytes = 64;
    int sockets = 1, nodes_per_socket = 1, clusters_per_node = 1, cores_per_cluster = 1,
        threads_per_core = 1;
    std::optional<CacheCosts> cache;
    std::optional<ScratchCosts> scratch;
    double memory_local_ns = 100, memory_remote_ns = 100, gbytes_per_s_per_node = 10,
           gbytes_per_s_between_sockets = 10;
    double slice_us = 4000, switch_ns = 1500, wake_ns = 3000, spawn_us = 15;
    double plain_cycles_per_step = 6, pause_ns = 25;

    int nodes() const { return sockets * nodes_per_socket; }
    int clusters() const { return nodes() * clusters_per_node; }
    int cores() const { return clusters() * cores_per_cluster; }
    int cpus() const { return cores() * threads_per_core; }

    int core_of(int cpu) const { return cpu / threads_per_core; }
    int cluster_of(int cpu) const { return core_of(cpu) / cores_per_cluster; }
    int node_of(int cpu) const { return cluster_of(cpu) / clusters_per_node; }
    int socket_of(int cpu) const { return node_of(cpu) / nodes_per_socket; }

    Time cycles(double count) const { return static_cast<Time>(count * 1000 / clock_ghz + 0.5); }
};

/// Reads the model in `path`. Throws ModelError.
Machine read_machine(const std::string& path);

/// The file of a machine: `name` itself when it has a slash or ends in .json, else
/// sim/machines/<name>.json where this program was built. Throws ModelError when there is none.
std::string file_of_machine(const std::string& name);

/// Names of the machines that come with the simulator, sorted.
std::vector<std::string> machine_names();

} // namespace heddle::sim
