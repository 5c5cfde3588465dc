// SPDX-License-Identifier: Apache-2.0
// Memory spaces and allocator traits in the numbers of clang's omp.h, for the routines of OpenMP
// 6.0 chapter 27 and omp_init_allocator: since LLVM 20 the default space is 99 there and the null
// space 0, as the standard says; in gcc's and in older clang's the default space is 0. The trait
// access=all is 19, once 7, which now is access=device; the other old numbers are the same.
// Called by users' programs, C and Fortran, on any thread; pure functions over omp/. Those with the
// prefix heddle_version_ have a namesake for gcc: aliases.ld makes them name@VERSION,
// and the routines with _and_host_ in their names aliases of those without.
#include "abi/export.hpp"
#include "construct/memory_space.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

using namespace heddle::construct;

extern "C" {
AllocatorHandle omp_init_allocator(MemorySpace space, int count, const AllocatorTrait* traits);
MemorySpace omp_get_devices_memspace(int count, const int* devices, MemorySpace space);
MemorySpace omp_get_devices_all_memspace(MemorySpace space);
AllocatorHandle omp_get_devices_allocator(int count, const int* devices, MemorySpace space);
AllocatorHandle omp_get_devices_all_allocator(MemorySpace space);
int omp_get_memspace_num_resources(MemorySpace space);
MemorySpace omp_get_submemspace(MemorySpace space, int count, const int* resources);
}

namespace {

constexpr MemorySpace clang_null_space = 0, clang_default_space = 99;
constexpr MemorySpace clang_cgroup_space = 5; ///< of clang 23: the contention group's own memory
constexpr MemorySpace default_space = 0;

MemorySpace from_clang(MemorySpace space) {
    if (space == clang_null_space)
        return null_mem_space;
    return space == clang_default_space ? default_space : space;
}

MemorySpace to_clang(MemorySpace space) {
    if (space == null_mem_space)
        return clang_null_space;
    return space == default_space ? clang_default_space : space;
}

/// What clang's newer numbers add: each says who else may reach the memory, or of which device it
/// is. On the host it is the host's, and everybody may.
bool says_nothing_on_the_host(const AllocatorTrait& trait) {
    constexpr uint32_t access = 3, pin_device = 9, part_size = 14;
    constexpr uintptr_t all = 19, memspace = 22;
    return trait.key == access ? trait.value >= all && trait.value <= memspace
                               : trait.key >= pin_device && trait.key <= part_size;
}

/// 0 is taken too: the default space of programs compiled by clang 19 or older.
AllocatorHandle init(MemorySpace space, int count, const AllocatorTrait* traits) {
    if (space == clang_default_space || space == clang_cgroup_space)
        space = default_space;
    if (std::none_of(traits, traits + (count > 0 ? count : 0), says_nothing_on_the_host))
        return omp_init_allocator(space, count, traits);
    auto* kept = static_cast<AllocatorTrait*>(malloc(static_cast<size_t>(count) * sizeof *traits));
    if (kept == nullptr)
        return null_allocator;
    const auto* end = std::remove_copy_if(traits, traits + count, kept, says_nothing_on_the_host);
    const AllocatorHandle made = omp_init_allocator(space, static_cast<int>(end - kept), kept);
    free(kept);
    return made;
}

/// The space of `count` devices; the host can always reach it.
MemorySpace space_of(int count, const int* devices, MemorySpace space) {
    return to_clang(omp_get_devices_memspace(count, devices, from_clang(space)));
}
MemorySpace space_of_all(MemorySpace space) {
    return to_clang(omp_get_devices_all_memspace(from_clang(space)));
}

AllocatorHandle allocator_for(int count, const int* devices, MemorySpace space) {
    return omp_get_devices_allocator(count, devices, from_clang(space));
}
AllocatorHandle allocator_for_all(MemorySpace space) {
    return omp_get_devices_all_allocator(from_clang(space));
}

int count_resources(MemorySpace space) { return omp_get_memspace_num_resources(from_clang(space)); }

MemorySpace part_of(MemorySpace space, int count, const int* resources) {
    return to_clang(omp_get_submemspace(from_clang(space), count, resources));
}

} // namespace

HEDDLE_EXPORT AllocatorHandle heddle_version_omp_init_allocator(MemorySpace space, int count,
                                                                const AllocatorTrait* traits) {
    return init(space, count, traits);
}

HEDDLE_EXPORT MemorySpace heddle_version_omp_get_devices_memspace(int count, const int* devices,
                                                                  MemorySpace space) {
    return space_of(count, devices, space);
}
HEDDLE_EXPORT MemorySpace heddle_version_omp_get_device_memspace(int device, MemorySpace space) {
    return space_of(1, &device, space);
}
HEDDLE_EXPORT MemorySpace heddle_version_omp_get_devices_all_memspace(MemorySpace space) {
    return space_of_all(space);
}

HEDDLE_EXPORT AllocatorHandle heddle_version_omp_get_devices_allocator(int count,
                                                                       const int* devices,
                                                                       MemorySpace space) {
    return allocator_for(count, devices, space);
}
HEDDLE_EXPORT AllocatorHandle heddle_version_omp_get_device_allocator(int device,
                                                                      MemorySpace space) {
    return allocator_for(1, &device, space);
}
HEDDLE_EXPORT AllocatorHandle heddle_version_omp_get_devices_all_allocator(MemorySpace space) {
    return allocator_for_all(space);
}

HEDDLE_EXPORT int heddle_version_omp_get_memspace_num_resources(MemorySpace space) {
    return count_resources(space);
}
HEDDLE_EXPORT MemorySpace heddle_version_omp_get_submemspace(MemorySpace space, int count,
                                                             const int* resources) {
    return part_of(space, count, resources);
}

// Fortran: arguments by reference.
HEDDLE_EXPORT AllocatorHandle heddle_version_omp_init_allocator_(const MemorySpace* space,
                                                                 const int32_t* count,
                                                                 const AllocatorTrait* traits) {
    return init(*space, *count, traits);
}

HEDDLE_EXPORT MemorySpace omp_get_devices_memspace_(const int32_t* count, const int32_t* devices,
                                                    const MemorySpace* space) {
    return space_of(*count, devices, *space);
}
HEDDLE_EXPORT MemorySpace omp_get_device_memspace_(const int32_t* device,
                                                   const MemorySpace* space) {
    return space_of(1, device, *space);
}
HEDDLE_EXPORT MemorySpace omp_get_devices_all_memspace_(const MemorySpace* space) {
    return space_of_all(*space);
}

HEDDLE_EXPORT AllocatorHandle omp_get_devices_allocator_(const int32_t* count,
                                                         const int32_t* devices,
                                                         const MemorySpace* space) {
    return allocator_for(*count, devices, *space);
}
HEDDLE_EXPORT AllocatorHandle omp_get_device_allocator_(const int32_t* device,
                                                        const MemorySpace* space) {
    return allocator_for(1, device, *space);
}
HEDDLE_EXPORT AllocatorHandle omp_get_devices_all_allocator_(const MemorySpace* space) {
    return allocator_for_all(*space);
}

HEDDLE_EXPORT int32_t omp_get_memspace_num_resources_(const MemorySpace* space) {
    return count_resources(*space);
}
HEDDLE_EXPORT MemorySpace omp_get_submemspace_(const MemorySpace* space, const int32_t* count,
                                               const int32_t* resources) {
    return part_of(*space, *count, resources);
}
