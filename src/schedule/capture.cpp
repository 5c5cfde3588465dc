// SPDX-License-Identifier: Apache-2.0
// Captured data outside the slots: pooled blocks up to 4 KiB, larger ones from the system.
// Blocks return to the worker that created the task, wherever it ran (BlockPool).
#include "schedule/capture.hpp"

namespace heddle::schedule {

namespace {

/// Memory for `size` bytes and the header, from the smallest class that holds it.
team::Capture* take_block(Member& member, size_t size) {
    concurrent::BlockPool* pools = member.worker->captures;
    for (int i = 0; i < team::capture_classes; ++i) {
        if (size > size_t{128} << i)
            continue;
        auto* capture = static_cast<team::Capture*>(pools[i].take());
        if (capture)
            capture->home = &pools[i];
        return capture;
    }
    auto* capture = static_cast<team::Capture*>(platform::allocate(size, concurrent::cache_line));
    if (capture)
        capture->home = nullptr;
    return capture;
}

} // namespace

team::Capture* capture_outside(Member& member, const NewTask& task) {
    const size_t alignment = task.alignment < 16 ? 16 : task.alignment;
    team::Capture* capture = take_block(member, sizeof(team::Capture) + alignment + task.size);
    if (!capture)
        return nullptr;
    const auto after_header = reinterpret_cast<uintptr_t>(capture + 1);
    capture->data = reinterpret_cast<void*>((after_header + alignment - 1) & ~(alignment - 1));
    if (!task.copy) {
        __builtin_memcpy(capture->data, task.data, task.size);
        return capture;
    }
    // OpenMP 5.2 section 12.5: the initialization of private copies belongs to the new task.
    Frame frame{member.current, nullptr, member.current->context_bits & ~Frame::own_bits};
    member.current = &frame;
    task.copy(capture->data, task.data);
    member.current = frame.parent;
    if (frame.family)
        leave_families(member, frame);
    return capture;
}

} // namespace heddle::schedule
