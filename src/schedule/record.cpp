// SPDX-License-Identifier: Apache-2.0
// Making, running and completing tasks with a record. Who completes one releases its successors to
// its own deque: they are siblings of what it has just run, so the constraints of task-waiting.md
// hold for them too. From outside a worker (omp_fulfill_event) they go to the team's inbox.
#include "schedule/record.hpp"

#include "schedule/affinity.hpp"
#include "schedule/boxes.hpp"
#include "schedule/cancel.hpp"
#include "schedule/capture.hpp"
#include "schedule/dependences.hpp"
#include "schedule/hints.hpp"
#include "schedule/inbox.hpp"
#include "schedule/priority_queue.hpp"
#include "schedule/told_tasks.hpp"
#include "team/watching.hpp"

namespace heddle::schedule {

namespace {

using concurrent::SuccessorList;
using team::Team;

/// Bytes for links, uses and captured data.
size_t room_size(size_t links, size_t uses, size_t data) {
    return links * sizeof(SuccessorList::Link) + uses * sizeof(DependenceUse) + data;
}

TaskRecord* take_record(Member& member, size_t room) {
    team::Capture* block = take_block(member, sizeof(TaskRecord) + room);
    if (!block)
        return nullptr;
    auto* record = reinterpret_cast<TaskRecord*>(block);
    record->function = record->discard = nullptr;
    record->successors.reset(true);
    record->missing.reset();
    record->waiter = nullptr;
    record->uses = record->links = 0;
    record->preferred = -1;
    record->share = {};
    record->location = nullptr;
    record->team = member.team;
    record->room = nullptr;
    record->must_run = record->detachable = false;
    record->event.store(0, platform::relaxed);
    return record;
}

} // namespace

TaskRecord* make_record(Member& member, const NewTask& task, size_t links, size_t uses,
                        TaskRecord* event) {
    Family* family = current_family(member, *member.current);
    if (!family)
        return nullptr;
    const size_t room = room_size(links, uses, room_for_data(task));
    TaskRecord* record = event;
    if (!event)
        record = take_record(member, room);
    else
        event->room = take_block(member, sizeof(team::Capture) + room);
    if (!record || (event && !event->room))
        return nullptr;
    if (uses != 0)
        record->successors.reset(false);
    record->links = static_cast<int32_t>(links);
    auto* behind = reinterpret_cast<char*>(links_of(*record) + links);
    record->capture.data = capture_into(member, task, behind + uses * sizeof(DependenceUse));
    record->function = task.function;
    record->discard = task.discard;
    if (ToldTask* const told = told_task_of(*record)) {
        told->has_record = true;
        record->event.fetch_or(TaskRecord::told, platform::release); // acquired by fulfill()
    }
    record->must_run = task.copy != nullptr || task.must_run;
    record->tag = tag_of(task, *family) | team::slot_tag::record;
    record->priority = 0;
    family->children.add_local();
    if (HEDDLE_UNLIKELY(member.deque.bottom() < family->base))
        lower_base(member, *family);
    return record;
}

TaskRecord* make_waiter(Member& member, size_t links) {
    TaskRecord* record = take_record(member, room_size(links, 0, 0));
    if (record) {
        record->waiter = &member;
        record->links = static_cast<int32_t>(links);
    }
    return record;
}

TaskRecord& make_event(Member& member) {
    TaskRecord* record = take_record(member, 0);
    if (!record)
        platform::die("no memory for the event of a task");
    record->detachable = true;
    if (events_made.load(platform::relaxed) == 0)
        events_made.store(1, platform::relaxed); // a hint: see hints_count()
    return *record;
}

void free_record(team::Worker* worker, TaskRecord& record) {
    if (HEDDLE_UNLIKELY(record.function == run_told_task))
        free_told_task(told_task_of(record));
    if (HEDDLE_UNLIKELY(record.room != nullptr))
        free_capture(worker, record.room);
    free_capture(worker, &record.capture);
}

void release_record(team::Worker* worker, TaskRecord& record) {
    // acq_rel: releases the uses of the record to fulfill(), or acquires fulfill()'s
    if (record.detachable &&
        !(record.event.fetch_or(TaskRecord::released, platform::acq_rel) & TaskRecord::fulfilled))
        return; // discarded by cancellation: its event may be fulfilled, which frees it
    free_record(worker, record);
}

SuccessorList::Link* links_of(TaskRecord& record) {
    if (HEDDLE_UNLIKELY(record.room != nullptr))
        return reinterpret_cast<SuccessorList::Link*>(record.room + 1);
    return reinterpret_cast<SuccessorList::Link*>(&record + 1);
}

void enqueue_ready(Member& member, TaskRecord& record) {
    Family& family = *record.family();
    TaskSlot* slot = member.deque.reserve();
    if (HEDDLE_UNLIKELY(!slot)) {
        run_record(member, record); // no memory to put it off
        return;
    }
    TaskRecord* payload = &record;
    slot->function = record.function;
    slot->tag = record.tag;
    if (HEDDLE_UNLIKELY(family.ready != nullptr) && add_by_priority(family, record))
        payload = nullptr;
    __builtin_memcpy(slot->payload, &payload, sizeof payload);
    if (family.home != &member.worker->families)
        slot->tag |= team::slot_tag::stolen;
    else if (HEDDLE_UNLIKELY(member.deque.bottom() < family.base))
        lower_base(member, family);
    member.deque.push();
}

namespace {

/// A successor has lost its last predecessor but one, or its last: who then acts on it?
template <class Ready>
void release_successors(SuccessorList::Link* link, Ready&& ready) {
    while (link) {
        SuccessorList::Link* const next = link->next; // gone with its owner after done()
        auto& successor = *static_cast<TaskRecord*>(link->successor);
        Member* const waiter = successor.waiter;
        switch (successor.missing.done()) {
        case concurrent::Completion::more:
            break;
        case concurrent::Completion::wake:
            waiter->worker->parker.unpark();
            break;
        case concurrent::Completion::reclaim:
            ready(successor);
            break;
        }
        link = next;
    }
}

/// The task is complete, on `member`'s worker. `tag` says whether that is the family's owner's.
void complete(Member& member, TaskRecord& record, uintptr_t tag) {
    const SuccessorList::Closing closing = record.successors.close();
    if (closing.newest) {
        release_successors(closing.newest, [&member](TaskRecord& ready) {
            team::count(member, team::Counter::released);
            if (HEDDLE_LIKELY(!put_into_box(ready)))
                enqueue_ready(member, ready);
        });
        if (member.deque.has_private() && member.deque.wants_tasks())
            expose(member);
    }
    if (closing.abandoned)
        release_record(member.worker, record);
    finish_child(member, tag);
}

/// True: the event is not fulfilled, and whoever fulfills it completes the task. The team's barrier
/// counts the task as an active thread until then.
bool awaits_event(TaskRecord& record) {
    hold(*record.team);
    // acq_rel: releases the task's work to fulfill(), or acquires what came before fulfill()
    if (!(record.event.fetch_or(TaskRecord::executed, platform::acq_rel) & TaskRecord::fulfilled))
        return true;
    drop_hold(*record.team);
    return false;
}

/// Every eighth record is measured, the second one first: the first finds its data elsewhere.
bool is_sampled(Member& member) { return (++member.executed_records & 7) == 2; }

void note_time(Member& member, uint64_t lasted) {
    const uint64_t before = member.record_ns;
    member.record_ns = before == 0 ? lasted : (7 * before + lasted) / 8;
}

/// `start`: unless the tag says that it was stolen.
void execute(Member& member, TaskRecord& record, uintptr_t tag, team::Start start) {
    const bool sampled = is_sampled(member);
    const uint64_t began = sampled ? platform::now_ns() : 0;
    const Family& family = *record.family();
    const bool stolen = (tag & team::slot_tag::stolen) != 0;
    const Context& context = context_for(family, stolen);
    // Asked once: a task that is discarded is complete without its event.
    const bool runs = record.must_run || !is_cancelled(member, context);
    if (!runs)
        team::count(member, team::Counter::discarded);
    if (const team::TaskFunction function = runs ? record.function : record.discard) {
        const team::WatchedTask watched(
            member, function, record.capture.data,
            stolen && start != team::Start::at_once ? team::Start::stolen : start,
            start == team::Start::at_once ? nullptr : &family);
        if (HEDDLE_UNLIKELY(record.location != nullptr))
            note_affinity(member, record.location);
        const bool shares = record.share.count != 0 && runs && !(tag & team::slot_tag::final);
        if (HEDDLE_UNLIKELY(shares))
            run_region(member, run_with_share, &record,
                       reinterpret_cast<uintptr_t>(&context) | untied_by(tag));
        else
            run_by_tag(member, function, record.capture.data, context, tag);
    }
    if (sampled)
        note_time(member, platform::now_ns() - began);
    if (runs && record.detachable && awaits_event(record))
        return;
    complete(member, record, tag);
}

} // namespace

void run_record(Member& member, TaskRecord& record) {
    const bool owner = record.family()->home == &member.worker->families;
    execute(member, record, record.tag | (owner ? 0 : team::slot_tag::stolen),
            team::Start::taken_back);
}

void run_record_at_once(Member& member, TaskRecord& record) {
    HEDDLE_CHECK(record.family()->home == &member.worker->families);
    execute(member, record, record.tag, team::Start::at_once);
}

void begin_undeferred_record(Member& member, TaskRecord& event, ToldTask* told) {
    NewTask task{nullptr, &told, nullptr, 0, alignof(ToldTask*), false, false};
    if (told) { // as a record of a told task has it: fulfill() finds it there
        task.function = run_told_task;
        task.size = sizeof told;
    }
    if (!make_record(member, task, 0, 0, &event))
        platform::die("no memory for a task with a detach clause");
}

void end_undeferred_record(Member& member, TaskRecord& event) {
    if (!awaits_event(event))
        complete(member, event, event.tag);
}

void run_record_slot(Member& member, const TaskSlot& slot) {
    TaskRecord* record;
    __builtin_memcpy(&record, slot.payload, sizeof record);
    if (!record)
        record = &take_by_priority(*reinterpret_cast<Family*>(slot.tag & ~team::slot_tag::mask));
    team::count_run(member, ((record->tag | slot.tag) & team::slot_tag::stolen) != 0);
    execute(member, *record, record->tag | (slot.tag & team::slot_tag::stolen),
            team::Start::taken_back);
}

void fulfill(TaskRecord& record) {
    // acquire: what make_record() wrote of the task. It may not have done so yet: a program of
    // clang may fulfill before it creates the task, and hands it over as it likes.
    if (HEDDLE_UNLIKELY(record.event.load(platform::acquire) & TaskRecord::told))
        tell_fulfilled(record); // while nobody else can free it
    // acq_rel: releases what came before to the executing thread, or acquires the task's work
    const uint32_t before = record.event.fetch_or(TaskRecord::fulfilled, platform::acq_rel);
    if (before & TaskRecord::fulfilled)
        return; // not allowed, and harmless
    Member* const self = team::self_or_null();
    team::Worker* const worker = self ? self->worker : nullptr;
    if (before & TaskRecord::released)
        free_record(worker, record);
    if (!(before & TaskRecord::executed))
        return;
    Team& team = *record.team;
    Family& family = *record.family();
    const SuccessorList::Closing closing = record.successors.close();
    release_successors(closing.newest, [&team](TaskRecord& ready) {
        if (!put_into_box(ready))
            put_into_inbox(team, ready);
    });
    if (closing.abandoned)
        release_record(worker, record);
    settle(worker, family, family.children.done());
    release_hold(team);
}

} // namespace heddle::schedule
