// SPDX-License-Identifier: Apache-2.0
// Memory spaces of a machine whose only device is the host (OpenMP 6.0 sections 8.1, 27.1 to 27.4).
// Called by the omp_* routines and by init_allocator(), on any thread; constants and pure
// functions. The host's part of a space is the space itself, so no handle is ever made or
// destroyed.
#pragma once

#include "construct/allocator.hpp"

namespace heddle::construct {

/// omp_memspace_handle_t, with the numbers of gcc's omp.h, which programs are compiled with: the
/// default space is 0 there, and omp_null_mem_space, which gcc lacks, cannot be 0 as in OpenMP 6.0.
using MemorySpace = uintptr_t;
inline constexpr MemorySpace low_lat_mem_space = 4;       ///< the last of the standard ones
inline constexpr MemorySpace gnu_managed_mem_space = 200; ///< ompx_gnu_managed_mem_space
inline constexpr MemorySpace null_mem_space = UINTPTR_MAX;

/// Whether memory can be had from `space`.
constexpr bool is_memory_space(MemorySpace space) {
    return space <= low_lat_mem_space || space == gnu_managed_mem_space;
}

/// The predefined allocator that takes its memory from `space`; null_allocator when there is none.
constexpr AllocatorHandle allocator_of(MemorySpace space) {
    if (space <= low_lat_mem_space)
        return default_mem_alloc + space;
    return space == gnu_managed_mem_space ? gnu_managed_mem_alloc : null_allocator;
}

} // namespace heddle::construct
