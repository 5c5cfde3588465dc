// SPDX-License-Identifier: Apache-2.0
// Executing deferred tasks from their slots.
// The slot is copied to this worker's stack first: while the task runs, its children take the slot.
#include "schedule/run_task.hpp"

#include "schedule/cancel.hpp"
#include "schedule/record.hpp"
#include "team/watching.hpp"

namespace heddle::schedule {

void run_final(Member& member, TaskFunction function, void* data, const Context& inherited,
               uintptr_t untied) {
    Context context;
    context.set(inherited.icvs, inherited.group, true);
    run_region(member, function, data, reinterpret_cast<uintptr_t>(&context) | untied);
}

namespace {

/// execute() where tasks may be cancelled, are counted, or watched.
[[gnu::noinline]] void execute_watched(Member& member, TaskFunction function, void* data,
                                       const Context& context, bool stolen, uintptr_t tag,
                                       const Family& family) {
    if (count_run_or_discard(member, context, stolen))
        return;
    const team::WatchedTask watched(
        member, function, data, stolen ? team::Start::stolen : team::Start::taken_back, &family);
    run_by_tag(member, function, data, context, tag);
}

/// Executes the task, which is no record, of a slot that nobody else has any more.
inline void execute(Member& member, const TaskSlot& task, const Family& family) {
    const bool stolen = (task.tag & team::slot_tag::stolen) != 0;
    const Context& context = context_for(family, stolen);
    void* data = const_cast<unsigned char*>(task.payload);
    team::Capture* capture = nullptr;
    if (HEDDLE_UNLIKELY(task.tag & team::slot_tag::external)) {
        __builtin_memcpy(&capture, task.payload, sizeof capture);
        data = capture->data;
    }
    if (HEDDLE_UNLIKELY((member.deferring & (team::cancellable | team::counting)) != 0))
        execute_watched(member, task.function, data, context, stolen, task.tag, family);
    else
        run_by_tag(member, task.function, data, context, task.tag);
    if (HEDDLE_UNLIKELY(capture != nullptr))
        free_capture(member.worker, capture);
}

Family& family_of(const TaskSlot& slot) {
    return *reinterpret_cast<Family*>(slot.tag & ~team::slot_tag::mask);
}

[[gnu::noinline]] void run_any_slot(Member& member, const TaskSlot& task) {
    if (task.tag & team::slot_tag::record) {
        run_record_slot(member, task);
        return;
    }
    execute(member, task, family_of(task));
    finish_child(member, task.tag);
}

} // namespace

void run_slot(Member& member, const TaskSlot& slot) {
    TaskSlot task = slot;
    constexpr uintptr_t special = team::slot_tag::mask & ~team::slot_tag::untied;
    if (HEDDLE_UNLIKELY((task.tag & special) != 0 ||
                        (member.deferring & (team::cancellable | team::counting)) != 0)) {
        run_any_slot(member, task);
        return;
    }
    // Its own child comes back to the owner, with its data in the slot: what most tasks do.
    Family& family = family_of(task);
    static_assert(team::slot_tag::untied == Frame::untied_bit << 1);
    run_region(member, task.function, task.payload,
               reinterpret_cast<uintptr_t>(family.context) |
                   (task.tag & team::slot_tag::untied) >> 1);
    if (HEDDLE_UNLIKELY(!family.children.done_local()))
        finish_child(member, task.tag);
}

void run_slot(Member& member, const TaskSlot& slot, FinishedChildren& finished) {
    const bool plain =
        (slot.tag & (team::slot_tag::stolen | team::slot_tag::record)) == team::slot_tag::stolen;
    if (!plain || finished.family() != &family_of(slot))
        finished.count_them(member); // nobody waits for them longer than for what runs next
    if (!plain) {
        run_slot(member, slot);
        return;
    }
    const TaskSlot task = slot;
    execute(member, task, family_of(task));
    finished.add(family_of(task));
}

} // namespace heddle::schedule
