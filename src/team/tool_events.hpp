// SPDX-License-Identifier: Apache-2.0
// What a tool is told of threads, parallel regions and implicit tasks, and the parts that all other
// events share: who is concerned, where the program called the runtime, and waiting regions.
// Called on the thread concerned, where the bit `counting` is set: no fast path passes here.
// Source: OpenMP 5.2 sections 19.4 and 19.5. docs/ompt.md.
#pragma once

#include "team/counting.hpp"
#include "team/tool_state.hpp"

namespace heddle::team {

inline ToolThread& tool_of(const Member& member) { return member.worker->tool; }

/// Is a tool told what the member does? The same from the begin of its implicit task to the end,
/// also where the tool ends in between: who has begun to tell goes on, and calls nothing, for the
/// callbacks are gone.
inline bool tells(const Member& member) { return counts(member) && tool_of(member).task; }

/// The same of the calling thread, for entry points that otherwise look at no member.
inline bool tells_here() { return HEDDLE_UNLIKELY(tool::has_tool()) && tells(self()); }

/// Where an entry point was called: the address that it returns to, and its own frame.
struct Caller {
    const void* code = nullptr;
    void* frame = nullptr;
};
/// Of the function that it is written in, or that this one is inlined into. The frame is where a
/// frame pointer would have been saved.
#define HEDDLE_CALLER                                                                              \
    (heddle::team::Caller{__builtin_return_address(0),                                             \
                          static_cast<char*>(__builtin_dwarf_cfa()) - 16})

/// What mutex events name: all of our locks spin, then sleep on a futex.
inline constexpr int mutex_impl_futex = 1;

/// As long as it lives the current task is in the runtime, called from `caller`.
class ToldEntry {
public:
    ToldEntry(const Member& member, Caller caller) {
        if (HEDDLE_UNLIKELY(tells(member)))
            enter(tool_of(member), caller);
    }
    ~ToldEntry() {
        if (HEDDLE_UNLIKELY(task_ != nullptr))
            leave();
    }
    ToldEntry(const ToldEntry&) = delete;
    ToldEntry& operator=(const ToldEntry&) = delete;
    bool is_told() const { return task_ != nullptr; }

private:
    void enter(ToolThread& thread, Caller caller);
    void leave();

    ToolThread* thread_ = nullptr;
    ToolTask* task_ = nullptr;
    void* frame_before_ = nullptr;
    const void* code_before_ = nullptr;
};

/// A wait in a synchronizing region of kind `kind`, as long as this lives, and the region itself if
/// `is_region`. `code` is told at both ends. Nobody knows the parallel region after the barrier
/// that ends it.
class ToldWait {
public:
    ToldWait(Member& member, ompt_sync_region_t kind, const void* code, bool is_region = true);
    ~ToldWait();
    ToldWait(const ToldWait&) = delete;
    ToldWait& operator=(const ToldWait&) = delete;

private:
    ToolThread& thread_;
    ToolTask& task_;
    ompt_sync_region_t kind_;
    const void* code_;
    ompt_state_t before_;
    bool is_region_;
};

/// Begin or end of a region of kind `kind`, without waiting.
void tell_sync(const Member& member, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
               const void* code);
void tell_work(const Member& member, ompt_work_t kind, ompt_scope_endpoint_t endpoint,
               uint64_t count, const void* code);
/// Of loops and sections, whose chunks the runtime hands out: `code` is told at the end as well.
/// A thread that leaves for a cancelled region has ended them, see tell_cancel().
void begin_told_work(const Member& member, ompt_work_t kind, uint64_t count, const void* code);
void end_told_work(const Member& member);
void tell_masked(const Member& member, ompt_scope_endpoint_t endpoint, const void* code);
void tell_dispatch(const Member& member, ompt_dispatch_t kind, ompt_data_t instance);
void tell_chunk(const Member& member, ompt_dispatch_t kind, uint64_t start, uint64_t iterations);
void tell_reduction(const Member& member, ompt_scope_endpoint_t endpoint, const void* code);
/// The source or sink of an iteration, by the values of its `dimensions` loop variables.
void tell_iteration(const Member& member, ompt_dependence_type_t type, const int64_t* iteration,
                    uint32_t dimensions);
void tell_cancel(const Member& member, int flags, const void* code);

/// A thread begins to be, or ends being, that of `worker`.
void tell_thread_begin(Worker& worker);
void tell_thread_end(Worker& worker);

/// A region, and its primary's implicit task.
struct ToldRegion : ToolParallel {
    ToolTask implicit;
};

/// A region of `primary`'s team, for which the program asked for `requested` threads. `flags` say
/// what calls its code.
void begin_told(ToldRegion& region, Member& primary, Caller caller, int flags, unsigned requested);
/// Afterwards the thread is what `outside` is.
void end_told(ToldRegion& region, Member& primary, const Member& outside);

/// The region that form() has prepared begins, and the primary's implicit task: begin_told() with
/// memory of its own.
void tell_region_begin(Member& primary, Caller caller, int flags);
void tell_region_end(Member& primary);

/// On the other threads; `task` lives until the end.
void tell_implicit_begin(Member& member, ToolTask& task);
void tell_implicit_end(Member& member, ToolTask& task);

/// Calls function(data), code of the program, as the current task.
void call_from_frame(Member& member, TaskFunction function, void* data);

/// The tool has ended: new members need not be watched for it. In attach.cpp.
void stop_telling();

/// Makes the paths slow on which the current task would not be seen: set by schedule/told_tasks,
/// which gives it a family.
extern void (*keep_in_sight)(Member& member);

} // namespace heddle::team
