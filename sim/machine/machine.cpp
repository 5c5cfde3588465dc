// SPDX-License-Identifier: Apache-2.0
// Reads a model with nlohmann-json and refuses what is unknown, missing or impossible.
// Called by main, once. Bounds are what the engine can hold (CPUs) or what no machine exceeds.
#include "machine/machine.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <nlohmann/json.hpp>

namespace heddle::sim {

namespace {

using nlohmann::json;

constexpr int most_cpus = 4096;

/// One object of the file; says which of its keys nobody has asked for.
class Section {
public:
    Section(const json& object, std::string file, std::string prefix)
        : object_(object), file_(std::move(file)), prefix_(std::move(prefix)) {
        if (!object.is_object())
            refuse("", object, "an object is needed here");
    }

    double number(const char* key, double least, double most) {
        const json& value = at(key);
        if (!value.is_number())
            refuse(key, value, "not a number");
        const auto number = value.get<double>();
        if (!(number >= least && number <= most))
            refuse(key, value, "must be " + text(least) + " to " + text(most));
        return number;
    }

    int integer(const char* key, int least, int most) {
        const json& value = at(key);
        if (!value.is_number_integer())
            refuse(key, value, "not an integer");
        return static_cast<int>(number(key, least, most));
    }

    std::string string(const char* key) {
        const json& value = at(key);
        if (!value.is_string())
            refuse(key, value, "not a text");
        return value.get<std::string>();
    }

    const json& at(const char* key) {
        asked_.insert(key);
        const auto found = object_.find(key);
        if (found == object_.end())
            throw ModelError(file_ + ": " + prefix_ + key + ": missing");
        return *found;
    }

    /// The object under `key`, or nothing where it is null.
    std::optional<Section> section(const char* key) {
        const json& value = at(key);
        if (value.is_null())
            return std::nullopt;
        return Section(value, file_, prefix_ + key + ".");
    }

    /// No other keys than those asked for.
    void end() const {
        for (const auto& [key, value] : object_.items())
            if (asked_.count(key) == 0)
                refuse(key, value, "unknown key");
    }

    [[noreturn]] void refuse(const std::string& key, const json& value,
                             const std::string& why) const {
        throw ModelError(file_ + ": " + prefix_ + key + ": " + value.dump() + ": " + why);
    }

private:
    static std::string text(double number) { return json(number).dump(); }

