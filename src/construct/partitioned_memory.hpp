// SPDX-License-Identifier: Apache-2.0
// Memory on several NUMA domains, for the allocator trait `partition` (OpenMP 5.2 section 6.2).
// Called by construct/allocator on any thread; place/distributed does the bookkeeping.
// Only what has pages enough to be divided, and only on machines of several domains.
#pragma once

#include "config/allocator_traits.hpp"
#include "place/locality.hpp"

namespace heddle::construct {

inline constexpr size_t least_partitioned = 65536; ///< bytes of a block; smaller ones are malloc's

/// Whether a block of `size` bytes is partitioned: the same answer when it is released.
inline bool is_partitioned(const config::AllocatorTraits& traits, size_t size) {
    return HEDDLE_UNLIKELY(!traits.is_default(config::partition_trait)) &&
           size >= least_partitioned && place::domain_count() > 1;
}

/// `size` zeroed bytes at the start of a page, as `traits` say: on the domain of the calling thread
/// (nearest), or those of its region, a part on each (blocked), or page by page (interleaved).
/// Pinned if they are to be. nullptr when there is no memory, or it cannot be pinned.
void* allocate_partitioned(const config::AllocatorTraits& traits, size_t size);

/// Gives back a block.
void release_partitioned(void* block);

} // namespace heddle::construct
