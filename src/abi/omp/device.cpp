// SPDX-License-Identifier: Apache-2.0
// Device numbers and names (OpenMP 5.2 section 18.7, 6.0 chapter 24) where the host is the only
// device. Called by users' programs on any thread; the default device is the calling task's ICV.
// Results are those of libgomp (gcc 12 to 17) without offload devices.
#include "abi/export.hpp"
#include "construct/icvs.hpp"
#include "construct/target.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace {

using heddle::construct::host_device;
using heddle::construct::invalid_device;

constexpr char uid_of_host[] = "OMP_INITIAL_DEVICE";

/// Any number is kept, as with libgomp from gcc 13 on; omp_default_device changes nothing.
void set_default_device(int64_t device) {
    if (device == heddle::construct::default_device_alias)
        return;
    const int64_t kept = std::clamp<int64_t>(device, INT_MIN, INT_MAX);
    heddle::construct::task_icvs_for_write().default_device = static_cast<int>(kept);
}

const char* uid_of(int64_t device) {
    return device >= INT_MIN && device <= INT_MAX &&
                   heddle::construct::is_host(static_cast<int>(device))
               ? uid_of_host
               : nullptr;
}

int device_of(std::string_view uid) { return uid == uid_of_host ? host_device : invalid_device; }

/// A Fortran function's result of type character(:), pointer.
void return_text(const char* text, const char** result, size_t* length) {
    *result = text;
    *length = text ? strlen(text) : 0;
}

} // namespace

HEDDLE_EXPORT int omp_get_num_devices() { return heddle::construct::num_devices; }
HEDDLE_EXPORT int omp_get_initial_device() { return host_device; }
HEDDLE_EXPORT int omp_get_device_num() { return host_device; }
HEDDLE_EXPORT int omp_is_initial_device() { return 1; }

HEDDLE_EXPORT void omp_set_default_device(int device) { set_default_device(device); }
HEDDLE_EXPORT int omp_get_default_device() { return heddle::construct::task_icvs().default_device; }

/// omp_invalid_device when no device has that name.
HEDDLE_EXPORT int omp_get_device_from_uid(const char* uid) {
    return uid ? device_of(uid) : invalid_device;
}

/// nullptr for a device that does not exist.
HEDDLE_EXPORT const char* omp_get_uid_from_device(int device) { return uid_of(device); }

// Fortran: arguments by reference, but by value where libgomp's module declares them so.

HEDDLE_EXPORT int32_t omp_get_num_devices_() { return heddle::construct::num_devices; }
HEDDLE_EXPORT int32_t omp_get_initial_device_() { return host_device; }
HEDDLE_EXPORT int32_t omp_get_device_num_() { return host_device; }
HEDDLE_EXPORT int32_t omp_is_initial_device_() { return 1; }
HEDDLE_EXPORT void omp_set_default_device_(const int32_t* device) { set_default_device(*device); }
HEDDLE_EXPORT void omp_set_default_device_8_(const int64_t* device) { set_default_device(*device); }
HEDDLE_EXPORT int32_t omp_get_default_device_() { return omp_get_default_device(); }

HEDDLE_EXPORT int32_t omp_get_device_from_uid_(const char* uid, size_t length) {
    return uid ? device_of({uid, length}) : invalid_device;
}
HEDDLE_EXPORT void omp_get_uid_from_device_(const char** result, size_t* length, int32_t device) {
    return_text(uid_of(device), result, length);
}
HEDDLE_EXPORT void omp_get_uid_from_device_8_(const char** result, size_t* length, int64_t device) {
    return_text(uid_of(device), result, length);
}
