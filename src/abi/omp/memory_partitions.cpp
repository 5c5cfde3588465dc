// SPDX-License-Identifier: Apache-2.0
// Memory partitions and partitioners (OpenMP 6.0 section 27.5). Called by users' programs on any
// thread; each object belongs to its caller. Memory has one storage resource here, which cannot be
// parted: init_allocator() refuses the trait that would ask a partitioner, so none is ever asked.
#include "abi/export.hpp"
#include "platform.hpp"

#include <unistd.h>

namespace {

/// omp_mempartition_t is a pointer to this, null when not initialized.
struct Partition {
    void* user_data;
    size_t parts;
};

/// omp_mempartitioner_t is a pointer to this.
struct Partitioner {
    int lifetime; ///< omp_mempartitioner_lifetime_t
    void* compute;
    void* release;
};

template <class Object>
Object* make(Object value) {
    auto* object =
        static_cast<Object*>(heddle::platform::allocate(sizeof(Object), alignof(Object)));
    if (object != nullptr)
        *object = value;
    return object;
}

} // namespace

/// Without memory `*partitioner` is null.
HEDDLE_EXPORT void omp_init_mempartitioner(Partitioner** partitioner, int lifetime, void* compute,
                                           void* release) {
    *partitioner = make(Partitioner{lifetime, compute, release});
}

HEDDLE_EXPORT void omp_destroy_mempartitioner(Partitioner* const* partitioner) {
    heddle::platform::deallocate(*partitioner);
}

/// Without memory `*partition` is null, and has no parts.
HEDDLE_EXPORT void omp_init_mempartition(Partition** partition, size_t parts,
                                         const void* user_data) {
    *partition = make(Partition{const_cast<void*>(user_data), parts});
}

HEDDLE_EXPORT void omp_destroy_mempartition(Partition** partition) {
    heddle::platform::deallocate(*partition);
    *partition = nullptr;
}

/// 0, or -1 when there is no such part or resource, or `size` bytes are not whole pages in a part
/// that is not the last.
HEDDLE_EXPORT int omp_mempartition_set_part(Partition** partition, size_t part, intptr_t resource,
                                            size_t size) {
    const Partition* object = *partition;
    if (object == nullptr || part >= object->parts || resource != 0)
        return -1;
    const bool last = part == object->parts - 1;
    return last || size % static_cast<size_t>(sysconf(_SC_PAGESIZE)) == 0 ? 0 : -1;
}

HEDDLE_EXPORT void* omp_mempartition_get_user_data(Partition* const* partition) {
    return *partition != nullptr ? (*partition)->user_data : nullptr;
}
