// SPDX-License-Identifier: Apache-2.0
// The allocate clause and the allocator routines of the kmpc interface (OpenMP 5.2 chapter 6).
// Called by generated code and libraries on any thread. Only translates; the semantics are
// construct/allocator, and the null allocator is the calling task's def-allocator-var. Facts:
// LLVM's OpenMP runtime interface.
#include "abi/kmp/ident.hpp"
#include "construct/allocator.hpp"
#include "construct/icvs.hpp"

using namespace heddle;
using abi::kmp::Gtid;
using construct::AllocatorHandle;
using construct::AllocatorTrait;

// Clang's numbers of memory spaces differ from gcc's: abi/kmp/memory_spaces.cpp translates them.
extern "C" AllocatorHandle heddle_version_omp_init_allocator(uintptr_t memspace, int count,
                                                             const AllocatorTrait* traits);

HEDDLE_EXPORT void* __kmpc_alloc(Gtid, size_t size, AllocatorHandle allocator) {
    return construct::allocate(1, size, allocator);
}

HEDDLE_EXPORT void* __kmpc_aligned_alloc(Gtid, size_t alignment, size_t size,
                                         AllocatorHandle allocator) {
    return construct::allocate(alignment ? alignment : 1, size, allocator);
}

HEDDLE_EXPORT void* __kmpc_calloc(Gtid, size_t count, size_t size, AllocatorHandle allocator) {
    return construct::allocate_zeroed(1, count, size, allocator);
}

HEDDLE_EXPORT void* __kmpc_realloc(Gtid, void* block, size_t size, AllocatorHandle allocator,
                                   AllocatorHandle free_allocator) {
    return construct::reallocate(block, size, allocator, free_allocator);
}

/// The block knows its allocator.
HEDDLE_EXPORT void __kmpc_free(Gtid, void* block, AllocatorHandle) { construct::release(block); }

HEDDLE_EXPORT AllocatorHandle __kmpc_init_allocator(Gtid, uintptr_t memspace, int count,
                                                    const AllocatorTrait* traits) {
    return heddle_version_omp_init_allocator(memspace, count, traits);
}

HEDDLE_EXPORT void __kmpc_destroy_allocator(Gtid, AllocatorHandle allocator) {
    construct::destroy_allocator(allocator);
}

HEDDLE_EXPORT void __kmpc_set_default_allocator(Gtid, AllocatorHandle allocator) {
    if (allocator == construct::null_allocator)
        allocator = construct::default_mem_alloc;
    construct::task_icvs_for_write().default_allocator = allocator;
}

HEDDLE_EXPORT AllocatorHandle __kmpc_get_default_allocator(Gtid) {
    return construct::task_icvs().default_allocator;
}

// Variables of libiomp5, through which Intel's libraries reach these functions.
extern "C" Gtid __kmpc_global_thread_num(abi::kmp::Ident*);
HEDDLE_EXPORT void* (*kmpc_alloc_ptr)(Gtid, size_t, AllocatorHandle);
HEDDLE_EXPORT void* (*kmpc_aligned_alloc_ptr)(Gtid, size_t, size_t, AllocatorHandle);
HEDDLE_EXPORT void (*kmpc_free_ptr)(Gtid, void*, AllocatorHandle);
HEDDLE_EXPORT Gtid (*kmpc_global_thread_num_ptr)(abi::kmp::Ident*);
void* (*kmpc_alloc_ptr)(Gtid, size_t, AllocatorHandle) = __kmpc_alloc;
void* (*kmpc_aligned_alloc_ptr)(Gtid, size_t, size_t, AllocatorHandle) = __kmpc_aligned_alloc;
void (*kmpc_free_ptr)(Gtid, void*, AllocatorHandle) = __kmpc_free;
Gtid (*kmpc_global_thread_num_ptr)(abi::kmp::Ident*) = __kmpc_global_thread_num;
