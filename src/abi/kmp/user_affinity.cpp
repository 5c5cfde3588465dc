// SPDX-License-Identifier: Apache-2.0
// libomp's routines on affinity masks, in C and Fortran, which differ in how a CPU is passed.
// Called by user programs on any thread; a mask belongs to who made it. Results are 0, -1 for what
// cannot be (also where KMP_AFFINITY=disabled), -2 for a CPU that is not the process's, or the
// system's error number. Source: "Thread affinity interface" of the LLVM OpenMP runtime's manual.
#include "abi/export.hpp"
#include "config/load.hpp"
#include "construct/affinity_format.hpp"
#include "team/team.hpp"
#include "team/worker.hpp"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

using namespace heddle;
using config::CpuSet;

namespace {

bool is_disabled() {
    return config::settings().kmp_affinity.type == config::AffinityType::disabled;
}

/// One more than the largest number of a CPU.
int cpu_limit() {
    return std::clamp(static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)), 1, int{CpuSet::capacity});
}

bool is_cpu_of_process(int cpu) {
    const CpuSet& cpus = config::cpus_at_load();
    return cpus.empty() || cpus.has(cpu);
}

CpuSet* set_of(void* const* mask) { return mask ? static_cast<CpuSet*>(*mask) : nullptr; }

/// Makes `cpus` the calling thread's mask, which its region does not change back.
int bind_by_hand(const CpuSet& cpus) {
    team::self().worker->binding.place = -1;
    return cpus.apply() ? 0 : errno;
}

int change(int cpu, void** mask, void (CpuSet::*change_it)(int)) {
    CpuSet* set = set_of(mask);
    if (is_disabled() || !set || cpu < 0 || cpu >= cpu_limit())
        return -1;
    if (!is_cpu_of_process(cpu))
        return -2;
    (set->*change_it)(cpu);
    return 0;
}

} // namespace

/// Makes an empty mask; a null one where there is no memory.
HEDDLE_EXPORT void kmp_create_affinity_mask(void** mask) {
    void* memory = platform::allocate(sizeof(CpuSet), alignof(CpuSet));
    *mask = memory ? ::new (memory) CpuSet : nullptr;
}

HEDDLE_EXPORT void kmp_destroy_affinity_mask(void** mask) {
    platform::deallocate(*mask);
    *mask = nullptr;
}

/// The calling thread may run on the mask's CPUs only, until a region binds it elsewhere.
HEDDLE_EXPORT int kmp_set_affinity(void** mask) {
    const CpuSet* set = set_of(mask);
    return is_disabled() || !set || set->empty() ? -1 : bind_by_hand(*set);
}

HEDDLE_EXPORT int kmp_get_affinity(void** mask) {
    CpuSet* set = set_of(mask);
    if (is_disabled() || !set)
        return -1;
    return set->read() ? 0 : errno;
}

/// One more than the largest number that a CPU in a mask can have.
HEDDLE_EXPORT int kmp_get_affinity_max_proc() { return is_disabled() ? 0 : cpu_limit(); }

HEDDLE_EXPORT int kmp_set_affinity_mask_proc(int cpu, void** mask) {
    return change(cpu, mask, &CpuSet::add);
}

HEDDLE_EXPORT int kmp_unset_affinity_mask_proc(int cpu, void** mask) {
    return change(cpu, mask, &CpuSet::remove);
}

/// 1 where the mask has the CPU, 0 where it has not or the CPU is not the process's.
HEDDLE_EXPORT int kmp_get_affinity_mask_proc(int cpu, void** mask) {
    const CpuSet* set = set_of(mask);
    if (is_disabled() || !set || cpu < 0 || cpu >= cpu_limit())
        return -1;
    return is_cpu_of_process(cpu) && set->has(cpu);
}

/// Gives the calling thread the CPUs back that the process had when it began.
HEDDLE_EXPORT int kmp_set_thread_affinity_mask_initial() {
    const CpuSet& cpus = config::cpus_at_load();
    return is_disabled() || cpus.empty() ? -1 : bind_by_hand(cpus);
}

// The routines of OpenMP by which programs of clang display affinity, on stdout as libomp does:
// aliases.ld makes them name@VERSION.
HEDDLE_EXPORT void heddle_version_omp_display_affinity(const char* format) {
    construct::display_on_output();
    construct::display_affinity(format ? std::string_view(format) : std::string_view());
}
HEDDLE_EXPORT void heddle_version_omp_display_affinity_(const char* format, size_t length) {
    construct::display_on_output();
    construct::display_affinity({format, length});
}

// kmp_* routines by other names, which older Intel compilers call.
HEDDLE_EXPORT int kmpc_set_affinity_mask_proc(int cpu, void** mask) {
    return kmp_set_affinity_mask_proc(cpu, mask);
}
HEDDLE_EXPORT int kmpc_unset_affinity_mask_proc(int cpu, void** mask) {
    return kmp_unset_affinity_mask_proc(cpu, mask);
}
HEDDLE_EXPORT int kmpc_get_affinity_mask_proc(int cpu, void** mask) {
    return kmp_get_affinity_mask_proc(cpu, mask);
}

// Fortran: a mask is a variable of pointer size, and everything is passed by reference.
HEDDLE_EXPORT void kmp_create_affinity_mask_(void** mask) { kmp_create_affinity_mask(mask); }
HEDDLE_EXPORT void kmp_destroy_affinity_mask_(void** mask) { kmp_destroy_affinity_mask(mask); }
HEDDLE_EXPORT int kmp_set_affinity_(void** mask) { return kmp_set_affinity(mask); }
HEDDLE_EXPORT int kmp_get_affinity_(void** mask) { return kmp_get_affinity(mask); }
HEDDLE_EXPORT int kmp_get_affinity_max_proc_() { return kmp_get_affinity_max_proc(); }
HEDDLE_EXPORT int kmp_set_affinity_mask_proc_(const int* cpu, void** mask) {
    return kmp_set_affinity_mask_proc(*cpu, mask);
}
HEDDLE_EXPORT int kmp_unset_affinity_mask_proc_(const int* cpu, void** mask) {
    return kmp_unset_affinity_mask_proc(*cpu, mask);
}
HEDDLE_EXPORT int kmp_get_affinity_mask_proc_(const int* cpu, void** mask) {
    return kmp_get_affinity_mask_proc(*cpu, mask);
}
