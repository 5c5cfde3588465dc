// SPDX-License-Identifier: Apache-2.0
// Memory allocators: the predefined ones and those made of traits (OpenMP 5.2 chapter 6).
// Called by the omp_* routines and the allocate clause, from any thread at once.
// Only a pool's count of bytes in use is shared and written; see allocator.cpp.
#pragma once

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

/// omp_alloctrait_key_t.
enum TraitKey : uint32_t {
    sync_hint_trait = 1,
    alignment_trait = 2,
    access_trait = 3,
    pool_size_trait = 4,
    fallback_trait = 5,
    fb_data_trait = 6,
    pinned_trait = 7,
    partition_trait = 8,
};

/// omp_alloctrait_value_t, as far as the number itself matters.
enum TraitValue : uintptr_t {
    default_value = UINTPTR_MAX,
    contended_value = 3,
    private_value = 6,
    all_value = 7,
    cgroup_value = 10,
    default_mem_fb = 11,
    null_fb = 12,
    abort_fb = 13,
    allocator_fb = 14,
    environment_value = 15,
    interleaved_value = 18,
};

/// An allocator of the memory space `memspace` with `count` traits, of which the last of a key
/// counts; null_allocator when a trait is not valid or cannot be provided. Pinned memory and the
/// high-bandwidth space cannot, as with gcc 12's libgomp.
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
