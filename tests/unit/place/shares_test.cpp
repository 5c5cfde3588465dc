// SPDX-License-Identifier: Apache-2.0
// The parts of a machine that processes of a launcher take: disjoint, all of it, and only where
// nobody has said otherwise.
#include "machine.hpp"
#include "place/shares.hpp"

#include <cstdio>
#include <gtest/gtest.h>

namespace heddle::place {
namespace {

using config::PlaceSource;

/// Four cores of two threads each, 0-3 and 4-7, all online.
void make_smt(Machine& machine) {
    machine.file("cpu/online", "0-7");
    for (int cpu = 0; cpu < 8; ++cpu) {
        const int core = cpu % 4;
        machine.available.add(cpu);
        machine.cpu(cpu, "topology/core_cpus_list",
                    std::to_string(core) + "," + std::to_string(core + 4));
        machine.cpu(cpu, "topology/package_cpus_list", "0-7");
    }
}

config::Settings bound(PlaceSource source = PlaceSource::none, const char* text = "") {
    config::Settings settings{};
    settings.initial.bind = config::ProcBind::true_;
    settings.place_source = source;
    settings.places_text = text;
    return settings;
}

/// The shares of all of `size` processes, as `{0,4}{1,5}`.
std::string shares(const Machine& machine, config::Settings settings, int size) {
    PlaceList all;
    for (int rank = 0; rank < size; ++rank) {
        settings.local = {rank, size};
        all.add(share_of(settings, machine.available, machine.root()));
    }
    return Machine::shown(all);
}

constexpr const char* whole_machine_each = "{0,1,2,3,4,5,6,7}{0,1,2,3,4,5,6,7}";

TEST(Shares, CoresThenThreads) {
    Machine machine;
    make_smt(machine);
    EXPECT_EQ(shares(machine, bound(), 1), "{0,1,2,3,4,5,6,7}");
    EXPECT_EQ(shares(machine, bound(), 2), "{0,1,4,5}{2,3,6,7}");
    EXPECT_EQ(shares(machine, bound(), 3), "{0,1,4,5}{2,6}{3,7}");
    EXPECT_EQ(shares(machine, bound(), 4), "{0,4}{1,5}{2,6}{3,7}");
    EXPECT_EQ(shares(machine, bound(), 5), "{0,4}{1,5}{2,6}{3}{7}");
    EXPECT_EQ(shares(machine, bound(), 8), "{0}{4}{1}{5}{2}{6}{3}{7}");
}

TEST(Shares, MoreProcessesThanCpus) {
    Machine machine;
    machine.file("cpu/online", "0-1");
    machine.available = set_of({0, 1});
    EXPECT_EQ(shares(machine, bound(), 3), "{0,1}{0,1}{0,1}");
}

TEST(Shares, OnlyOfTheWholeMachine) {
    Machine machine;
    make_smt(machine);
    machine.available.remove(7);
    EXPECT_EQ(shares(machine, bound(), 2), "{0,1,2,3,4,5,6}{0,1,2,3,4,5,6}");
    Machine silent;
    silent.available = set_of({0, 1});
    EXPECT_EQ(shares(silent, bound(), 2), "{0,1}{0,1}");
}

TEST(Shares, OnlyWhereThreadsAreBound) {
    Machine machine;
    make_smt(machine);
    config::Settings settings = bound();
    settings.initial.bind = config::ProcBind::false_;
    EXPECT_EQ(shares(machine, settings, 2), whole_machine_each);
}

TEST(Shares, NotWhereCpusAreNamed) {
    Machine machine;
    make_smt(machine);
    const char* divided = "{0,1,4,5}{2,3,6,7}";
    EXPECT_EQ(shares(machine, bound(PlaceSource::omp_places, "cores"), 2), divided);
    EXPECT_EQ(shares(machine, bound(PlaceSource::omp_places, "sockets(1)"), 2), divided);
    EXPECT_EQ(shares(machine, bound(PlaceSource::omp_places, "{0},{1}"), 2), whole_machine_each);
    EXPECT_EQ(shares(machine, bound(PlaceSource::gomp_cpu_affinity, "0-3"), 2), whole_machine_each);

    config::Settings settings = bound(PlaceSource::kmp_affinity);
    settings.kmp_affinity.type = config::AffinityType::compact;
    EXPECT_EQ(shares(machine, settings, 2), divided);
    settings.kmp_affinity.offset = 2;
    EXPECT_EQ(shares(machine, settings, 2), whole_machine_each);
    settings.kmp_affinity.offset = 0;
    settings.kmp_affinity.respect = false;
    EXPECT_EQ(shares(machine, settings, 2), whole_machine_each);

    settings = bound(PlaceSource::kmp_hw_subset);
    settings.kmp_hw_subset.length = 1;
    settings.kmp_hw_subset.items[0] = {PlaceUnit::cores, 2, 0};
    EXPECT_EQ(shares(machine, settings, 2), divided);
    settings.kmp_hw_subset.items[0].offset = 2;
    EXPECT_EQ(shares(machine, settings, 2), whole_machine_each);
}

} // namespace
} // namespace heddle::place
