// SPDX-License-Identifier: Apache-2.0
// Places from made-up machines: file trees as the kernel shows them below /sys.
#include "machine.hpp"
#include "place/places.hpp"

#include <gtest/gtest.h>

namespace heddle::place {
namespace {

TEST(Topology, TwoSockets) {
    Machine machine;
    make_two_sockets(machine);
    EXPECT_EQ(machine.places(PlaceUnit::sockets), "{0,2,4,6,8,10,12,14}{1,3,5,7,9,11,13,15}");
    EXPECT_EQ(machine.places(PlaceUnit::cores), "{0,8}{2,10}{4,12}{6,14}{1,9}{3,11}{5,13}{7,15}");
    EXPECT_EQ(machine.places(PlaceUnit::threads),
              "{0}{8}{2}{10}{4}{12}{6}{14}{1}{9}{3}{11}{5}{13}{7}{15}");
    EXPECT_EQ(machine.places(PlaceUnit::ll_caches), "{0,2,8,10}{1,3,9,11}{4,6,12,14}{5,7,13,15}");
    EXPECT_EQ(machine.places(PlaceUnit::numa_domains),
              "{0,2,8,10}{1,3,9,11}{4,6,12,14}{5,7,13,15}");
}

TEST(Topology, AsManyAsAskedFor) {
    Machine machine;
    make_two_sockets(machine);
    EXPECT_EQ(machine.places(PlaceUnit::cores, 3), "{0,8}{2,10}{4,12}");
    EXPECT_EQ(machine.places(PlaceUnit::threads, 3), "{0}{8}{2}");
    EXPECT_EQ(machine.places(PlaceUnit::sockets, 5), machine.places(PlaceUnit::sockets));
}

TEST(Topology, OnlyWhatMayBeUsed) {
    Machine machine;
    make_two_sockets(machine);
    machine.available = set_of({2, 3, 10, 12, 15});
    EXPECT_EQ(machine.places(PlaceUnit::sockets), "{2,10,12}{3,15}");
    EXPECT_EQ(machine.places(PlaceUnit::cores), "{2,10}{12}{3}{15}");
    EXPECT_EQ(machine.places(PlaceUnit::threads), "{2}{10}{12}{3}{15}");
    EXPECT_EQ(machine.places(PlaceUnit::numa_domains), "{2,10}{3}{12}{15}");
}

TEST(Topology, HolesAndOldNames) {
    Machine machine;
    for (int cpu : {1, 70, 71, 4000}) {
        machine.available.add(cpu);
        machine.cpu(cpu, "topology/thread_siblings_list",
                    cpu == 70 || cpu == 71 ? "70-71" : std::to_string(cpu));
        machine.cpu(cpu, "topology/core_siblings_list", cpu < 71 ? "0-70" : "71-8191");
    }
    EXPECT_EQ(machine.places(PlaceUnit::sockets), "{1,70}{71,4000}");
    EXPECT_EQ(machine.places(PlaceUnit::threads), "{1}{70}{71}{4000}");
}

TEST(Topology, WithoutFilesItIsSimple) {
    Machine machine;
    machine.available = set_of({0, 1, 5});
    EXPECT_EQ(machine.places(PlaceUnit::threads), "{0}{1}{5}");
    EXPECT_EQ(machine.places(PlaceUnit::cores), "{0}{1}{5}");
    EXPECT_EQ(machine.places(PlaceUnit::sockets), "{0,1,5}");
    EXPECT_EQ(machine.places(PlaceUnit::ll_caches), "{0,1,5}");
    EXPECT_EQ(machine.places(PlaceUnit::numa_domains), "{0,1,5}");
}

TEST(Topology, NonsenseInFilesLosesNoCpu) {
    Machine machine;
    machine.available = set_of({0, 1, 2});
    machine.cpu(0, "topology/core_cpus_list", "none");
    machine.cpu(1, "topology/core_cpus_list", "5-2,99999999999999999999-");
    machine.cpu(2, "topology/core_cpus_list", "0-8191");
    EXPECT_EQ(machine.places(PlaceUnit::cores), "{0}{1}{2}");
}

config::Settings asking(config::PlaceSource source, const char* text) {
    config::Settings settings{};
    settings.initial.bind = config::ProcBind::true_;
    settings.place_source = source;
    settings.places_text = text;
    return settings;
}

struct Determined {
    std::string places, warnings;
};
Determined determined(const Machine& machine, const config::Settings& settings) {
    PlaceList list;
    testing::internal::CaptureStderr();
    determine_places(settings, machine.available, machine.root(), list);
    return {Machine::shown(list), testing::internal::GetCapturedStderr()};
}

TEST(Places, AreThoseTheProcessMayUse) {
    using enum config::PlaceSource;
    Machine machine;
    machine.available = set_of({0, 1, 2});
    const auto of = [&](config::PlaceSource source, const char* text) {
        return determined(machine, asking(source, text));
    };
    EXPECT_EQ(of(omp_places, "{2,3},{0}").places, "{2}{0}");
    EXPECT_EQ(of(omp_places, "{2,3},{0}").warnings, "");
    EXPECT_EQ(of(omp_places, "{3},{0},{4}").places, "{0}");
    EXPECT_EQ(
        of(omp_places, "{3},{0},{4}").warnings,
        "heddle: OMP_PLACES: 2 of 3 places have no CPU that this process may use and are left "
        "out\n");
    EXPECT_EQ(of(omp_places, "{3}").places, "{0}{1}{2}");
    EXPECT_EQ(of(omp_places, "{3}").warnings,
              "heddle: OMP_PLACES: no place has a CPU that this process may use; using cores\n");
    EXPECT_EQ(of(gomp_cpu_affinity, "2 0-1").places, "{2}{0}{1}");
    EXPECT_EQ(of(omp_places, "sockets").places, "{0,1,2}");
    EXPECT_EQ(of(none, "").places, "{0}{1}{2}");
}

TEST(Places, NoneWithoutBinding) {
    Machine machine;
    machine.available = set_of({0, 1});
    config::Settings settings = asking(config::PlaceSource::none, "");
    settings.initial.bind = config::ProcBind::false_;
    EXPECT_EQ(determined(machine, settings).places, "");
    settings.initial.bind = config::ProcBind::spread;
    machine.available = {};
    EXPECT_EQ(determined(machine, settings).places, "");
}

} // namespace
} // namespace heddle::place