    const json& object_;
    std::string file_, prefix_;
    std::set<std::string> asked_;
};

CacheCosts read_cache(Section section) {
    constexpr double most = 100000;
    CacheCosts costs{};
    costs.hit_cycles = section.number("hit_cycles", 1, most);
    costs.same_cluster_cycles = section.number("same_cluster_cycles", 1, most);
    costs.same_node_cycles = section.number("same_node_cycles", 1, most);
    costs.same_socket_cycles = section.number("same_socket_cycles", 1, most);
    costs.other_socket_cycles = section.number("other_socket_cycles", 1, most);
    costs.rmw_extra_cycles = section.number("rmw_extra_cycles", 0, most);
    costs.memory_local_cycles = section.number("memory_local_cycles", 1, most);
    section.end();
    return costs;
}

ScratchCosts read_scratch(Section section) {
    constexpr double most = 100000;
    ScratchCosts costs{};
    costs.scratchpad_cycles = section.number("scratchpad_cycles", 1, most);
    costs.sram_cycles = section.number("sram_cycles", 1, most);
    costs.dram_cycles = section.number("dram_cycles", 1, most);
    costs.atomic_bank_cycles = section.number("atomic_bank_cycles", 1, most);
    costs.banks = section.integer("banks", 1, 65536);
    costs.signal_bus_bits = section.integer("signal_bus_bits", 0, 16);
    costs.signal_bus_cycles = section.number("signal_bus_cycles", 1, most);
    costs.scratchpad_bytes = section.integer("scratchpad_bytes", 0, 1 << 20);
    costs.self_cycles = section.number("self_cycles", 1, most);
    const std::string runtime = section.string("runtime");
    if (!costs.runtime.set(runtime))
        section.refuse("runtime", runtime, "names a layout that is not known");
    section.end();
    return costs;
}

void read_topology(Section& top, Machine& machine) {
    machine.sockets = top.integer("sockets", 1, 64);
    machine.nodes_per_socket = top.integer("nodes_per_socket", 1, 64);
    machine.clusters_per_node = top.integer("clusters_per_node", 1, 256);
    machine.cores_per_cluster = top.integer("cores_per_cluster", 1, 1024);
    machine.threads_per_core = top.integer("threads_per_core", 1, 8);
    const int64_t cpus = int64_t{machine.sockets} * machine.nodes_per_socket *
                         machine.clusters_per_node * machine.cores_per_cluster *
                         machine.threads_per_core;
    if (cpus > most_cpus)
        top.refuse("sockets", machine.sockets,
                   "makes " + std::to_string(cpus) + " CPUs, more than " +
                       std::to_string(most_cpus));
}

Machine read(const json& model, const std::string& file) {
    Machine machine;
    Section top(model, file, "");
    machine.name = top.string("name");
    machine.description = top.string("description");
    machine.clock_ghz = top.number("clock_ghz", 0.01, 20);
    machine.line_bytes = top.integer("line_bytes", 8, 1024);
    if ((machine.line_bytes & (machine.line_bytes - 1)) != 0)
        top.refuse("line_bytes", machine.line_bytes, "not a power of two");
    read_topology(top, machine);
    if (auto cache = top.section("cache"))
        machine.cache = read_cache(*cache);
    if (auto scratch = top.section("scratch"))
        machine.scratch = read_scratch(*scratch);
    if (machine.cache.has_value() == machine.scratch.has_value())
        top.refuse("cache", model["cache"], "exactly one of cache and scratch must be null");
    auto memory = top.section("memory");
    auto scheduler = top.section("scheduler");
    if (!memory || !scheduler)
        top.refuse(memory ? "scheduler" : "memory", nullptr, "an object is needed here");
    machine.memory_local_ns = memory->number("local_ns", 1, 100000);
    machine.memory_remote_ns = memory->number("remote_ns", 1, 100000);
    machine.gbytes_per_s_per_node = memory->number("gbytes_per_s_per_node", 0.01, 100000);
    machine.gbytes_per_s_between_sockets =
        memory->number("gbytes_per_s_between_sockets", 0.01, 100000);
    memory->end();
    machine.slice_us = scheduler->number("slice_us", 1, 1000000);
    machine.switch_ns = scheduler->number("switch_ns", 1, 1000000);
    machine.wake_ns = scheduler->number("wake_ns", 1, 1000000);
    machine.spawn_us = scheduler->number("spawn_us", 0.001, 1000000);
    scheduler->end();
    machine.plain_cycles_per_step = top.number("plain_cycles_per_step", 0, 100000);
    machine.pause_ns = top.number("pause_ns", 0.5, 1000);
    const json& sources = top.at("sources");
    for (const auto& [key, value] : sources.items())
        if (!value.is_string() || value.get<std::string>().empty())
            top.refuse("sources." + key, value, "must say where the number comes from");
    top.end();
    return machine;
}

} // namespace

Machine read_machine(const std::string& path) {
    std::ifstream stream(path);
    if (!stream)
        throw ModelError(path + ": cannot be read");
    json model;
    try {
        model = json::parse(stream);
    } catch (const json::parse_error& error) {
        throw ModelError(path + ": not JSON: byte " + std::to_string(error.byte));
    }
    return read(model, path);
}

std::string file_of_machine(const std::string& name) {
    const bool is_file = name.find('/') != name.npos || name.ends_with(".json");
    const std::string path =
        is_file ? name : std::string(HEDDLE_SIM_MACHINES) + "/" + name + ".json";
    if (!std::filesystem::is_regular_file(path))
        throw ModelError("no machine is called " + name +
                         "; heddle-sim list tells which there are");
    return path;
}

std::vector<std::string> machine_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_SIM_MACHINES))
        if (entry.path().extension() == ".json")
            names.push_back(entry.path().stem());
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace heddle::sim
