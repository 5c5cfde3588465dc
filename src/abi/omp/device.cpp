// SPDX-License-Identifier: Apache-2.0
// The device routines of OpenMP 5.2 sections 18.7 and 18.8 where the host is the only device.
// Called by users' programs on any thread; the default device is the calling task's ICV.
// Results and error codes are those of gcc 12's libgomp without offload devices.
#include "abi/export.hpp"
#include "construct/icvs.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int num_devices = 0;
/// The host's number: the one after the last device.
constexpr int initial_device = num_devices;
/// omp_initial_device, which names the host since OpenMP 5.2 whatever its number.
constexpr int initial_device_alias = -1;

bool is_host(int device) { return device == initial_device || device == initial_device_alias; }

void set_default_device(int64_t device) {
    heddle::construct::task_icvs_for_write().default_device =
        static_cast<int>(std::clamp<int64_t>(device, 0, INT_MAX));
}

/// The part of a rectangle's description that begins at one dimension.
struct Rectangle {
    int dimensions;
    const size_t* volume;
    const size_t* to_offsets;
    const size_t* from_offsets;
    const size_t* to_dimensions;
    const size_t* from_dimensions;

    Rectangle inner() const {
        return {dimensions - 1,   volume + 1,        to_offsets + 1,
                from_offsets + 1, to_dimensions + 1, from_dimensions + 1};
    }
};

/// Sets `bytes` to those of `count` elements that span all but the first of `dimensions`.
bool stride_of(size_t element, int rank, const size_t* dimensions, size_t& bytes) {
    bytes = element;
    for (int i = 1; i < rank; i++)
        if (__builtin_mul_overflow(bytes, dimensions[i], &bytes))
            return false;
    return true;
}

/// Copies a rectangle row by row; 0, or EINVAL when a size does not fit size_t.
int copy_rectangle(char* to, const char* from, size_t element, const Rectangle& r) {
    size_t to_stride, from_stride, to_start, from_start, row;
    if (!stride_of(element, r.dimensions, r.to_dimensions, to_stride) ||
        !stride_of(element, r.dimensions, r.from_dimensions, from_stride) ||
        __builtin_mul_overflow(to_stride, r.to_offsets[0], &to_start) ||
        __builtin_mul_overflow(from_stride, r.from_offsets[0], &from_start) ||
        __builtin_mul_overflow(element, r.volume[0], &row))
        return EINVAL;
    to += to_start;
    from += from_start;
    if (r.dimensions == 1) {
        memcpy(to, from, row);
        return 0;
    }
    for (size_t i = 0; i < r.volume[0]; i++, to += to_stride, from += from_stride)
        if (int error = copy_rectangle(to, from, element, r.inner()))
            return error;
    return 0;
}

} // namespace

HEDDLE_EXPORT int omp_get_num_devices() { return num_devices; }
HEDDLE_EXPORT int omp_get_initial_device() { return initial_device; }
HEDDLE_EXPORT int omp_get_device_num() { return initial_device; }
HEDDLE_EXPORT int omp_is_initial_device() { return 1; }

/// A negative number counts as 0, as with libgomp.
HEDDLE_EXPORT void omp_set_default_device(int device) { set_default_device(device); }

HEDDLE_EXPORT int omp_get_default_device() { return heddle::construct::task_icvs().default_device; }

/// `size` bytes on `device`; nullptr without memory and for any device but the host.
HEDDLE_EXPORT void* omp_target_alloc(size_t size, int device) {
    return is_host(device) ? malloc(size) : nullptr;
}

HEDDLE_EXPORT void omp_target_free(void* block, int device) {
    if (is_host(device))
        free(block);
}

/// Everything is present on the host, and a null pointer everywhere.
HEDDLE_EXPORT int omp_target_is_present(const void* pointer, int device) {
    return pointer == nullptr || is_host(device);
}

/// 0, or EINVAL when a device is not the host.
HEDDLE_EXPORT int omp_target_memcpy(void* to, const void* from, size_t length, size_t to_offset,
                                    size_t from_offset, int to_device, int from_device) {
    if (!is_host(to_device) || !is_host(from_device))
        return EINVAL;
    if (length > 0)
        memcpy(static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset,
               length);
    return 0;
}

/// 0, or EINVAL. Two null pointers ask how many dimensions are supported.
HEDDLE_EXPORT int omp_target_memcpy_rect(void* to, const void* from, size_t element, int dimensions,
                                         const size_t* volume, const size_t* to_offsets,
                                         const size_t* from_offsets, const size_t* to_dimensions,
                                         const size_t* from_dimensions, int to_device,
                                         int from_device) {
    if (to == nullptr && from == nullptr)
        return INT_MAX;
    if (!is_host(to_device) || !is_host(from_device) || dimensions < 1)
        return EINVAL;
    return copy_rectangle(
        static_cast<char*>(to), static_cast<const char*>(from), element,
        {dimensions, volume, to_offsets, from_offsets, to_dimensions, from_dimensions});
}

/// The host's pointers are their own images: nothing else can be associated with them.
HEDDLE_EXPORT int omp_target_associate_ptr(const void*, const void*, size_t, size_t, int) {
    return EINVAL;
}

HEDDLE_EXPORT int omp_target_disassociate_ptr(const void*, int) { return EINVAL; }

// Fortran: arguments by reference; the omp_target_* routines are bind(c) in omp_lib.

HEDDLE_EXPORT int32_t omp_get_num_devices_() { return num_devices; }
HEDDLE_EXPORT int32_t omp_get_initial_device_() { return initial_device; }
HEDDLE_EXPORT int32_t omp_get_device_num_() { return initial_device; }
HEDDLE_EXPORT int32_t omp_is_initial_device_() { return 1; }
HEDDLE_EXPORT void omp_set_default_device_(const int32_t* device) { set_default_device(*device); }
HEDDLE_EXPORT void omp_set_default_device_8_(const int64_t* device) { set_default_device(*device); }
HEDDLE_EXPORT int32_t omp_get_default_device_() { return omp_get_default_device(); }
