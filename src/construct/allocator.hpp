// SPDX-License-Identifier: Apache-2.0
// Memory allocators: the predefined ones and those made of traits (OpenMP 5.2 chapter 6).
// Called by the omp_* routines and the allocate clause, from any thread at once.
// Only a pool's count of bytes in use is shared and written; see allocator.cpp.
#pragma once

#include "config/allocator_traits.hpp"

#include <cstddef>
#include <cstdint>

namespace heddle::construct {

/// omp_allocator_handle_t: 1 to 8 are predefined, larger ones are made by init_allocator().
using AllocatorHandle = uintptr_t;
inline constexpr AllocatorHandle null_allocator = 0;
inline constexpr AllocatorHandle default_mem_alloc = 1;
inline constexpr AllocatorHandle gnu_pinned_mem_alloc = 200;  ///< ompx_gnu_pinned_mem_alloc
inline constexpr AllocatorHandle gnu_managed_mem_alloc = 201; ///< ompx_gnu_managed_mem_alloc

/// omp_alloctrait_t. The layout and the numbers of keys and values are the same in gcc's and
/// clang's omp.h.
struct AllocatorTrait {
    uint32_t key;
    uintptr_t value;
};
static_assert(sizeof(AllocatorTrait) == 2 * sizeof(void*));

using config::TraitKey;
using enum config::TraitKey;
using enum config::TraitValue;

/// An allocator of the memory space `memspace` with `count` traits, of which the last of a key
/// counts; null_allocator when the space or a trait is not valid. Every space is plain memory here.
AllocatorHandle init_allocator(uintptr_t memspace, int64_t count, const AllocatorTrait* traits);

/// Forgets an allocator that init_allocator() made; others are left alone. Its memory must have
/// been released before (OpenMP 5.2 section 18.13.3).
void destroy_allocator(AllocatorHandle handle);

/// `size` bytes aligned to `alignment` (a power of two), to the allocator's alignment and to 16.
/// null_allocator stands for the calling task's def-allocator-var. When the memory or the pool is
/// exhausted, what the allocator's fallback trait says happens. nullptr for a size of 0, for an
/// alignment that is none, and where the fallback says so.
void* allocate(size_t alignment, size_t size, AllocatorHandle handle);

/// `count` times `size` zeroed bytes, otherwise as allocate(). A product that does not fit size_t
/// counts as exhausted memory.
void* allocate_zeroed(size_t alignment, size_t count, size_t size, AllocatorHandle handle);

/// Moves `block` to `size` bytes from `handle`, keeping what fits (OpenMP 5.2 section 18.13.9).
/// null_allocator stands for `free_handle`, and if that is null too, for the allocator of the
/// block. A null `block` is allocated; a size of 0 releases it. nullptr leaves the block as it was.
void* reallocate(void* block, size_t size, AllocatorHandle handle, AllocatorHandle free_handle);

/// Gives back what one of the functions above returned; nullptr is fine.
void release(void* block);

} // namespace heddle::construct
