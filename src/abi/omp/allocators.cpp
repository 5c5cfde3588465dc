// SPDX-License-Identifier: Apache-2.0
// The memory management routines of OpenMP 5.2 section 18.13 and the allocate clause's GOMP_alloc.
// Called by users' programs on any thread. Only translates; the semantics are construct/allocator.
#include "abi/export.hpp"
#include "construct/allocation_registry.hpp"
#include "construct/allocator.hpp"
#include "construct/icvs.hpp"
#include "platform.hpp"

namespace {

using heddle::construct::AllocatorHandle;
using heddle::construct::AllocatorTrait;

} // namespace

HEDDLE_EXPORT AllocatorHandle omp_init_allocator(uintptr_t memspace, int count,
                                                 const AllocatorTrait* traits) {
    return heddle::construct::init_allocator(memspace, count, traits);
}

HEDDLE_EXPORT void omp_destroy_allocator(AllocatorHandle allocator) {
    heddle::construct::destroy_allocator(allocator);
}

/// Sets def-allocator-var; the null allocator stands for omp_default_mem_alloc.
HEDDLE_EXPORT void omp_set_default_allocator(AllocatorHandle allocator) {
    if (allocator == heddle::construct::null_allocator)
        allocator = heddle::construct::default_mem_alloc;
    heddle::construct::task_icvs_for_write().default_allocator = allocator;
}

HEDDLE_EXPORT AllocatorHandle omp_get_default_allocator() {
    return heddle::construct::task_icvs().default_allocator;
}

HEDDLE_EXPORT void* omp_alloc(size_t size, AllocatorHandle allocator) {
    return heddle::construct::allocate(1, size, allocator);
}

HEDDLE_EXPORT void* omp_aligned_alloc(size_t alignment, size_t size, AllocatorHandle allocator) {
    return heddle::construct::allocate(alignment, size, allocator);
}

HEDDLE_EXPORT void* omp_calloc(size_t count, size_t size, AllocatorHandle allocator) {
    return heddle::construct::allocate_zeroed(1, count, size, allocator);
}

HEDDLE_EXPORT void* omp_aligned_calloc(size_t alignment, size_t count, size_t size,
                                       AllocatorHandle allocator) {
    return heddle::construct::allocate_zeroed(alignment, count, size, allocator);
}

HEDDLE_EXPORT void* omp_realloc(void* block, size_t size, AllocatorHandle allocator,
                                AllocatorHandle free_allocator) {
    return heddle::construct::reallocate(block, size, allocator, free_allocator);
}

/// The block knows its allocator: the second argument is not needed.
HEDDLE_EXPORT void omp_free(void* block, AllocatorHandle) { heddle::construct::release(block); }

// gcc's code for the allocate clause does not look at the result: without memory the program ends,
// whatever the allocator's fallback is.
HEDDLE_EXPORT void* GOMP_alloc(size_t alignment, size_t size, AllocatorHandle allocator) {
    void* block = heddle::construct::allocate(alignment, size, allocator);
    if (block == nullptr && size != 0)
        heddle::platform::die("out of memory for a variable in an allocate clause");
    return block;
}

HEDDLE_EXPORT void GOMP_free(void* block, AllocatorHandle) { heddle::construct::release(block); }

// gcc 14 on: a Fortran allocatable that an allocators construct allocated is noted here, and where
// it is deallocated or reallocated the answer tells which of free() and omp_free() must do it.
HEDDLE_EXPORT void GOMP_add_alloc(void* block) { heddle::construct::add_allocation(block); }
HEDDLE_EXPORT bool GOMP_is_alloc(void* block) {
    return heddle::construct::remove_allocation(block);
}

// Fortran: arguments by reference. The others are bind(c) in omp_lib and have no second name.

HEDDLE_EXPORT AllocatorHandle omp_init_allocator_(const uintptr_t* memspace, const int32_t* count,
                                                  const AllocatorTrait* traits) {
    return heddle::construct::init_allocator(*memspace, *count, traits);
}

HEDDLE_EXPORT AllocatorHandle omp_init_allocator_8_(const uintptr_t* memspace, const int64_t* count,
                                                    const AllocatorTrait* traits) {
    return heddle::construct::init_allocator(*memspace, *count, traits);
}

HEDDLE_EXPORT void omp_destroy_allocator_(const AllocatorHandle* allocator) {
    omp_destroy_allocator(*allocator);
}

HEDDLE_EXPORT void omp_set_default_allocator_(const AllocatorHandle* allocator) {
    omp_set_default_allocator(*allocator);
}

HEDDLE_EXPORT AllocatorHandle omp_get_default_allocator_() { return omp_get_default_allocator(); }
