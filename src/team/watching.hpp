// SPDX-License-Identifier: Apache-2.0
// The places at which HEDDLE_TRACE and HEDDLE_HANG_SIGNAL note something, each one line there. As
// in counting.hpp nothing is done, and no fast path passes here, unless the bit `counting` is set.
// Called on the member's own thread.
#pragma once

#include "team/counting.hpp"
#include "tool/modules.hpp"

namespace heddle::team {

/// How an explicit task came to run; the numbers are those of the trace.
enum class Start : uint8_t { at_once, taken_back, stolen };

void note_task_begin(Member& member, TaskFunction function, const void* data, Start start,
                     const Family* family);
void note_task_end(Member& member, uint64_t outer);

/// Lives as long as an explicit task runs. `family`: of a deferred task, else nullptr.
class WatchedTask {
public:
    WatchedTask(Member& member, TaskFunction function, const void* data, Start start,
                const Family* family = nullptr)
        : member_(member), on_(counts(member)) {
        if (HEDDLE_UNLIKELY(on_)) {
            outer_ = member.worker->watch.activity.task.load(platform::relaxed); // its own
            note_task_begin(member, function, data, start, family);
        }
    }
    ~WatchedTask() {
        if (HEDDLE_UNLIKELY(on_))
            note_task_end(member_, outer_);
    }
    WatchedTask(const WatchedTask&) = delete;
    WatchedTask& operator=(const WatchedTask&) = delete;

private:
    Member& member_;
    uint64_t outer_ = 0;
    bool on_;
};

/// The same where begin and end are two calls of generated code: there is nothing to remember.
inline void watch_undeferred(Member& member, const void* code) {
    if (counts(member))
        note_task_begin(member, nullptr, code, Start::at_once, nullptr);
}
inline void watch_undeferred_end(Member& member) {
    if (counts(member))
        note_task_end(member, 0);
}

void note_deferred(Member& member);
void note_steal(Member& member, tool::EventKind kind, uint64_t tasks, int32_t victim);

/// A batch was taken from `victim`.
inline void watch_steal(Member& member, tool::EventKind kind, uint64_t tasks,
                        const Member& victim) {
    if (counts(member))
        note_steal(member, kind, tasks, victim.number);
}

/// Regions whose team has the bit `watched`. By the primary, and by each other thread.
void note_region_begin(Member& primary, TaskFunction function, const void* data);
void note_region_end(Member& primary);
void note_implicit_begin(Member& member, TaskFunction function, const void* data);
void note_implicit_end(Member& member);

void note_loop(Member& member, tool::EventKind kind, uint64_t iterations, uint64_t schedule);

void note_sleep(Worker& worker, tool::EventKind kind);

/// About to sleep, and awake again. Counts the sleep.
class WatchedSleep {
public:
    explicit WatchedSleep(Member& member) : member_(member) {
        if (counts(member))
            note_sleep(*member.worker, tool::EventKind::sleep_begin);
    }
    ~WatchedSleep() {
        if (counts(member_))
            note_sleep(*member_.worker, tool::EventKind::sleep_end);
    }
    WatchedSleep(const WatchedSleep&) = delete;
    WatchedSleep& operator=(const WatchedSleep&) = delete;

private:
    Member& member_;
};

void note_blocked(Member& member, tool::WaitKind kind, const void* object);
void note_unblocked(Member& member);

/// Lives as long as a thread waits where it may run no task: for a lock, for another thread.
class WatchedWait {
public:
    WatchedWait(Member& member, tool::WaitKind kind, const void* object) : member_(member) {
        if (counts(member))
            note_blocked(member, kind, object);
    }
    ~WatchedWait() {
        if (counts(member_))
            note_unblocked(member_);
    }
    WatchedWait(const WatchedWait&) = delete;
    WatchedWait& operator=(const WatchedWait&) = delete;

private:
    Member& member_;
};

/// A thread begins to be, or ends being, that of `worker`. Outside regions.
void watch_thread(Worker& worker, bool begins);

} // namespace heddle::team
