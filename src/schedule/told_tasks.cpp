// SPDX-License-Identifier: Apache-2.0
// Creating, executing and completing tasks that a tool is told of. On the encountering thread, then
// on the executing one; memory is the system's, for tools are not measured by us.
#include "schedule/told_tasks.hpp"

#include "schedule/cancel.hpp"
#include "schedule/capture.hpp"
#include "tool/modules.hpp"

namespace heddle::schedule {

namespace {

using team::tool_of;
using team::ToolTask;
using team::ToolThread;
using tool::tell;

ToldTask& told(void* captured) { return **static_cast<ToldTask**>(captured); }

int flags_of(const Member& member, const NewTask& task, bool deferrable) {
    const bool in_final = member.current->context()->final;
    return told_kind(task.target) | (deferrable && !in_final ? 0 : ompt_task_undeferred) |
           (task.untied ? ompt_task_untied : 0) | (task.final || in_final ? ompt_task_final : 0);
}

ompt_dependence_t told_dependence(const Dependence& dependence) {
    ompt_dependence_t told{};
    told.variable.ptr = const_cast<void*>(dependence.address);
    told.dependence_type = static_cast<ompt_dependence_type_t>(dependence.told_as);
    return told;
}

void tell_dependences(ToolTask& task, const Dependences& dependences) {
    const auto function = tool::callback<ompt_callback_dependences>();
    if (dependences.count == 0 || !function)
        return;
    auto* list = static_cast<ompt_dependence_t*>(platform::allocate(
        dependences.count * sizeof(ompt_dependence_t), alignof(ompt_dependence_t)));
    if (!list)
        return; // the tool misses some
    for (size_t i = 0; i < dependences.count; ++i)
        list[i] = told_dependence(dependences.list[i]);
    function(&task.data, list, static_cast<int>(dependences.count));
    platform::deallocate(list);
}

void tell_created(Member& member, ToolTask& task, const Dependences& dependences) {
    ToolThread& thread = tool_of(member);
    ToolTask& parent = *thread.task;
    tell<ompt_callback_task_create>(&parent.data, &parent.frame, &task.data, task.flags,
                                    dependences.count != 0 ? 1 : 0, thread.code);
    tell_dependences(task, dependences);
}

/// The current task is suspended and `task` begins.
void begin(Member& member, ToldTask& task) {
    ToolThread& thread = tool_of(member);
    ToolTask& before = *thread.task;
    task.outer = &before;
    task.parallel = before.parallel;
    task.number = member.number;
    thread.task = &task;
    const ompt_task_status_t why = thread.leaving;
    thread.leaving = ompt_task_switch;
    tell<ompt_callback_task_schedule>(&before.data, why, &task.data);
    if (task.chunk.iterations != 0)
        team::tell_chunk(member, ompt_dispatch_taskloop_chunk, task.chunk.start,
                         task.chunk.iterations);
}

/// How the task ends: cancelled, or with a detach clause whose event is not fulfilled, or complete.
ompt_task_status_t status_of(Member& member, const ToldTask& task) {
    if (HEDDLE_UNLIKELY(config::settings().cancellation) &&
        is_cancelled(member, *member.current->context()))
        return ompt_task_cancel;
    if (!task.event || task.fulfilled)
        return ompt_task_complete;
    const uint32_t event = task.event->event.load(platform::relaxed); // before there was a task?
    return event & TaskRecord::fulfilled ? ompt_task_complete : ompt_task_detach;
}

/// Held where a task's end is told, if it has an event: that is told by whoever fulfills it.
class EventLock {
public:
    explicit EventLock(ToldTask& task) : task_(task) {
        if (task.event)
            task.lock.lock(concurrent::brief_lock_limits);
    }
    ~EventLock() {
        if (task_.event)
            task_.lock.unlock();
    }
    EventLock(const EventLock&) = delete;
    EventLock& operator=(const EventLock&) = delete;

private:
    ToldTask& task_;
};

/// The thread goes on with `next`.
void tell_end(ToldTask& task, ompt_task_status_t status, ToolTask& next) {
    task.ended = status != ompt_task_complete;
    tell<ompt_callback_task_schedule>(&task.data, status, &next.data);
}

void end(Member& member, ToldTask& task) {
    ToolThread& thread = tool_of(member);
    ToolTask& before = *task.outer;
    thread.task = &before;
    const EventLock lock(task);
    tell_end(task, status_of(member, task), before);
}

/// In the chain a thread's state belongs to the task that runs.
class State {
public:
    explicit State(ToolThread& thread) : thread_(thread), before_(thread.state) {
        thread.state = ompt_state_work_parallel;
    }
    ~State() { thread_.state = before_; }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

private:
    ToolThread& thread_;
    ompt_state_t before_;
};

void discard_told_task(void* captured) {
    ToldTask& task = told(captured);
    tell<ompt_callback_cancel>(&task.data, ompt_cancel_taskgroup | ompt_cancel_discarded_task,
                               nullptr);
    {
        const EventLock lock(task);
        tell_end(task, ompt_task_cancel, *tool_of(team::self()).task);
    }
    if (task.discard)
        task.discard(task.captured);
    if (!task.has_record)
        free_told_task(&task);
}

/// A family makes taskwait and barriers look here.
void give_family(Member& member) { current_family(member, *member.current); }

const void* told_code(const void* captured) {
    const ToldTask& task = told(const_cast<void*>(captured));
    return reinterpret_cast<const void*>(tool::code_address(task.function, task.captured));
}

__attribute__((constructor)) void set_up() {
    team::keep_in_sight = give_family;
    tool::add_detour(run_told_task, told_code);
    tool::add_detour(discard_told_task, told_code);
}

} // namespace

void run_told_task(void* captured) {
    ToldTask& task = told(captured);
    team::Member& member = team::self();
    begin(member, task);
    give_family(member);
    {
        const State state(tool_of(member));
        team::call_from_frame(member, task.function, task.captured);
    }
    const bool has_record = task.has_record;
    end(member, task);
    if (!has_record)
        free_told_task(&task);
}

void create_told_task(Member& member, const NewTask& task, const TaskClauses& clauses,
                      bool deferrable) {
    // A thread alone defers nothing that it need not: its tasks are what they are said to be.
    const bool may_defer = deferrable && (member.team_size > 1 || clauses.event);
    const Context& context = *member.current->context();
    const bool discards = is_cancelled(member, context); // and makes no copies to be destroyed
    const bool copies = !discards && (task.copy || (may_defer && !context.final));
    const size_t room = copies ? room_for_data(task) : 0;
    void* memory = platform::allocate(sizeof(ToldTask) + room, alignof(ToldTask));
    if (!memory)
        platform::die("no memory for a task that a tool watches");
    auto* told = ::new (memory) ToldTask;
    told->flags = flags_of(member, task, may_defer);
    told->function = task.function;
    told->discard = task.discard;
    told->event = clauses.event;
    told->chunk = tool_of(member).chunk;
    tool_of(member).chunk = {};
    tell_created(member, *told, clauses.dependences);
    told->captured = copies ? capture_into(member, task, told + 1) : task.data;
    NewTask wrapped = task;
    wrapped.function = run_told_task;
    wrapped.data = &told;
    wrapped.copy = nullptr;
    wrapped.first_words = nullptr;
    wrapped.size = sizeof told;
    wrapped.alignment = alignof(ToldTask*);
    wrapped.discard = discard_told_task;
    wrapped.must_run = copies && task.copy != nullptr;
    create_any_task(member, wrapped, clauses, may_defer);
}

ToldTask* begin_told_undeferred(Member& member, int flags, TaskRecord* event, team::Caller caller,
                                void* exit) {
    void* memory = platform::allocate(sizeof(ToldTask), alignof(ToldTask));
    if (!memory)
        platform::die("no memory for a task that a tool watches");
    auto* told = ::new (memory) ToldTask;
    told->flags = flags | ompt_task_undeferred;
    told->event = event;
    ToolThread& thread = tool_of(member);
    ToolTask& parent = *thread.task;
    parent.frame.enter_frame.ptr = caller.frame;
    parent.frame.enter_frame_flags = team::runtime_frame;
    tell<ompt_callback_task_create>(&parent.data, &parent.frame, &told->data, told->flags, 0,
                                    caller.code);
    begin(member, *told);
    told->frame.exit_frame.ptr = exit;
    told->frame.exit_frame_flags = team::program_frame;
    return told;
}

void end_told_undeferred(Member& member, ToldTask* task) {
    task->frame.exit_frame.ptr = nullptr;
    task->outer->frame.enter_frame.ptr = nullptr;
    const bool has_record = task->has_record;
    end(member, *task);
    if (!has_record)
        free_told_task(task);
}

void tell_and_wait_for_dependences(Member& member, const Dependences& dependences) {
    ToolTask task;
    task.flags = ompt_task_taskwait | ompt_task_undeferred | ompt_task_mergeable;
    tell_created(member, task, dependences);
    await_dependences(member, dependences);
    tell<ompt_callback_task_schedule>(&task.data, ompt_taskwait_complete,
                                      static_cast<ompt_data_t*>(nullptr));
}

ToldTask* told_task_of(const TaskRecord& record) {
    return record.function == run_told_task ? &told(record.capture.data) : nullptr;
}

void free_told_task(ToldTask* task) { platform::deallocate(task); }

void tell_fulfilled(const TaskRecord& record) {
    ToldTask* const task = told_task_of(record);
    if (!task)
        return;
    const concurrent::LockGuard guard(task->lock);
    if (!task->fulfilled)
        tell<ompt_callback_task_schedule>(
            &task->data, task->ended ? ompt_task_late_fulfill : ompt_task_early_fulfill,
            static_cast<ompt_data_t*>(nullptr));
    task->fulfilled = true;
}

void tell_dependence(const TaskRecord& predecessor, const TaskRecord& successor) {
    ToldTask* const before = told_task_of(predecessor);
    ToldTask* const after = told_task_of(successor);
    if (before && after)
        tell<ompt_callback_task_dependence>(&before->data, &after->data);
}

} // namespace heddle::schedule
