// SPDX-License-Identifier: Apache-2.0
// Captured data outside the slots: pooled blocks up to 4 KiB, larger ones from the system.
// Blocks return to the worker that created the task, wherever it ran (BlockPool).
#include "schedule/capture.hpp"

namespace heddle::schedule {

team::Capture* take_large_block(Member& member, size_t size) {
    concurrent::BlockPool* pools = member.worker->captures;
    for (int i = 1; i < team::capture_classes; ++i) {
        if (size > team::smallest_capture << i)
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

void free_capture(team::Worker* worker, team::Capture* capture) {
    concurrent::BlockPool* home = capture->home;
    if (!home) {
        platform::deallocate(capture);
        return;
    }
    if (worker && home >= worker->captures && home < worker->captures + team::capture_classes)
        home->give_back(capture);
    else if (worker)
        worker->returns.add(*home, capture); // until the end of the batch: steal.cpp
    else
        home->give_back_remote(capture);
}

namespace {

size_t alignment_of(const NewTask& task) { return task.alignment < 16 ? 16 : task.alignment; }

} // namespace

size_t room_for_data(const NewTask& task) { return alignment_of(task) + task.size; }

void* capture_into(Member& member, const NewTask& task, void* room) {
    const size_t alignment = alignment_of(task);
    void* const data = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(room) + alignment - 1) &
                                               ~(alignment - 1));
    if (!task.copy) {
        __builtin_memcpy(data, task.data, task.size);
        return data;
    }
    Frame frame{member.current, nullptr, member.current->context_bits & ~Frame::own_bits};
    member.current = &frame;
    construct_copy(task, data);
    member.current = frame.parent;
    if (frame.family)
        leave_families(member, frame);
    return data;
}

team::Capture* capture_outside(Member& member, const NewTask& task) {
    team::Capture* capture = take_block(member, sizeof(team::Capture) + room_for_data(task));
    if (capture)
        capture->data = capture_into(member, task, capture + 1);
    return capture;
}

} // namespace heddle::schedule
