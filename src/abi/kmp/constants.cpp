// SPDX-License-Identifier: Apache-2.0
// The variables of libomp and libiomp5 that programs can refer to by name: handles of allocators
// and memory spaces, with the numbers of clang's omp.h, and what icx and ifx link against to prove
// that one OpenMP library is there. Constant; read by users' programs.
// Source: the symbols of libomp 21 and libiomp5 2026.2.
#include "abi/export.hpp"

#include <cstdint>

// C++ gives a const variable internal linkage unless it is declared before.
#define HEDDLE_CONSTANT(type, name, value)                                                         \
    extern "C" __attribute__((visibility("default"))) const type name;                             \
    const type name = value;
#define HANDLE(name, value) HEDDLE_CONSTANT(uintptr_t, name, value)

HANDLE(omp_null_allocator, 0)
HANDLE(omp_default_mem_alloc, 1)
HANDLE(omp_large_cap_mem_alloc, 2)
HANDLE(omp_const_mem_alloc, 3)
HANDLE(omp_high_bw_mem_alloc, 4)
HANDLE(omp_low_lat_mem_alloc, 5)
HANDLE(omp_cgroup_mem_alloc, 6)
HANDLE(omp_pteam_mem_alloc, 7)
HANDLE(omp_thread_mem_alloc, 8)
HANDLE(omp_target_host_mem_alloc, 100)
HANDLE(omp_target_shared_mem_alloc, 101)
HANDLE(omp_target_device_mem_alloc, 102)
HANDLE(kmp_max_mem_alloc, 1024)

HANDLE(omp_null_mem_space, 0)
HANDLE(omp_default_mem_space, 99)
HANDLE(omp_large_cap_mem_space, 1)
HANDLE(omp_const_mem_space, 2)
HANDLE(omp_high_bw_mem_space, 3)
HANDLE(omp_low_lat_mem_space, 4)
HANDLE(omp_target_host_mem_space, 100)
HANDLE(omp_target_shared_mem_space, 101)
HANDLE(omp_target_device_mem_space, 102)
HANDLE(kmp_max_mem_space, 1024)

HEDDLE_CONSTANT(int32_t, _You_must_link_with_Intel_OpenMP_library, 1)
HEDDLE_CONSTANT(int32_t, _You_must_link_with_exactly_one_OpenMP_library, 1)

// The initialization of ifx's modules omp_lib_kinds and omp_lib, which have nothing to initialize.
HEDDLE_EXPORT void heddle_omp_lib_kinds() __asm__("omp_lib_kinds._");
void heddle_omp_lib_kinds() {}
HEDDLE_EXPORT void heddle_omp_lib() __asm__("omp_lib._");
void heddle_omp_lib() {}
