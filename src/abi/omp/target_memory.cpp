// SPDX-License-Identifier: Apache-2.0
// The device memory routines (OpenMP 5.2 section 18.8, omp_target_memset of 6.0) where the host is
// the only device. Called by users' programs on any thread; the asynchronous ones are tasks of the
// caller, ordered by the dependence objects that it passes.
// Results and error codes are those of libgomp (gcc 12 to 16) without offload devices.
#include "abi/async_copies.hpp"
#include "abi/export.hpp"
#include "abi/gomp/depend.hpp"
#include "construct/call_task.hpp"
#include "construct/target.hpp"
#include "construct/task.hpp"

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>

using namespace heddle;
using abi::DependenceObject;
using construct::is_host_or_end;

namespace {

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

/// Runs `work` as a task that depends on what `count` objects say. The task copies `work`.
template <class Work>
void run_after(int count, DependenceObject* objects, team::Caller caller, Work work) {
    if (count <= 0 || !objects)
        return work();
    struct Captured : construct::Call {
        Work work;
    };
    const auto run = [](construct::Call& call) { static_cast<Captured&>(call).work(); };
    Captured captured{{caller.code, run}, work};
    // The layout of OpenMP 5.0: a 0, all, and those of kinds out, mutexinoutset and in, of which
    // there are none; then the objects.
    constexpr size_t header = 5;
    auto** depend = static_cast<void**>(
        __builtin_alloca((header + static_cast<size_t>(count)) * sizeof(void*)));
    for (size_t i = 0; i < header; ++i)
        depend[i] = nullptr;
    depend[1] = reinterpret_cast<void*>(static_cast<intptr_t>(count));
    for (int i = 0; i < count; ++i)
        depend[header + static_cast<size_t>(i)] = &objects[i];
    const abi::DependList list(depend);
    team::Member& member = team::self();
    const team::ToldEntry entry(member, caller);
    schedule::NewTask task = construct::call_task(captured, sizeof captured);
    task.target = true;
    construct::general_task(member, task, true, {list.get()});
}

} // namespace

/// `size` bytes on `device`; nullptr without memory and for any device but the host.
HEDDLE_EXPORT void* omp_target_alloc(size_t size, int device) {
    return is_host_or_end(device) ? malloc(size) : nullptr;
}

HEDDLE_EXPORT void omp_target_free(void* block, int device) {
    if (block && is_host_or_end(device))
        free(block);
}

/// Everything is present on the host but a null pointer (OpenMP 6.0 section 25.2.3; until gcc 15
/// libgomp had that everywhere).
HEDDLE_EXPORT int omp_target_is_present(const void* pointer, int device) {
    return is_host_or_end(device) && pointer != nullptr;
}

/// No storage at all, and none of a null pointer, is accessible nowhere.
HEDDLE_EXPORT int omp_target_is_accessible(const void* pointer, size_t size, int device) {
    return is_host_or_end(device) && pointer != nullptr && size > 0;
}

/// The host's pointers are their own images; nullptr for any other device.
HEDDLE_EXPORT void* omp_get_mapped_ptr(const void* pointer, int device) {
    return is_host_or_end(device) ? const_cast<void*>(pointer) : nullptr;
}

/// 0, or EINVAL when a device is not the host.
HEDDLE_EXPORT int omp_target_memcpy(void* to, const void* from, size_t length, size_t to_offset,
                                    size_t from_offset, int to_device, int from_device) {
    if (!is_host_or_end(to_device) || !is_host_or_end(from_device))
        return EINVAL;
    if (length > 0)
        memcpy(static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset,
               length);
    return 0;
}

int abi::copy_async(void* to, const void* from, size_t length, size_t to_offset, size_t from_offset,
                    int to_device, int from_device, int count, DependenceObject* objects,
                    team::Caller caller) {
    if (!is_host_or_end(to_device) || !is_host_or_end(from_device))
        return EINVAL;
    run_after(count, objects, caller, [=] {
        omp_target_memcpy(to, from, length, to_offset, from_offset, to_device, from_device);
    });
    return 0;
}

HEDDLE_EXPORT int omp_target_memcpy_async(void* to, const void* from, size_t length,
                                          size_t to_offset, size_t from_offset, int to_device,
                                          int from_device, int count, DependenceObject* objects) {
    return abi::copy_async(to, from, length, to_offset, from_offset, to_device, from_device, count,
                           objects, HEDDLE_CALLER);
}

/// 0, or EINVAL. Two null pointers ask how many dimensions are supported.
HEDDLE_EXPORT int omp_target_memcpy_rect(void* to, const void* from, size_t element, int dimensions,
                                         const size_t* volume, const size_t* to_offsets,
                                         const size_t* from_offsets, const size_t* to_dimensions,
                                         const size_t* from_dimensions, int to_device,
                                         int from_device) {
    if (to == nullptr && from == nullptr)
        return INT_MAX;
    if (!to || !from || !is_host_or_end(to_device) || !is_host_or_end(from_device) ||
        dimensions < 1)
        return EINVAL;
    return copy_rectangle(
        static_cast<char*>(to), static_cast<const char*>(from), element,
        {dimensions, volume, to_offsets, from_offsets, to_dimensions, from_dimensions});
}

/// The arrays that describe the rectangle must live until the copy is made.
int abi::copy_rectangle_async(void* to, const void* from, size_t element, int dimensions,
                              const size_t* volume, const size_t* to_offsets,
                              const size_t* from_offsets, const size_t* to_dimensions,
                              const size_t* from_dimensions, int to_device, int from_device,
                              int count, DependenceObject* objects, team::Caller caller) {
    if (to == nullptr && from == nullptr)
        return INT_MAX;
    if (!to || !from || !is_host_or_end(to_device) || !is_host_or_end(from_device) ||
        dimensions < 1)
        return EINVAL;
    run_after(count, objects, caller, [=] {
        copy_rectangle(
            static_cast<char*>(to), static_cast<const char*>(from), element,
            {dimensions, volume, to_offsets, from_offsets, to_dimensions, from_dimensions});
    });
    return 0;
}

HEDDLE_EXPORT int omp_target_memcpy_rect_async(void* to, const void* from, size_t element,
                                               int dimensions, const size_t* volume,
                                               const size_t* to_offsets, const size_t* from_offsets,
                                               const size_t* to_dimensions,
                                               const size_t* from_dimensions, int to_device,
                                               int from_device, int count,
                                               DependenceObject* objects) {
    return abi::copy_rectangle_async(to, from, element, dimensions, volume, to_offsets,
                                     from_offsets, to_dimensions, from_dimensions, to_device,
                                     from_device, count, objects, HEDDLE_CALLER);
}

/// Returns `block`, untouched when `device` is not the host.
HEDDLE_EXPORT void* omp_target_memset(void* block, int value, size_t size, int device) {
    return is_host_or_end(device) && size > 0 ? memset(block, value, size) : block;
}

HEDDLE_EXPORT void* omp_target_memset_async(void* block, int value, size_t size, int device,
                                            int count, DependenceObject* objects) {
    if (is_host_or_end(device))
        run_after(count, objects, HEDDLE_CALLER,
                  [=] { omp_target_memset(block, value, size, device); });
    return block;
}

/// The host's pointers are their own images: nothing else can be associated with them.
HEDDLE_EXPORT int omp_target_associate_ptr(const void*, const void*, size_t, size_t, int device) {
    is_host_or_end(device);
    return EINVAL;
}

HEDDLE_EXPORT int omp_target_disassociate_ptr(const void*, int device) {
    is_host_or_end(device);
    return EINVAL;
}
