// SPDX-License-Identifier: Apache-2.0
// What libomptarget, LLVM's library for other devices, and the programs that use it ask of the host
// runtime. Where that library is loaded it answers for devices and interoperability objects, under
// its node VERS1.0; elsewhere the host is the only device. Called on any thread; nothing is kept.
// Source: OpenMP 5.2 sections 18.7 and 18.12, the imports of LLVM's libomptarget 19.
#include "construct/target.hpp"
#include "abi/kmp/ident.hpp"
#include "config/kmp_runtime.hpp"

#include <cstdint>
#include <dlfcn.h>

using namespace heddle;

/// kmp_target_offload_kind of target-offload-var: 0 disabled, 1 default, 2 mandatory.
HEDDLE_EXPORT int __kmpc_get_target_offload() {
    switch (config::target_offload(config::settings())) {
    case config::TargetOffload::disabled:
        return 0;
    case config::TargetOffload::mandatory:
        return 2;
    case config::TargetOffload::default_:
        break;
    }
    return 1;
}

/// Whether a target task may leave its thread and come back when the device is done: false, so
/// libomptarget waits for the device in place.
HEDDLE_EXPORT bool __kmpc_omp_has_task_team(abi::kmp::Gtid) { return false; }

/// Where the current task keeps its device queue in the meantime: nowhere, for the same reason.
HEDDLE_EXPORT void* __kmpc_omp_get_target_async_handle_ptr(abi::kmp::Gtid) { return nullptr; }

// Dynamic shared memory of the calling contention group, which only devices have; the routines of
// OpenMP 6.1 for it, as clang 23's omp.h has them, say that there are 0 bytes in no space.
HEDDLE_EXPORT void* ompx_get_dyn_cgroup_mem() { return nullptr; }
HEDDLE_EXPORT void* omp_get_dyn_gprivate_ptr(size_t, int) { return nullptr; }
HEDDLE_EXPORT void* omp_get_dyn_gprivate_nofb_ptr(size_t, int) { return nullptr; }
HEDDLE_EXPORT size_t omp_get_dyn_gprivate_size(int) { return 0; }
HEDDLE_EXPORT uintptr_t omp_get_dyn_gprivate_memspace(int) { return 0; } // omp_null_mem_space

// A routine that is libomptarget's where there is one, and ours elsewhere; aliases.ld makes it
// name@VERSION.
#define HEDDLE_FORWARD(result, name, parameters, arguments)                                        \
    extern "C" result name parameters;                                                             \
    HEDDLE_EXPORT result heddle_version_##name parameters {                                        \
        void* theirs = dlvsym(RTLD_DEFAULT, #name, "VERS1.0");                                     \
        return (theirs ? reinterpret_cast<decltype(&name)>(theirs) : name)arguments;               \
    }

HEDDLE_FORWARD(int, omp_get_num_devices, (), ())
HEDDLE_FORWARD(int, omp_get_initial_device, (), ())
HEDDLE_FORWARD(int, omp_get_device_num, (), ())

HEDDLE_FORWARD(const char*, omp_get_uid_from_device, (int device), (device))

extern "C" {
int omp_get_device_from_uid(const char* uid);
int32_t omp_get_device_from_uid_(const char* uid, size_t length);
}

namespace {

/// omp_invalid_device is another number in clang's omp.h.
int to_clang(int device) {
    constexpr int clang_invalid_device = -2;
    return device == construct::invalid_device ? clang_invalid_device : device;
}

} // namespace

HEDDLE_EXPORT int heddle_version_omp_get_device_from_uid(const char* uid) {
    if (void* theirs = dlvsym(RTLD_DEFAULT, "omp_get_device_from_uid", "VERS1.0"))
        return reinterpret_cast<decltype(&omp_get_device_from_uid)>(theirs)(uid);
    return to_clang(omp_get_device_from_uid(uid));
}
HEDDLE_EXPORT int32_t heddle_version_omp_get_device_from_uid_(const char* uid, size_t length) {
    return to_clang(omp_get_device_from_uid_(uid, length));
}

HEDDLE_FORWARD(int, omp_get_num_interop_properties, (const void* object), (object))
HEDDLE_FORWARD(intptr_t, omp_get_interop_int, (const void* object, int property, int* code),
               (object, property, code))
HEDDLE_FORWARD(void*, omp_get_interop_ptr, (const void* object, int property, int* code),
               (object, property, code))
HEDDLE_FORWARD(const char*, omp_get_interop_str, (const void* object, int property, int* code),
               (object, property, code))
HEDDLE_FORWARD(const char*, omp_get_interop_name, (const void* object, int property),
               (object, property))
HEDDLE_FORWARD(const char*, omp_get_interop_type_desc, (const void* object, int property),
               (object, property))

extern "C" int omp_pause_resource(int kind, int device);

/// The host is the last device here, or omp_initial_device; the others' resources are not ours.
/// 0, or -1 when nothing was given up.
HEDDLE_EXPORT int heddle_version_omp_pause_resource(int kind, int device) {
    constexpr int initial_device = -1;
    if (device != initial_device && device != heddle_version_omp_get_initial_device())
        return -1;
    return omp_pause_resource(kind, initial_device);
}

// Fortran's that take their arguments by reference: the others are the C functions.
HEDDLE_EXPORT int32_t omp_get_num_interop_properties_(const void* const* object) {
    return heddle_version_omp_get_num_interop_properties(*object);
}
HEDDLE_EXPORT intptr_t omp_get_interop_int_(const void* const* object, const int32_t* property,
                                            int32_t* code) {
    return heddle_version_omp_get_interop_int(*object, *property, code);
}
