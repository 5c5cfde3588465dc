// SPDX-License-Identifier: Apache-2.0
// Memory that stays in physical memory, for the allocator trait `pinned` (OpenMP 5.2 section 6.2).
// Called by construct/allocator on any thread; the system does the bookkeeping.
// Whole pages: the system locks nothing smaller, and what one block unlocks must be nobody else's.
#pragma once

#include <cstddef>

namespace heddle::construct {

/// `size` zeroed bytes at the start of a page; nullptr when there is no memory or the user's limit
/// on locked memory (RLIMIT_MEMLOCK) is reached.
void* allocate_pinned(size_t size);

/// The same for `size` bytes of pages that the caller has; false when the system refuses.
bool pin(void* start, size_t size);

/// Gives back a block of `size` bytes.
void release_pinned(void* block, size_t size);

} // namespace heddle::construct
