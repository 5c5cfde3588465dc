// SPDX-License-Identifier: Apache-2.0
// libomp's heap routines, in C, in Fortran, and by the names that older Intel compilers call.
// Called by user programs on any thread. The C library's heap is what they use: a block of one may
// be freed by free(), as users expect who mix them.
// Source: "Memory allocation routines" of the Intel compiler's manual.
#include "abi/export.hpp"

#include <cstdlib>

HEDDLE_EXPORT void* kmp_malloc(size_t size) { return malloc(size); }
HEDDLE_EXPORT void* kmp_calloc(size_t count, size_t size) { return calloc(count, size); }
HEDDLE_EXPORT void* kmp_realloc(void* block, size_t size) { return realloc(block, size); }
HEDDLE_EXPORT void kmp_free(void* block) { free(block); }

/// nullptr for an `alignment` that is no power of two.
HEDDLE_EXPORT void* kmp_aligned_malloc(size_t size, size_t alignment) {
    void* block = nullptr;
    if (alignment != 0 && alignment < sizeof(void*) && (alignment & (alignment - 1)) == 0)
        alignment = sizeof(void*); // posix_memalign's least
    return posix_memalign(&block, alignment, size) == 0 ? block : nullptr;
}

HEDDLE_EXPORT void* kmpc_malloc(size_t size) { return kmp_malloc(size); }
HEDDLE_EXPORT void* kmpc_calloc(size_t count, size_t size) { return kmp_calloc(count, size); }
HEDDLE_EXPORT void* kmpc_realloc(void* block, size_t size) { return kmp_realloc(block, size); }
HEDDLE_EXPORT void kmpc_free(void* block) { kmp_free(block); }
HEDDLE_EXPORT void* kmpc_aligned_malloc(size_t size, size_t alignment) {
    return kmp_aligned_malloc(size, alignment);
}

// Fortran: sizes and pointers by reference.
HEDDLE_EXPORT void* kmp_malloc_(const size_t* size) { return kmp_malloc(*size); }
HEDDLE_EXPORT void* kmp_calloc_(const size_t* count, const size_t* size) {
    return kmp_calloc(*count, *size);
}
HEDDLE_EXPORT void* kmp_realloc_(void* const* block, const size_t* size) {
    return kmp_realloc(*block, *size);
}
HEDDLE_EXPORT void kmp_free_(void* const* block) { kmp_free(*block); }
HEDDLE_EXPORT void* kmp_aligned_malloc_(const size_t* size, const size_t* alignment) {
    return kmp_aligned_malloc(*size, *alignment);
}
