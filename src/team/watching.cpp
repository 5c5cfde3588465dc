// SPDX-License-Identifier: Apache-2.0
// What is noted of a worker when somebody watches: in the trace, if there is one, and in what it
// does now. On its own thread, out of the way of what runs unwatched.
#include "team/watching.hpp"

#include "team/tool_events.hpp"

namespace heddle::team {

namespace {

using tool::Activity;
using tool::EventKind;
using tool::WaitKind;

constexpr platform::Order relaxed = platform::relaxed; // hints, see tool/watch.hpp

tool::Recorder& recorder_of(Member& member) { return member.worker->watch.recorder; }
Activity& activity_of(Member& member) { return member.worker->watch.activity; }

/// Without a function generated code runs its own, and `data` is where.
uint64_t code_of(TaskFunction function, const void* data) {
    return function ? tool::code_address(function, data) : reinterpret_cast<uint64_t>(data);
}

/// The thread is `member` now, in its region, or again.
void enter(Member& member, uint64_t region, uint64_t task) {
    Activity& activity = activity_of(member);
    activity.region.store(region, relaxed);
    activity.task.store(task, relaxed);
    activity.number.store(member.number, relaxed);
    activity.team_size.store(member.team_size, relaxed);
}

/// At exit() and at the return from main, on that thread: what came after its last region was its
/// own. A forked child that has recorded nothing makes no file for it.
__attribute__((destructor)) void at_exit() {
    Member* member = self_or_null();
    if (member && counts(*member) && recorder_of(*member).has_begun())
        recorder_of(*member).put(EventKind::thread_end);
}

} // namespace

void note_task_begin(Member& member, TaskFunction function, const void* data, Start start,
                     const Family* family) {
    const uint64_t code = code_of(function, data);
    tool::Recorder& recorder = recorder_of(member);
    if (family)
        recorder.put(EventKind::task_origin, reinterpret_cast<uint64_t>(family));
    recorder.put_address(EventKind::task_begin, code, static_cast<uint64_t>(start));
    activity_of(member).task.store(code, relaxed);
}

void note_task_end(Member& member, uint64_t outer) {
    recorder_of(member).put(EventKind::task_end);
    activity_of(member).task.store(outer, relaxed);
}

void note_deferred(Member& member) {
    recorder_of(member).put(EventKind::task_deferred,
                            reinterpret_cast<uint64_t>(member.current->family));
}

void note_steal(Member& member, EventKind kind, uint64_t tasks, int32_t victim) {
    recorder_of(member).put(kind, tasks, static_cast<uint64_t>(victim));
}

void note_region_begin(Member& primary, TaskFunction function, const void* data) {
    const uint64_t code = code_of(function, data);
    recorder_of(primary).put_address(EventKind::region_begin, code,
                                     static_cast<uint64_t>(primary.team_size));
    primary.team->code = code;
    primary.team->outer_task = activity_of(primary).task.load(relaxed); // its own
    enter(primary, code, 0);
}

void note_region_end(Member& primary) {
    recorder_of(primary).put(EventKind::region_end);
    enter(*primary.enclosing, primary.enclosing->team->code, primary.team->outer_task);
}

void note_implicit_begin(Member& member, TaskFunction function, const void* data) {
    const uint64_t code = tool::code_address(function, data);
    recorder_of(member).put_address(EventKind::implicit_begin, code,
                                    static_cast<uint64_t>(member.number));
    enter(member, code, 0);
}

void note_implicit_end(Member& member) {
    recorder_of(member).put(EventKind::implicit_end);
    Activity& activity = activity_of(member);
    activity.region.store(0, relaxed);
    activity.task.store(0, relaxed);
}

void note_loop(Member& member, EventKind kind, uint64_t iterations, uint64_t schedule) {
    recorder_of(member).put(kind, iterations, schedule);
}

void note_sleep(Worker& worker, EventKind kind) {
    if (kind == EventKind::sleep_begin)
        worker.statistics.add(Counter::sleeps, 1);
    worker.watch.recorder.put(kind);
}

void note_blocked(Member& member, WaitKind kind, const void* object) {
    const auto address = reinterpret_cast<uint64_t>(object);
    if (address != 0)
        recorder_of(member).put_address(EventKind::idle_begin, address,
                                        static_cast<uint64_t>(kind));
    else
        recorder_of(member).put(EventKind::idle_begin, 0, static_cast<uint64_t>(kind));
    Activity& activity = activity_of(member);
    activity.wait_began.store(platform::now_ns(), relaxed);
    activity.object.store(address, relaxed);
    activity.wait.store(kind, relaxed);
}

void note_unblocked(Member& member) {
    activity_of(member).wait.store(WaitKind::none, relaxed);
    recorder_of(member).put(EventKind::wait_end);
}

void watch_thread(Worker& worker, bool begins) {
    if ((initial_attention.load(relaxed) & counting) == 0)
        return;
    if (begins)
        worker.watch.recorder.put(EventKind::thread_begin,
                                  static_cast<uint64_t>(platform::thread_id()),
                                  worker.is_pool_thread ? 1 : 0);
    else
        worker.watch.recorder.put(EventKind::thread_end);
    worker.watch.activity.thread_id.store(begins ? platform::thread_id() : 0, relaxed);
    if (!tool::has_tool())
        return;
    if (begins)
        tell_thread_begin(worker);
    else
        tell_thread_end(worker);
}

} // namespace heddle::team
