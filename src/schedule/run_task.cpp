// SPDX-License-Identifier: Apache-2.0
// Executing deferred tasks from their slots.
// The slot is copied to this worker's stack first: while the task runs, its children take the slot.
#include "schedule/run_task.hpp"

#include "schedule/cancel.hpp"
#include "schedule/record.hpp"

namespace heddle::schedule {

void run_final(Member& member, TaskFunction function, void* data, const Context& inherited,
               uintptr_t untied) {
    Context context;
    context.set(inherited.icvs, inherited.group, true);
    run_region(member, function, data, reinterpret_cast<uintptr_t>(&context) | untied);
}

void run_slot(Member& member, const TaskSlot& slot) {
    const TaskSlot task = slot;
    if (HEDDLE_UNLIKELY(task.tag & team::slot_tag::record)) {
        run_record_slot(member, task);
        return;
    }
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
    if (HEDDLE_UNLIKELY(is_discarded(member, *context, stolen)))
        ; // discarded
    else if (HEDDLE_UNLIKELY(task.tag & team::slot_tag::final))
        run_final(member, task.function, data, *context, untied);
    else
        run_region(member, task.function, data, reinterpret_cast<uintptr_t>(context) | untied);
    if (HEDDLE_UNLIKELY(capture != nullptr))
        free_capture(member.worker, capture);
    finish_child(member, task.tag);
}

} // namespace heddle::schedule
