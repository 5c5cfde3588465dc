// SPDX-License-Identifier: Apache-2.0
// Locality domains of made-up machines: which there are, their numbers and sizes.
#include "place/domain_map.hpp"

#include "machine.hpp"

#include <gtest/gtest.h>

namespace heddle::place {
namespace {

TEST(DomainMap, TwoSocketsOfTwo) {
    Machine machine;
    make_two_sockets(machine);
    DomainMap map;
    map.read(machine.available, machine.root());
    ASSERT_EQ(map.count(), 4);
    for (int domain = 0; domain < 4; ++domain) {
        EXPECT_EQ(map.node_of(domain), (std::vector{0, 1, 3, 4}[static_cast<size_t>(domain)]));
        EXPECT_EQ(map.of_node(map.node_of(domain)), domain);
        EXPECT_EQ(map.cpus_in(domain), 4);
    }
    EXPECT_EQ(map.of_node(2), -1);
    EXPECT_EQ(map.of_cpu(10), 0);
    EXPECT_EQ(map.of_cpu(15), 3);
    EXPECT_EQ(map.of_cpu(16), -1);
    EXPECT_EQ(map.of_cpu(-1), -1);
    EXPECT_EQ(map.of_cpu(1 << 20), -1);
    EXPECT_EQ(map.of_cpus(set_of({4, 14})), 2);
    EXPECT_EQ(map.of_cpus(set_of({4, 5})), -1);
    EXPECT_EQ(map.of_cpus({}), -1);
}

TEST(DomainMap, HasOnlyWhatTheProcessMayUse) {
    Machine machine;
    make_two_sockets(machine);
    machine.available = set_of({12, 5, 3, 7});
    DomainMap map;
    map.read(machine.available, machine.root());
    ASSERT_EQ(map.count(), 3);
    // By the lowest CPU: 3 is in node 1, 5 and 7 in node 4, 12 in node 3.
    EXPECT_EQ(map.node_of(0), 1);
    EXPECT_EQ(map.node_of(1), 4);
    EXPECT_EQ(map.node_of(2), 3);
    EXPECT_EQ(map.cpus_in(1), 2);
    EXPECT_EQ(map.of_cpu(4), 2); // of the same node, though not for us
    EXPECT_EQ(map.of_cpu(0), -1);
}

TEST(DomainMap, IsNumberedAsPlacesAre) {
    Machine machine;
    machine.available = set_of({0, 1, 2, 3});
    machine.file("node/online", "0-2,7");
    machine.file("node/node0/cpulist", "2-3");
    machine.file("node/node1/cpulist", ""); // memory alone
    machine.file("node/node2/cpulist", "1");
    machine.file("node/node7/cpulist", "0");
    DomainMap map;
    map.read(machine.available, machine.root());
    PlaceList places;
    read_topology(PlaceUnit::numa_domains, PlaceList::longest, machine.available, machine.root(),
                  places);
    ASSERT_EQ(map.count(), 3);
    ASSERT_EQ(places.count(), 3);
    for (int place = 0; place < 3; ++place)
        EXPECT_EQ(map.of_cpus(places[place]), place);
}

void expect_one_domain(const Machine& machine) {
    DomainMap map;
    map.read(machine.available, machine.root());
    EXPECT_EQ(map.count(), 1);
    EXPECT_EQ(map.of_cpu(3), 0);
    EXPECT_EQ(map.of_cpus(set_of({0, 5})), 0);
    EXPECT_EQ(map.of_cpus({}), -1);
    EXPECT_EQ(map.cpus_in(0), 1);
}

TEST(DomainMap, OneDomainWhereTheSystemTellsOfNoOther) {
    Machine silent;
    silent.available = set_of({0, 1});
    expect_one_domain(silent);
    Machine single;
    single.available = set_of({0, 1});
    single.file("node/online", "0");
    single.file("node/node0/cpulist", "0-1");
    expect_one_domain(single);
    Machine bound;
    make_two_sockets(bound);
    bound.available = set_of({0, 2});
    expect_one_domain(bound);
}

TEST(DomainMap, NonsenseHarmsNobody) {
    Machine machine;
    machine.available = set_of({0, 1, 2});
    machine.file("node/online", "0-1");
    machine.file("node/node0/cpulist", "0-1");
    machine.file("node/node1/cpulist", "1-2,99999999"); // 1 is in two nodes
    DomainMap map;
    map.read(machine.available, machine.root());
    ASSERT_EQ(map.count(), 2);
    EXPECT_EQ(map.of_cpu(1), 0);
    EXPECT_EQ(map.of_cpu(2), 1);
    EXPECT_EQ(map.cpus_in(0), 2);
    EXPECT_EQ(map.cpus_in(1), 1);
}

} // namespace
} // namespace heddle::place
