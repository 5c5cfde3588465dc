// SPDX-License-Identifier: Apache-2.0
// The threadprivate directive (OpenMP 5.2 section 5.2) where generated code does not use the
// system's thread-local storage: each thread's copy of a variable, by the worker's global number.
// Called by the ABI layer on any thread. The main thread of the process has the original; another
// thread's copy is made at its first use and destroyed when the thread ends.
#pragma once

#include "team/worker.hpp"

namespace heddle::construct {

/// How copies are made and destroyed; any may be nullptr. With `elements` the variable is an array
/// and each function is called once, with their number as last argument.
struct CopyFunctions {
    union {
        void* (*make)(void* copy) = nullptr;
        void* (*make_array)(void* copy, size_t elements);
    };
    union {
        void* (*make_from)(void* copy, void* original) = nullptr;
        void* (*make_array_from)(void* copy, void* original, size_t elements);
    };
    union {
        void (*destroy)(void* copy) = nullptr;
        void (*destroy_array)(void* copy, size_t elements);
    };
    size_t elements = 0; ///< 0: no array
};

/// One thread's copy of a variable; nullptr until its first use. Written under a lock.
using CopySlot = platform::Atomic<void*>;

/// The slots of one variable, by the global numbers of the workers; the slots follow. When a larger
/// one takes its place it stays, for others may be reading it.
struct CopyTable {
    CopyTable* older;
    int64_t capacity;

    CopySlot* slots() { return reinterpret_cast<CopySlot*>(this + 1); }
    static CopyTable& of(CopySlot* slots) { return *(reinterpret_cast<CopyTable*>(slots) - 1); }
};

/// In the program, zeroed at first: the slots that were last found there.
using CopyCache = platform::Atomic<CopySlot*>;

/// Announces how copies of the variable at `original` are made, before the first use. Only the
/// first announcement counts.
void announce_threadprivate(void* original, const CopyFunctions& functions);

/// threadprivate_copy() without what a cache knows; `cache` may be nullptr.
void* find_threadprivate_copy(team::Member& member, void* original, size_t size, CopyCache* cache);

/// The calling thread's copy of the `size` bytes at `original`. Dies without memory.
inline void* threadprivate_copy(team::Member& member, void* original, size_t size,
                                CopyCache& cache) {
    const int32_t number = member.worker->global_number;
    // acquire: pairs with the release in find_threadprivate_copy()
    CopySlot* slots = cache.load(platform::acquire);
    if (HEDDLE_LIKELY(slots && number < CopyTable::of(slots).capacity))
        if (void* copy = slots[number].load(platform::relaxed)) // this thread's own write
            return copy;
    return find_threadprivate_copy(member, original, size, &cache);
}

/// When the thread of `worker` ends, on that thread.
void destroy_threadprivate_copies(team::Worker& worker);

/// In a forked child, where the lock's holder may be a thread that is no more.
void remake_threadprivate_lock();

} // namespace heddle::construct
