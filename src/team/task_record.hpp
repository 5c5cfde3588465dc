// SPDX-License-Identifier: Apache-2.0
// What a deferred task needs beyond a slot: dependences, an event to be fulfilled (detach), a
// priority, a hint; or a thread that waits for predecessors. Made by schedule/record.cpp on the
// encountering thread; a slot of a deque points to it once the task is ready, or a box or the inbox
// holds it. Its atomics are its predecessors' and the fulfilling thread's, `uses` the creator's;
// the rest belongs to the creator until `missing` is complete, then to who runs it.
#pragma once

#include "concurrent/successor_list.hpp"
#include "team/hints.hpp"
#include "team/task.hpp"

namespace heddle::team {

struct Team;

/// In memory that begins with its Capture header, followed by links, uses and captured data; those
/// are in a block of their own where the record was made first, for its event.
struct alignas(concurrent::cache_line) TaskRecord {
    Capture capture; ///< where this memory goes back to, and the captured data
    TaskFunction function;
    TaskFunction discard; ///< called instead if the task is cancelled; or nullptr
    uintptr_t tag;        ///< Family and slot_tag bits, as in a slot
    concurrent::SuccessorList successors;
    concurrent::CompletionCount missing; ///< predecessors that are not complete
    Member* waiter;                      ///< not a task: this thread waits for its predecessors
    int32_t uses;      ///< entries of the dependence table that name it; the creator's
    int32_t links;     ///< how many predecessors there is room for
    int32_t priority;  ///< 0 to max-task-priority-var
    int32_t preferred; ///< the thread that a hint means, whose box it waits in when ready; or -1
    uint64_t sequence; ///< among equal priorities the first created is the first to run
    Team* team;        ///< whose barrier waits for the event
    Capture* room;     ///< the block with links, uses and data; nullptr: they follow the record
    bool must_run;     ///< cancellation may not skip the function, which has something to destroy
    bool detachable;   ///< complete only when its event is fulfilled as well
    platform::Atomic<uint32_t> event; ///< the bits below
    TaskRecord* next;                 ///< in the team's inbox, under its lock, or in a box
    ThreadShare share;                ///< of a spread group: over which its children are spread
    const void* location;             ///< of a data hint, to be learnt where it runs; or nullptr

    static constexpr uint32_t fulfilled = 1; ///< omp_fulfill_event was called
    static constexpr uint32_t executed = 2;  ///< the structured block has ended
    static constexpr uint32_t released = 4;  ///< nobody else needs the record any more
    static constexpr uint32_t told = 8;      ///< a tool is told of the task, which is made

    Family* family() const { return reinterpret_cast<Family*>(tag & ~slot_tag::mask); }
};

} // namespace heddle::team
