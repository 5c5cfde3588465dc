// SPDX-License-Identifier: Apache-2.0
// Where a deferred task's captured data go: into the slot, or into a block of the worker's pools.
// Called by throttle on the encountering worker.
#pragma once

#include "schedule/throttle.hpp"

namespace heddle::schedule {

inline bool fits_slot(const NewTask& task) {
    return task.size <= TaskSlot::payload_size && task.alignment <= 16 && !task.copy;
}

/// Copies `size` bytes, at most a payload; captured data are mostly whole words.
inline void copy_words(void* to, const void* from, size_t size) {
    if (HEDDLE_UNLIKELY(size & 7)) {
        __builtin_memcpy(to, from, size);
        return;
    }
    auto* target = static_cast<char*>(to);
    auto* source = static_cast<const char*>(from);
    for (size_t i = 0; i < size; i += 8)
        __builtin_memcpy(target + i, source + i, 8);
}

/// Captures into a block outside the slot, with the copy function if there is one, which runs as
/// part of the new task. nullptr when there is no memory.
team::Capture* capture_outside(Member& member, const NewTask& task);

} // namespace heddle::schedule
