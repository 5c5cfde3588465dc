// SPDX-License-Identifier: Apache-2.0
// The routines that look for memory spaces and allocators of devices (OpenMP 6.0 chapter 27).
// Called by users' programs on any thread; pure functions.
// The host is the only device: its part of a space is the whole space, one storage resource.
#include "abi/export.hpp"
#include "construct/memory_space.hpp"
#include "construct/target.hpp"

#include <unistd.h>

using namespace heddle::construct;

namespace {

/// What of `space` all of `count` devices can reach: all of it, or nothing when one of them is not
/// the host.
MemorySpace reachable(int count, const int* devices, MemorySpace space) {
    for (int i = 0; i < count; i++)
        if (!is_host(devices[i]))
            return null_mem_space;
    return is_memory_space(space) ? space : null_mem_space;
}

} // namespace

/// The part of a predefined space that each of `count` devices can reach; omp_null_mem_space for
/// no part, a number that is no device or a space that is none.
HEDDLE_EXPORT MemorySpace omp_get_devices_memspace(int count, const int* devices,
                                                   MemorySpace space) {
    return reachable(count, devices, space);
}
HEDDLE_EXPORT MemorySpace omp_get_device_memspace(int device, MemorySpace space) {
    return reachable(1, &device, space);
}
HEDDLE_EXPORT MemorySpace omp_get_devices_and_host_memspace(int count, const int* devices,
                                                            MemorySpace space) {
    return reachable(count, devices, space);
}
HEDDLE_EXPORT MemorySpace omp_get_device_and_host_memspace(int device, MemorySpace space) {
    return reachable(1, &device, space);
}
HEDDLE_EXPORT MemorySpace omp_get_devices_all_memspace(MemorySpace space) {
    return reachable(0, nullptr, space);
}

/// The predefined allocator for the space that the routine above of the same kind answers;
/// omp_null_allocator when that is omp_null_mem_space.
HEDDLE_EXPORT AllocatorHandle omp_get_devices_allocator(int count, const int* devices,
                                                        MemorySpace space) {
    return allocator_of(reachable(count, devices, space));
}
HEDDLE_EXPORT AllocatorHandle omp_get_device_allocator(int device, MemorySpace space) {
    return allocator_of(reachable(1, &device, space));
}
HEDDLE_EXPORT AllocatorHandle omp_get_devices_and_host_allocator(int count, const int* devices,
                                                                 MemorySpace space) {
    return allocator_of(reachable(count, devices, space));
}
HEDDLE_EXPORT AllocatorHandle omp_get_device_and_host_allocator(int device, MemorySpace space) {
    return allocator_of(reachable(1, &device, space));
}
HEDDLE_EXPORT AllocatorHandle omp_get_devices_all_allocator(MemorySpace space) {
    return allocator_of(reachable(0, nullptr, space));
}

/// How many storage resources a space has: 1, or 0 for what is no space.
HEDDLE_EXPORT int omp_get_memspace_num_resources(MemorySpace space) {
    return is_memory_space(space) ? 1 : 0;
}

/// Bytes of a page of the space's memory.
HEDDLE_EXPORT size_t omp_get_memspace_pagesize(MemorySpace /*space*/) {
    return static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

/// The space made of `count` resources of `space`, by their numbers from 0: omp_null_mem_space when
/// there are none, or one that the space does not have.
HEDDLE_EXPORT MemorySpace omp_get_submemspace(MemorySpace space, int count, const int* resources) {
    for (int i = 0; i < count; i++)
        if (resources[i] != 0)
            return null_mem_space;
    return count > 0 && is_memory_space(space) ? space : null_mem_space;
}
