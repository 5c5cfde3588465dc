// SPDX-License-Identifier: Apache-2.0
// What tests of team/ and construct/ sources need from the rest of the runtime: waits that spin
// little, and settings. Included once by a test, which is one translation unit.
#pragma once

#include "team/cpu_pressure.hpp"
#include "team/team.hpp"
#include "team/tool_events.hpp"
#include "team/watching.hpp"
#include "team/worker.hpp"

#include "explorer.hpp"

namespace heddle::team {

CpuPressure cpu_pressure;

/// How long waits of this execution spin and yield; part of the schedule.
inline void choose_wait_limits() {
    const uint64_t spins = explore::choose(2) * 18u, yields = explore::choose(2);
    cpu_pressure.relaxed_limits.store(spins << 32 | yields, platform::relaxed);
    cpu_pressure.crowded_limits.store(yields, platform::relaxed);
    cpu_pressure.cpus.store(8, platform::relaxed);
    cpu_pressure.cpu_share.set(8, false, ~uint32_t{0});
}

/// Nothing is learnt here, so a crowd's are what was chosen.
concurrent::WaitLimits crowded_wait_limits(int32_t) {
    const uint64_t yields = cpu_pressure.crowded_limits.load(platform::relaxed);
    return {0, static_cast<uint32_t>(yields), &cpu_pressure.cpu_share};
}

/// Counts the caller in, and sleeps until `all` are. The threads of a program may wait so.
inline void meet(platform::Atomic<uint32_t>& here, uint32_t all) {
    uint32_t now = here.fetch_add(1, platform::acq_rel) + 1;
    platform::wake(here, 8);
    for (; now < all; now = here.load(platform::acquire))
        platform::wait_on(here, now, platform::forever);
}

} // namespace heddle::team

// Nobody watches: no trace, no hang report.
namespace heddle::tool {
bool Recorder::next_chunk() { explore::fail("a trace here"); }
void Recorder::note_module(uint64_t) { explore::fail("a trace here"); }
void list_watch(Watch&, int32_t) { explore::fail("a trace here"); }
void restart_watches() { explore::fail("a trace here"); }
void prepare_tools() {}
uint64_t code_address(void (*function)(void*), const void*) {
    return reinterpret_cast<uintptr_t>(function);
}
} // namespace heddle::tool

namespace heddle::team {
void note_task_begin(Member&, TaskFunction, const void*, Start, const Family*) {
    explore::fail("a watched task");
}
void note_task_end(Member&, uint64_t) { explore::fail("a watched task"); }
void note_deferred(Member&) { explore::fail("a watched task"); }
void note_steal(Member&, tool::EventKind, uint64_t, int32_t) { explore::fail("a watched steal"); }
void note_region_begin(Member&, TaskFunction, const void*) { explore::fail("a watched region"); }
void note_region_end(Member&) { explore::fail("a watched region"); }
void note_implicit_begin(Member&, TaskFunction, const void*) { explore::fail("a watched region"); }
void note_implicit_end(Member&) { explore::fail("a watched region"); }
void note_loop(Member&, tool::EventKind, uint64_t, uint64_t) { explore::fail("a watched loop"); }
void note_sleep(Worker&, tool::EventKind) { explore::fail("a watched sleep"); }
void note_blocked(Member&, tool::WaitKind, const void*) { explore::fail("a watched wait"); }
void note_unblocked(Member&) { explore::fail("a watched wait"); }
void watch_thread(Worker&, bool) {}
} // namespace heddle::team

// And no tool.
namespace heddle::tool {
platform::Atomic<ompt_callback_t> callbacks[most_events];
platform::Atomic<uint32_t> active{0};
void (*start_tool)() = nullptr;
void (*forget_starter)() = nullptr;
} // namespace heddle::tool

namespace heddle::team {
void (*keep_in_sight)(Member& member) = nullptr;
void ToldEntry::enter(ToolThread&, Caller) { explore::fail("a tool here"); }
void ToldEntry::leave() { explore::fail("a tool here"); }
ToldWait::ToldWait(Member& member, ompt_sync_region_t kind, const void* code, bool is_region)
    : thread_(member.worker->tool), task_(*thread_.task), kind_(kind), code_(code), before_(thread_.state),
      is_region_(is_region) {
    explore::fail("a tool here");
}
ToldWait::~ToldWait() = default;
void tell_sync(const Member&, ompt_sync_region_t, ompt_scope_endpoint_t, const void*) {}
void tell_work(const Member&, ompt_work_t, ompt_scope_endpoint_t, uint64_t, const void*) {}
void begin_told_work(const Member&, ompt_work_t, uint64_t, const void*) {}
void end_told_work(const Member&) {}
void tell_chunk(const Member&, ompt_dispatch_t, uint64_t, uint64_t) {}
void tell_iteration(const Member&, ompt_dependence_type_t, const int64_t*, uint32_t) {}
void tell_thread_begin(Worker&) {}
void tell_region_begin(Member&, Caller, int) {}
void tell_region_end(Member&) {}
void tell_implicit_begin(Member&, ToolTask&) {}
void tell_implicit_end(Member&, ToolTask&) {}
void call_from_frame(Member&, TaskFunction, void*) {}
} // namespace heddle::team
