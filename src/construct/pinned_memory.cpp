// SPDX-License-Identifier: Apache-2.0
// Pages of their own, mapped and locked. Any thread calls.
#include "construct/pinned_memory.hpp"

#include <cerrno>
#include <sys/mman.h>

namespace heddle::construct {

void* allocate_pinned(size_t size) {
    const int saved = errno; // a failure is the caller's to report
    void* block = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        block = nullptr;
    else if (mlock(block, size) != 0) {
        munmap(block, size);
        block = nullptr;
    }
    errno = saved;
    return block;
}

bool pin(void* start, size_t size) {
    const int saved = errno;
    const bool done = mlock(start, size) == 0;
    errno = saved;
    return done;
}

void release_pinned(void* block, size_t size) { munmap(block, size); } // unlocks it, too

} // namespace heddle::construct
