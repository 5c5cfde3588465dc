// SPDX-License-Identifier: Apache-2.0
// Where a deferred task's captured data go: into the slot, or into a block of the worker's pools.
// Called by throttle and record on the encountering worker; blocks are freed by any thread.
#pragma once

#include "schedule/throttle.hpp"

namespace heddle::schedule {

inline bool fits_slot(const NewTask& task) {
    return task.size <= TaskSlot::payload_size && task.alignment <= 16 && !task.copy;
}

/// Captured data are mostly whole words: then no call is needed to copy them.
inline bool is_whole_words(size_t size) { return (size & 7) == 0; }

inline void copy_words(void* to, const void* from, size_t size) {
    auto* target = static_cast<char*>(to);
    auto* source = static_cast<const char*>(from);
    for (size_t i = 0; i < size; i += 8)
        __builtin_memcpy(target + i, source + i, 8);
}

/// take_block() for what does not fit a block of the smallest class.
team::Capture* take_large_block(Member& member, size_t size);

/// `size` bytes that begin with the header, whose `data` is not set; nullptr without memory.
inline team::Capture* take_block(Member& member, size_t size) {
    if (HEDDLE_UNLIKELY(size > team::smallest_capture))
        return take_large_block(member, size);
    concurrent::BlockPool& pool = member.worker->captures[0];
    auto* capture = static_cast<team::Capture*>(pool.take());
    if (HEDDLE_LIKELY(capture != nullptr))
        capture->home = &pool;
    return capture;
}

/// Bytes to ask for, behind everything else in a block, for the captured data of `task`.
size_t room_for_data(const NewTask& task);

/// Calls the copy function of `task`, which has one.
inline void construct_copy(const NewTask& task, void* to) {
    task.copy(to, task.data);
    if (HEDDLE_UNLIKELY(task.first_words != nullptr))
        __builtin_memcpy(to, task.first_words, 2 * sizeof(uint64_t));
}

/// Captures into the room that begins at `room`, with the copy function if there is one, which runs
/// as part of the new task (OpenMP 5.2 section 12.5). Returns where the data are.
void* capture_into(Member& member, const NewTask& task, void* room);

/// Captures into a block outside the slot. nullptr when there is no memory.
team::Capture* capture_outside(Member& member, const NewTask& task);

} // namespace heddle::schedule
