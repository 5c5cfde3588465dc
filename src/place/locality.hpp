// SPDX-License-Identifier: Apache-2.0
// The locality domains of the process: NUMA nodes with CPUs that it may use, numbered from 0 as
// OMP_PLACES=numa_domains numbers its places. Called on any thread; the first call reads the
// machine, at once where it has one node. Constant afterwards: the release store of the count
// publishes the map to its acquire load. Paper: adaptive loops, section 3.2.
#pragma once

#include "concurrent/check.hpp"
#include "place/domain_map.hpp"

namespace heddle::place {

/// What domain_count() reads. 0: nobody has asked yet; -1: somebody is reading.
extern platform::Atomic<int32_t> known_domains;
/// Reads the machine, or waits for the thread that does. Returns the count.
int find_domains();

/// How many domains there are, 1 or more; 1 where the system does not tell. With 1, as on most
/// machines, all of what follows has but one answer, and who asks this first pays a load for it.
inline int domain_count() {
    // acquire: pairs with the release in find_domains()
    const int32_t count = known_domains.load(platform::acquire);
    return HEDDLE_LIKELY(count > 0) ? count : find_domains();
}

/// Domains by CPU and by node, and their sizes.
const DomainMap& domains();

/// The domain in which place `place` of places() lies; -1 when it extends over several.
int domain_of_place(int place);

/// The domain in which the calling thread runs; -1 when the system does not tell. The thread may be
/// moved at any time, unless it is bound: a hint. Some 10 ns with several domains.
int current_domain();

/// For tests, before anybody has asked: the process is on this machine, see DomainMap::read().
void assume_machine(const config::CpuSet& available, const char* root);

/// For the handler of fork() in the child, as config::restart_in_forked_child().
void restart_domains_in_forked_child();

} // namespace heddle::place
