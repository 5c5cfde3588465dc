// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies (OpenMP 5.2 section 18.8) whose depend objects clang or icx made:
// libomptarget makes the copies where it is loaded, and elsewhere omp/target_memory with gcc's
// depend objects of the same content. Called by users' programs on any thread; nothing is kept.
// aliases.ld makes the functions name@VERSION. Source: LLVM's OpenMP runtime interface.
#include "abi/async_copies.hpp"
#include "abi/export.hpp"
#include "abi/kmp/depend.hpp"
#include "platform.hpp"

#include <cstddef>
#include <cstdint>
#include <dlfcn.h>

using namespace heddle;

namespace {

/// gcc's omp_depend_t.
struct GccObject {
    void* address;
    uintptr_t kind; ///< 1 in, 2 out, 4 mutexinoutset, 5 inoutset
};

/// clang's omp_depend_t: the first of an array of dependences, before which lies one whose `base`
/// is their count.
using ClangObject = abi::kmp::DependInfo*;

GccObject translate(const abi::kmp::DependInfo& item) {
    namespace flag = abi::kmp::depend_flag;
    if (item.flags & flag::all_memory)
        return {nullptr, 2};
    void* address = reinterpret_cast<void*>(item.base);
    if (item.flags & flag::mutexinoutset)
        return {address, 4};
    if (item.flags & flag::inoutset)
        return {address, 5};
    return {address, item.flags & flag::out ? 2u : 1u};
}

/// The dependences of `count` objects, one an object.
class GccObjects {
public:
    GccObjects(int count, const ClangObject* objects) {
        for (int i = 0; i < count; ++i)
            count_ += static_cast<size_t>(objects[i][-1].base);
        if (count_ == 0)
            return;
        list_ =
            static_cast<GccObject*>(platform::allocate(count_ * sizeof *list_, alignof(GccObject)));
        if (!list_)
            platform::die("no memory for a list of dependences");
        GccObject* next = list_;
        for (int i = 0; i < count; ++i)
            for (intptr_t j = 0; j < objects[i][-1].base; ++j)
                *next++ = translate(objects[i][j]);
    }
    ~GccObjects() { platform::deallocate(list_); }
    GccObjects(const GccObjects&) = delete;
    GccObjects& operator=(const GccObjects&) = delete;

    int count() const { return static_cast<int>(count_); }
    abi::DependenceObject* get() const { return reinterpret_cast<abi::DependenceObject*>(list_); }

private:
    GccObject* list_ = nullptr;
    size_t count_ = 0;
};

/// libomptarget's routine of this name; nullptr without that library.
template <class Function>
Function* of_libomptarget(Function*, const char* name) {
    return reinterpret_cast<Function*>(dlvsym(RTLD_DEFAULT, name, "VERS1.0"));
}

} // namespace

extern "C" int omp_target_memcpy_async(void* to, const void* from, size_t length, size_t to_offset,
                                       size_t from_offset, int to_device, int from_device,
                                       int count, void* objects);
extern "C" int omp_target_memcpy_rect_async(void* to, const void* from, size_t element,
                                            int dimensions, const size_t* volume,
                                            const size_t* to_offsets, const size_t* from_offsets,
                                            const size_t* to_dimensions,
                                            const size_t* from_dimensions, int to_device,
                                            int from_device, int count, void* objects);

/// 0, or EINVAL when a device is not the host.
HEDDLE_EXPORT int heddle_version_omp_target_memcpy_async(void* to, const void* from, size_t length,
                                                         size_t to_offset, size_t from_offset,
                                                         int to_device, int from_device, int count,
                                                         ClangObject* objects) {
    if (auto* theirs = of_libomptarget(omp_target_memcpy_async, "omp_target_memcpy_async"))
        return theirs(to, from, length, to_offset, from_offset, to_device, from_device, count,
                      objects);
    const GccObjects list(objects ? count : 0, objects);
    return abi::copy_async(to, from, length, to_offset, from_offset, to_device, from_device,
                           list.count(), list.get(), HEDDLE_CALLER);
}

/// As above; two null pointers ask how many dimensions are supported.
HEDDLE_EXPORT int heddle_version_omp_target_memcpy_rect_async(
    void* to, const void* from, size_t element, int dimensions, const size_t* volume,
    const size_t* to_offsets, const size_t* from_offsets, const size_t* to_dimensions,
    const size_t* from_dimensions, int to_device, int from_device, int count,
    ClangObject* objects) {
    if (auto* theirs =
            of_libomptarget(omp_target_memcpy_rect_async, "omp_target_memcpy_rect_async"))
        return theirs(to, from, element, dimensions, volume, to_offsets, from_offsets,
                      to_dimensions, from_dimensions, to_device, from_device, count, objects);
    const GccObjects list(objects ? count : 0, objects);
    return abi::copy_rectangle_async(to, from, element, dimensions, volume, to_offsets,
                                     from_offsets, to_dimensions, from_dimensions, to_device,
                                     from_device, list.count(), list.get(), HEDDLE_CALLER);
}
