// SPDX-License-Identifier: Apache-2.0
// The values of the trait `partition` as layouts of distributed arrays. Any thread calls.
#include "construct/partitioned_memory.hpp"

#include "construct/pinned_memory.hpp"
#include "place/distributed.hpp"
#include "team/locality.hpp"

namespace heddle::construct {

void* allocate_partitioned(const config::AllocatorTraits& traits, size_t size) {
    const team::Member& member = team::self();
    const uintptr_t partition = traits[config::partition_trait];
    place::DomainShares shares;
    if (partition == config::nearest_value) {
        const int domain = team::domain_of_self(member);
        shares.add(domain < 0 ? 0 : domain, 1);
    } else {
        team::domains_of_region(member, shares);
    }
    const size_t block = partition == config::interleaved_value ? platform::page_size() : 0;
    void* memory = place::allocate_distributed(size, block, shares);
    if (memory && traits[config::pinned_trait] && !pin(memory, size)) {
        release_partitioned(memory);
        return nullptr;
    }
    return memory;
}

void release_partitioned(void* block) { place::free_distributed(block); }

} // namespace heddle::construct
