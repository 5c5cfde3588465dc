// SPDX-License-Identifier: Apache-2.0
// Telling a tool of threads, regions and implicit tasks, and of what happens inside them.
// On the thread concerned. A region's memory is its primary's, from its begin to its end.
#include "team/tool_events.hpp"

namespace heddle::team {

void (*keep_in_sight)(Member& member) = nullptr;

namespace {

using tool::tell;

ompt_data_t* data_of(ToolParallel* parallel) { return parallel ? &parallel->data : nullptr; }

ompt_state_t state_while(ompt_sync_region_t kind) {
    switch (kind) {
    case ompt_sync_region_taskwait:
        return ompt_state_wait_taskwait;
    case ompt_sync_region_taskgroup:
        return ompt_state_wait_taskgroup;
    case ompt_sync_region_barrier_implicit_parallel:
        return ompt_state_wait_barrier_implicit_parallel;
    case ompt_sync_region_barrier_implicit_workshare:
        return ompt_state_wait_barrier_implicit_workshare;
    case ompt_sync_region_barrier_implementation:
        return ompt_state_wait_barrier_implementation;
    case ompt_sync_region_barrier_teams:
        return ompt_state_wait_barrier_teams;
    default:
        return ompt_state_wait_barrier_explicit;
    }
}

int implicit_flags(int size) { return ompt_task_implicit | (size == 1 ? ompt_task_undeferred : 0); }

ompt_state_t working(const Member& member) {
    return member.team->level > 0 ? ompt_state_work_parallel : ompt_state_work_serial;
}

void begin_implicit(Member& member, ToolTask& task, ToolParallel& parallel) {
    ToolThread& thread = tool_of(member);
    task.flags = implicit_flags(member.team_size);
    task.number = member.number;
    task.parallel = &parallel;
    task.outer = parallel.encountering;
    thread.task = &task;
    thread.state = working(member);
    if (keep_in_sight)
        keep_in_sight(member);
    tell<ompt_callback_implicit_task>(ompt_scope_begin, &parallel.data, &task.data,
                                      static_cast<unsigned>(member.team_size),
                                      static_cast<unsigned>(member.number), ompt_task_implicit);
}

} // namespace

void ToldEntry::enter(ToolThread& thread, Caller caller) {
    task_ = thread.task;
    if (!task_)
        return;
    thread_ = &thread;
    code_before_ = thread.code;
    thread.code = caller.code;
    frame_before_ = task_->frame.enter_frame.ptr;
    task_->frame.enter_frame.ptr = caller.frame;
    task_->frame.enter_frame_flags = runtime_frame;
}

void ToldEntry::leave() {
    thread_->code = code_before_; // of an entry whose task has called this one
    task_->frame.enter_frame.ptr = frame_before_;
}

ToldWait::ToldWait(Member& member, ompt_sync_region_t kind, const void* code, bool is_region)
    : thread_(tool_of(member)), task_(*thread_.task), kind_(kind), code_(code),
      before_(thread_.state), is_region_(is_region) {
    if (is_region)
        tell<ompt_callback_sync_region>(kind, ompt_scope_begin, data_of(task_.parallel),
                                        &task_.data, code);
    tell<ompt_callback_sync_region_wait>(kind, ompt_scope_begin, data_of(task_.parallel),
                                         &task_.data, code);
    thread_.state = state_while(kind);
}

ToldWait::~ToldWait() {
    thread_.state = before_;
    if (kind_ == ompt_sync_region_barrier_implicit_parallel) {
        task_.parallel = nullptr; // its primary may have gone on
        if (task_.number != 0)
            task_.outer = nullptr; // and so may the task that met the region
    }
    tell<ompt_callback_sync_region_wait>(kind_, ompt_scope_end, data_of(task_.parallel),
                                         &task_.data, code_);
    if (is_region_)
        tell<ompt_callback_sync_region>(kind_, ompt_scope_end, data_of(task_.parallel), &task_.data,
                                        code_);
}

void tell_sync(const Member& member, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
               const void* code) {
    ToolTask& task = *tool_of(member).task;
    tell<ompt_callback_sync_region>(kind, endpoint, data_of(task.parallel), &task.data, code);
}

void tell_work(const Member& member, ompt_work_t kind, ompt_scope_endpoint_t endpoint,
               uint64_t count, const void* code) {
    ToolTask& task = *tool_of(member).task;
    tell<ompt_callback_work>(kind, endpoint, data_of(task.parallel), &task.data, count, code);
}

void begin_told_work(const Member& member, ompt_work_t kind, uint64_t count, const void* code) {
    tool_of(member).task->work = {kind, true, code};
    tell_work(member, kind, ompt_scope_begin, count, code);
}

void end_told_work(const Member& member) {
    ToolWork& work = tool_of(member).task->work;
    if (!work.open)
        return;
    work.open = false;
    tell_work(member, work.kind, ompt_scope_end, 0, work.code);
}

void tell_masked(const Member& member, ompt_scope_endpoint_t endpoint, const void* code) {
    ToolTask& task = *tool_of(member).task;
    tell<ompt_callback_masked>(endpoint, data_of(task.parallel), &task.data, code);
}

void tell_dispatch(const Member& member, ompt_dispatch_t kind, ompt_data_t instance) {
    ToolTask& task = *tool_of(member).task;
    tell<ompt_callback_dispatch>(data_of(task.parallel), &task.data, kind, instance);
}

void tell_chunk(const Member& member, ompt_dispatch_t kind, uint64_t start, uint64_t iterations) {
    ompt_dispatch_chunk_t chunk{start, iterations};
    ompt_data_t instance;
    instance.ptr = &chunk;
    tell_dispatch(member, kind, instance);
}

void tell_reduction(const Member& member, ompt_scope_endpoint_t endpoint, const void* code) {
    ToolTask& task = *tool_of(member).task;
    tell<ompt_callback_reduction>(ompt_sync_region_reduction, endpoint, data_of(task.parallel),
                                  &task.data, code);
}

void tell_iteration(const Member& member, ompt_dependence_type_t type, const int64_t* iteration,
                    uint32_t dimensions) {
    auto* list =
        static_cast<ompt_dependence_t*>(__builtin_alloca(dimensions * sizeof(ompt_dependence_t)));
    for (uint32_t i = 0; i < dimensions; ++i) {
        list[i].variable.value = static_cast<uint64_t>(iteration[i]);
        list[i].dependence_type = type;
    }
    tell<ompt_callback_dependences>(&tool_of(member).task->data, list,
                                    static_cast<int>(dimensions));
}

void tell_cancel(const Member& member, int flags, const void* code) {
    tell<ompt_callback_cancel>(&tool_of(member).task->data, flags, code);
    if ((flags & ompt_cancel_taskgroup) == 0)
        end_told_work(member);
}

void tell_thread_begin(Worker& worker) {
    ToolThread& thread = worker.tool;
    thread = {};
    thread.state = ompt_state_overhead;
    tell<ompt_callback_thread_begin>(
        worker.is_pool_thread ? ompt_thread_worker : ompt_thread_initial, &thread.data);
    thread.state = ompt_state_idle;
    if (worker.is_pool_thread)
        return;
    thread.state = ompt_state_work_serial;
    thread.task = &thread.initial;
    thread.initial.flags = ompt_task_initial;
    thread.initial.parallel = &thread.around;
    if (keep_in_sight)
        keep_in_sight(*worker.outermost.member);
    tell<ompt_callback_implicit_task>(ompt_scope_begin, &thread.around.data, &thread.initial.data,
                                      1u, 1u, ompt_task_initial);
}

void tell_thread_end(Worker& worker) {
    ToolThread& thread = worker.tool;
    if (thread.task == &thread.initial) // which stays: tasks that wait may have begun in it
        tell<ompt_callback_implicit_task>(ompt_scope_end, nullptr, &thread.initial.data, 0u, 1u,
                                          ompt_task_initial);
    tell<ompt_callback_thread_end>(&thread.data);
}

void begin_told(ToldRegion& region, Member& primary, Caller caller, int flags, unsigned requested) {
    ToolTask& outer = *tool_of(primary).task;
    region.encountering = &outer;
    region.code = caller.code;
    region.size = primary.team_size;
    region.flags = flags;
    outer.frame.enter_frame.ptr = caller.frame;
    outer.frame.enter_frame_flags = runtime_frame;
    tell<ompt_callback_parallel_begin>(&outer.data, &outer.frame, &region.data, requested, flags,
                                       caller.code);
    begin_implicit(primary, region.implicit, region);
}

void end_told(ToldRegion& region, Member& primary, const Member& outside) {
    ToolThread& thread = tool_of(primary);
    ToolTask& outer = *region.encountering;
    tell<ompt_callback_implicit_task>(ompt_scope_end, nullptr, &region.implicit.data,
                                      static_cast<unsigned>(primary.team_size), 0u,
                                      ompt_task_implicit);
    thread.task = &outer;
    thread.state = working(outside);
    tell<ompt_callback_parallel_end>(&region.data, &outer.data, region.flags, region.code);
    outer.frame.enter_frame.ptr = nullptr;
}

void tell_region_begin(Member& primary, Caller caller, int flags) {
    ToolThread& thread = tool_of(primary);
    void* memory = platform::allocate(sizeof(ToldRegion), alignof(ToldRegion));
    if (!memory)
        platform::die("no memory for a parallel region that a tool watches");
    auto* region = ::new (memory) ToldRegion;
    primary.team->tool = region;
    const unsigned requested =
        thread.requested ? thread.requested : static_cast<unsigned>(primary.team_size);
    thread.requested = 0;
    begin_told(*region, primary, caller, flags, requested);
}

void tell_region_end(Member& primary) {
    auto* region = static_cast<ToldRegion*>(primary.team->tool);
    end_told(*region, primary, *primary.enclosing);
    primary.team->tool = nullptr;
    platform::deallocate(region);
}

void tell_implicit_begin(Member& member, ToolTask& task) {
    begin_implicit(member, task, *member.team->tool);
}

void tell_implicit_end(Member& member, ToolTask& task) {
    ToolThread& thread = tool_of(member);
    tell<ompt_callback_implicit_task>(ompt_scope_end, nullptr, &task.data,
                                      static_cast<unsigned>(member.team_size),
                                      static_cast<unsigned>(member.number), ompt_task_implicit);
    thread.task = nullptr;
    thread.state = ompt_state_idle;
}

void call_from_frame(Member& member, TaskFunction function, void* data) {
    ToolTask& task = *tool_of(member).task;
    task.frame.exit_frame.ptr = __builtin_frame_address(0);
    task.frame.exit_frame_flags = runtime_frame;
    function(data);
    task.frame.exit_frame.ptr = nullptr;
}

} // namespace heddle::team
