// SPDX-License-Identifier: Apache-2.0
// A made-up machine: a file tree as the kernel shows it below /sys, gone with the test.
#pragma once

#include "place/topology.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace heddle::place {

using config::CpuSet;
using config::PlaceList;
using config::PlaceUnit;

class Machine {
public:
    Machine() {
        char name[] = "/tmp/heddle-topology-XXXXXX";
        root_ = mkdtemp(name);
    }
    ~Machine() { std::filesystem::remove_all(root_); }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    void file(const std::string& name, const std::string& text) {
        const std::filesystem::path path = root_ + "/sys/devices/system/" + name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text << "\n";
    }
    void cpu(int number, const std::string& name, const std::string& text) {
        file("cpu/cpu" + std::to_string(number) + "/" + name, text);
    }

    /// The places as `{0,1}{2,3}`.
    std::string places(PlaceUnit unit, int limit = PlaceList::longest) const {
        PlaceList list;
        read_topology(unit, limit, available, root_.c_str(), list);
        return shown(list);
    }
    static std::string shown(const PlaceList& list) {
        std::string text;
        for (int i = 0; i < list.count(); ++i) {
            std::string place;
            for (int cpu = list[i].next(0); cpu >= 0; cpu = list[i].next(cpu + 1))
                place += (place.empty() ? "" : ",") + std::to_string(cpu);
            text += "{" + place + "}";
        }
        return text;
    }
    const char* root() const { return root_.c_str(); }

    CpuSet available;

private:
    std::string root_;
};

inline CpuSet set_of(const std::vector<int>& cpus) {
    CpuSet set;
    for (int cpu : cpus)
        set.add(cpu);
    return set;
}

/// Two sockets of four cores of two threads; a core's threads are 8 apart; even cores belong to
/// socket 0, odd ones to socket 1; two cores of a socket share a cache and a NUMA domain.
inline void make_two_sockets(Machine& machine) {
    const auto list = [](const std::vector<int>& cpus) {
        std::string text;
        for (int cpu : cpus)
            text += (text.empty() ? "" : ",") + std::to_string(cpu);
        return text;
    };
    for (int cpu = 0; cpu < 16; ++cpu) {
        const int core = cpu % 8, socket = core % 2, pair = core / 4;
        const int low = socket + 4 * pair;
        machine.available.add(cpu);
        machine.cpu(cpu, "topology/core_cpus_list", list({core, core + 8}));
        machine.cpu(cpu, "topology/package_cpus_list",
                    socket == 0 ? "0,2,4,6,8,10,12,14" : "1,3,5,7,9,11,13,15");
        machine.cpu(cpu, "cache/index0/level", "1");
        machine.cpu(cpu, "cache/index0/shared_cpu_list", list({core, core + 8}));
        machine.cpu(cpu, "cache/index1/level", "3");
        machine.cpu(cpu, "cache/index1/shared_cpu_list", list({low, low + 2, low + 8, low + 10}));
    }
    machine.file("node/online", "0-1,3-4");
    machine.file("node/node0/cpulist", "0,2,8,10");
    machine.file("node/node1/cpulist", "1,3,9,11");
    machine.file("node/node3/cpulist", "4,6,12,14");
    machine.file("node/node4/cpulist", "5,7,13,15");
}

} // namespace heddle::place
