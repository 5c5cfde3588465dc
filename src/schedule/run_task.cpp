// SPDX-License-Identifier: Apache-2.0
// Executing deferred tasks from their slots.
// The slot is copied to this worker's stack first: while the task runs, its children take the slot.
#include "schedule/run_task.hpp"

namespace heddle::schedule {

namespace {

/// A final task's own context lives on its stack: its children are never deferred.
void run_final(Member& member, TaskFunction function, void* data, const Context& inherited,
               uintptr_t untied) {
    Context context;
    context.set(inherited.icvs, inherited.group, true);
    run_region(member, function, data, reinterpret_cast<uintptr_t>(&context) | untied);
}

} // namespace

void free_capture(Member& member, team::Capture* capture) {
    concurrent::BlockPool* home = capture->home;
    if (!home) {
        platform::deallocate(capture);
        return;
    }
    concurrent::BlockPool* mine = member.worker->captures;
    if (home >= mine && home < mine + team::capture_classes)
        home->give_back(capture);
    else
        home->give_back_remote(capture);
}

void run_slot(Member& member, const TaskSlot& slot) {
    const TaskSlot task = slot;
    const auto& family = *reinterpret_cast<const Family*>(task.tag & ~team::slot_tag::mask);
    const bool stolen = (task.tag & team::slot_tag::stolen) != 0;
    const Context* context = stolen ? family.context_for_thieves : family.context;
    const uintptr_t untied = task.tag & team::slot_tag::untied ? Frame::untied_bit : 0;
    void* data = const_cast<unsigned char*>(task.payload);
    team::Capture* capture = nullptr;
    if (HEDDLE_UNLIKELY(task.tag & team::slot_tag::external)) {
        __builtin_memcpy(&capture, task.payload, sizeof capture);
        data = capture->data;
    }
    if (HEDDLE_UNLIKELY(task.tag & team::slot_tag::final))
        run_final(member, task.function, data, *context, untied);
    else
        run_region(member, task.function, data, reinterpret_cast<uintptr_t>(context) | untied);
    if (HEDDLE_UNLIKELY(capture != nullptr))
        free_capture(member, capture);
    finish_child(member, task.tag);
}

} // namespace heddle::schedule
