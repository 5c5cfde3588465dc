// SPDX-License-Identifier: Apache-2.0
// The asynchronous copies of omp/target_memory, for the entry points of both compilers, which call
// them on the encountering thread: gcc's depend objects, and where the program's call of the
// routine returns to, by which its task is known.
#pragma once

#include "team/tool_events.hpp"

#include <cstddef>

namespace heddle::abi {

/// omp_depend_t, as gcc's omp.h declares it.
struct DependenceObject {
    void* words[2];
};

/// omp_target_memcpy_async(): 0, or EINVAL.
int copy_async(void* to, const void* from, size_t length, size_t to_offset, size_t from_offset,
               int to_device, int from_device, int count, DependenceObject* objects,
               team::Caller caller);

/// omp_target_memcpy_rect_async(): 0, EINVAL, or the number of dimensions.
int copy_rectangle_async(void* to, const void* from, size_t element, int dimensions,
                         const size_t* volume, const size_t* to_offsets, const size_t* from_offsets,
                         const size_t* to_dimensions, const size_t* from_dimensions, int to_device,
                         int from_device, int count, DependenceObject* objects,
                         team::Caller caller);

} // namespace heddle::abi
