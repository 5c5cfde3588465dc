// SPDX-License-Identifier: Apache-2.0
// A tool that looks whether the events of a random program fit together: what begins ends, on the
// same task, and inside what is around it; every task that is created ends or is discarded; what
// the entry points answer is what was told. What is wrong is written to stderr. One lock for all.
// Built by run.py --events, loaded by OMP_TOOL_LIBRARIES. Source: OpenMP 5.2 chapter 19.
#include "omp-tools.h"

#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace {

/// What is wrong is told this often, and counted.
constexpr int most_told = 10;
int failures = 0;
std::mutex& lock = *new std::mutex; // threads end after static objects

__attribute__((format(printf, 1, 2))) void fail(const char* format, ...) {
    if (++failures > most_told)
        return;
    va_list arguments;
    va_start(arguments, format);
    fputs("events: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

struct Task;

struct Region {
    unsigned size = 0;
    int flags = 0;
    Task* encountering = nullptr; ///< nullptr around an initial task
    std::set<unsigned> begun, finished;
    bool ended = false;
};

/// Discarded: its end as a cancelled one is to follow. Who is cancelled may have an event as well.
enum class State { created, running, suspended, discarded, cancelled, detached, complete };
enum class Scope { sync, wait, reduction, work, masked };

struct Task {
    Region* region;
    Task* outer; ///< of an implicit task: what its thread was at before
    int flags;
    State state;
    unsigned index = 0;                           ///< of an implicit task
    std::vector<std::pair<Scope, int>> open = {}; ///< regions inside, and their kinds
    struct Thread* thread = nullptr;
    bool fulfilled = false; ///< its event, before it ended
};

using Mutex = std::pair<int, ompt_wait_id_t>;

struct Thread {
    ompt_thread_t type;
    Task* current = nullptr;
    bool ended = false;
    std::multiset<Mutex> wanted = {}, held = {};
};

// Never freed, so whatever an event names can be looked at.
auto& tasks = *new std::vector<Task*>;
auto& regions = *new std::vector<Region*>;
auto& threads = *new std::vector<Thread*>;

ompt_get_thread_data_t thread_data;
ompt_get_task_info_t task_info;
ompt_get_parallel_info_t parallel_info;

Task* task_of(const ompt_data_t* data) { return data ? static_cast<Task*>(data->ptr) : nullptr; }
Region* region_of(const ompt_data_t* data) {
    return data ? static_cast<Region*>(data->ptr) : nullptr;
}

/// The calling thread, which has to have begun.
Thread& self(const char* event) {
    const ompt_data_t* data = thread_data();
    if (data && data->ptr) {
        auto* thread = static_cast<Thread*>(data->ptr);
        if (thread->ended)
            fail("%s on a thread that has ended", event);
        return *thread;
    }
    fail("%s on a thread that has not begun", event);
    static Thread nobody{ompt_thread_unknown};
    return nobody;
}

/// `task` is what the thread executes. `known`: and so is its region.
void is_current(const Thread& thread, const Task* task, const char* event, bool known = true) {
    if (task != thread.current || !task)
        return fail("%s of a task that is not the current one", event);
    int flags = 0, number = -1, size = 0;
    ompt_data_t *data = nullptr, *region = nullptr;
    if (!task_info(0, &flags, &data, nullptr, &region, &number) || task_of(data) != task)
        fail("%s: ompt_get_task_info() names another task", event);
    if ((flags & ompt_task_implicit) && static_cast<unsigned>(number) != task->index)
        fail("%s: ompt_get_task_info() says %d instead of %u", event, number, task->index);
    if (known && region_of(region) != task->region)
        fail("%s: ompt_get_task_info() names another region", event);
    region = nullptr;
    if (known && (!parallel_info(0, &region, &size) || region_of(region) != task->region))
        fail("%s: ompt_get_parallel_info() names another region", event);
    for (int level = 1; task_info(level, &flags, &data, nullptr, &region, &number); ++level)
        if (!data)
            fail("%s: a task without data on level %d", event, level);
}

void on_thread_begin(ompt_thread_t type, ompt_data_t* data) {
    const std::lock_guard guard(lock);
    if (data->ptr)
        fail("a thread begins twice");
    threads.push_back(new Thread{type});
    data->ptr = threads.back();
}

void on_thread_end(ompt_data_t* data) {
    const std::lock_guard guard(lock);
    auto* thread = static_cast<Thread*>(data->ptr);
    if (!thread || std::exchange(thread->ended, true))
        return fail("a thread ends that has not begun, or twice");
    if (thread->type == ompt_thread_worker && thread->current)
        fail("a worker ends in a task");
    if (!thread->held.empty())
        fail("a thread ends with a mutex");
}

void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* data,
                       unsigned requested, int flags, const void* code) {
    const std::lock_guard guard(lock);
    is_current(self("parallel_begin"), task_of(task), "parallel_begin");
    regions.push_back(new Region{0, flags, task_of(task), {}, {}});
    data->ptr = regions.back();
    if (!frame || !frame->enter_frame.ptr || !code || requested == 0)
        fail("parallel_begin without frame, code or threads");
}

void on_parallel_end(ompt_data_t* data, ompt_data_t* task, int flags, const void* code) {
    const std::lock_guard guard(lock);
    is_current(self("parallel_end"), task_of(task), "parallel_end");
    Region* region = region_of(data);
    if (!region || std::exchange(region->ended, true))
        return fail("a region ends that has not begun, or twice");
    if (region->encountering != task_of(task) || region->flags != flags || !code)
        fail("a region ends as another one");
    if (region->begun.size() != region->size)
        fail("a region of %u had %zu implicit tasks", region->size, region->begun.size());
}

void begin_implicit(Thread& thread, ompt_data_t* parallel, ompt_data_t* data, unsigned size,
                    unsigned index, int flags) {
    if (!parallel->ptr && (flags & ompt_task_initial)) // the region around an initial task
        parallel->ptr = new Region;
    Region* region = region_of(parallel);
    tasks.push_back(new Task{region, thread.current, flags, State::running, index});
    data->ptr = thread.current = tasks.back();
    thread.current->thread = &thread;
    if (!region)
        return fail("an implicit task of no region");
    if (!region->encountering)
        return;
    if (region->ended || (region->size != 0 && region->size != size))
        fail("an implicit task of a region that has ended, or of another size");
    region->size = size;
    if (!region->begun.insert(index).second)
        fail("two implicit tasks with the number %u", index);
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* data,
                      unsigned size, unsigned index, int flags) {
    const std::lock_guard guard(lock);
    Thread& thread = self("implicit_task");
    if (endpoint == ompt_scope_begin)
        return begin_implicit(thread, parallel, data, size, index, flags);
    Task* task = task_of(data);
    if (!task || task != thread.current || task->state == State::complete || task->index != index)
        return fail("an implicit task ends that is not current, or twice");
    if (!task->open.empty())
        fail("an implicit task ends in a region of kind %d", task->open.back().second);
    if (task->region->encountering)
        task->region->finished.insert(index);
    task->state = State::complete;
    thread.current = task->outer;
}

void on_task_create(ompt_data_t* parent, const ompt_frame_t*, ompt_data_t* data, int flags, int,
                    const void* code) {
    const std::lock_guard guard(lock);
    const Thread& thread = self("task_create");
    is_current(thread, task_of(parent), "task_create");
    Region* region = thread.current ? thread.current->region : nullptr;
    tasks.push_back(new Task{region, task_of(parent), flags, State::created});
    data->ptr = tasks.back();
    if (!code)
        fail("a task is created nowhere, flags %x", flags);
}

/// The task has executed: is it detached, or complete?
void leave(Task& task, ompt_task_status_t status) {
    constexpr int kinds = ompt_task_explicit | ompt_task_target;
    if (!(task.flags & kinds) || !task.open.empty() || task.state != State::running)
        fail("a task ends, status %d, that is not explicit, in a region, or twice", status);
    task.state = status == ompt_task_detach   ? State::detached
                 : status == ompt_task_cancel ? State::cancelled
                                              : State::complete;
}

void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
    const std::lock_guard guard(lock);
    Task *before = task_of(prior), *after = task_of(next);
    if (!before)
        return fail("task_schedule from no task, status %d", status);
    if (status == ompt_task_late_fulfill || status == ompt_task_early_fulfill) {
        const bool late = status == ompt_task_late_fulfill;
        const bool ended = before->state == State::detached || before->state == State::cancelled;
        if (late != ended || std::exchange(before->fulfilled, true))
            fail("an event is fulfilled as %s in the wrong moment", late ? "late" : "early");
        before->state = late ? State::complete : before->state;
        return;
    }
    Thread& thread = self("task_schedule"); // an event may be fulfilled by any thread
    if (status == ompt_taskwait_complete) {
        before->state = State::complete;
        return;
    }
    if (before->state == State::discarded) {
        if (status != ompt_task_cancel || after != thread.current)
            fail("a discarded task ends, status %d, not as cancelled, or to another task", status);
        before->state = State::cancelled;
        return;
    }
    if (before != thread.current || !after)
        return fail("task_schedule from a task that is not current, or to none");
    if (status == ompt_task_switch || status == ompt_task_yield)
        before->state = State::suspended;
    else
        leave(*before, status);
    if (after->state != State::created && after->state != State::suspended)
        fail("a task begins or goes on that has ended or runs");
    if (after->state == State::suspended && after->thread != &thread &&
        !(after->flags & ompt_task_untied))
        fail("a tied task goes on elsewhere");
    after->state = State::running;
    after->thread = &thread;
    thread.current = after;
}

void note_scope(Scope scope, int kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                ompt_data_t* data, const char* event) {
    Task* task = task_of(data);
    is_current(self(event), task, event, parallel != nullptr);
    if (!task)
        return;
    if (parallel && region_of(parallel) != task->region)
        fail("%s of another region", event);
    if (endpoint == ompt_scope_begin)
        task->open.push_back({scope, kind});
    else if (endpoint == ompt_scope_end) {
        if (task->open.empty() || task->open.back() != std::pair(scope, kind))
            return fail("%s of kind %d ends, which is not the innermost region", event, kind);
        task->open.pop_back();
    }
}

template <Scope scope>
void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
             ompt_data_t* data, const void*) {
    constexpr const char* event = scope == Scope::sync   ? "sync_region"
                                  : scope == Scope::wait ? "sync_region_wait"
                                                         : "reduction";
    const std::lock_guard guard(lock);
    note_scope(scope, kind, endpoint, parallel, data, event);
}

void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
             ompt_data_t* data, uint64_t, const void* code) {
    const std::lock_guard guard(lock);
    note_scope(Scope::work, kind, endpoint, parallel, data, "work");
    if (!code)
        fail("work of kind %d nowhere", kind);
}

void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* data,
               const void*) {
    const std::lock_guard guard(lock);
    note_scope(Scope::masked, 0, endpoint, parallel, data, "masked");
}

void on_dispatch(ompt_data_t*, ompt_data_t* data, ompt_dispatch_t kind, ompt_data_t) {
    const std::lock_guard guard(lock);
    const Task* task = task_of(data);
    is_current(self("dispatch"), task, "dispatch");
    const bool inside = task && !task->open.empty() && task->open.back().first == Scope::work;
    if (kind != ompt_dispatch_taskloop_chunk && !inside)
        fail("dispatch of kind %d outside of work", kind);
}

void on_acquire(ompt_mutex_t kind, unsigned, unsigned, ompt_wait_id_t id, const void* code) {
    const std::lock_guard guard(lock);
    self("mutex_acquire").wanted.insert({kind, id});
    if (id == 0 || !code)
        fail("a mutex of kind %d is acquired nowhere, or is none", kind);
}

void on_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void*) {
    const std::lock_guard guard(lock);
    Thread& thread = self("mutex_acquired");
    const auto wanted = thread.wanted.find({kind, id});
    if (wanted == thread.wanted.end())
        return fail("a mutex of kind %d is acquired unasked", kind);
    thread.wanted.erase(wanted);
    thread.held.insert({kind, id});
}

void on_released(ompt_mutex_t kind, ompt_wait_id_t id, const void*) {
    const std::lock_guard guard(lock);
    Thread& thread = self("mutex_released");
    const int tested = kind == ompt_mutex_lock ? ompt_mutex_test_lock : ompt_mutex_test_nest_lock;
    auto held = thread.held.find({kind, id});
    if (held == thread.held.end() && (kind == ompt_mutex_lock || kind == ompt_mutex_nest_lock))
        held = thread.held.find({tested, id});
    if (held == thread.held.end())
        return fail("a mutex of kind %d is released that is not held", kind);
    thread.held.erase(held);
}

void on_dependence(ompt_data_t* source, ompt_data_t* sink) {
    const std::lock_guard guard(lock);
    const Task *before = task_of(source), *after = task_of(sink);
    if (!before || !after || before == after || after->state != State::created)
        fail("a dependence of no task, of one, or of one that has begun");
}

void on_cancel(ompt_data_t* data, int flags, const void*) {
    const std::lock_guard guard(lock);
    Task* task = task_of(data);
    const Thread& thread = self("cancel");
    if (!(flags & ompt_cancel_discarded_task))
        return is_current(thread, task, "cancel");
    if (!task || task->state != State::created)
        return fail("a task is discarded that has begun, or is none");
    task->state = State::discarded;
}

int initialize(ompt_function_lookup_t look, int, ompt_data_t*) {
    const auto set = reinterpret_cast<ompt_set_callback_t>(look("ompt_set_callback"));
    thread_data = reinterpret_cast<ompt_get_thread_data_t>(look("ompt_get_thread_data"));
    task_info = reinterpret_cast<ompt_get_task_info_t>(look("ompt_get_task_info"));
    parallel_info = reinterpret_cast<ompt_get_parallel_info_t>(look("ompt_get_parallel_info"));
    const auto on = [set](ompt_callbacks_t event, auto* function) {
        set(event, reinterpret_cast<ompt_callback_t>(function));
    };
    on(ompt_callback_thread_begin, on_thread_begin);
    on(ompt_callback_thread_end, on_thread_end);
    on(ompt_callback_parallel_begin, on_parallel_begin);
    on(ompt_callback_parallel_end, on_parallel_end);
    on(ompt_callback_implicit_task, on_implicit_task);
    on(ompt_callback_task_create, on_task_create);
    on(ompt_callback_task_schedule, on_task_schedule);
    on(ompt_callback_sync_region, on_sync<Scope::sync>);
    on(ompt_callback_sync_region_wait, on_sync<Scope::wait>);
    on(ompt_callback_reduction, on_sync<Scope::reduction>);
    on(ompt_callback_work, on_work);
    on(ompt_callback_masked, on_masked);
    on(ompt_callback_dispatch, on_dispatch);
    on(ompt_callback_mutex_acquire, on_acquire);
    on(ompt_callback_mutex_acquired, on_acquired);
    on(ompt_callback_mutex_released, on_released);
    on(ompt_callback_task_dependence, on_dependence);
    on(ompt_callback_cancel, on_cancel);
    return 1;
}

void finalize(ompt_data_t*) {
    const std::lock_guard guard(lock);
    for (const Task* task : tasks)
        if (task->state != State::complete && task->state != State::cancelled &&
            !(task->flags & ompt_task_initial))
            fail("a task with the flags %x has not ended", task->flags);
    for (const Region* region : regions)
        if (!region->ended || region->finished.size() != region->size)
            fail("a region of %u has not ended, or %zu of its implicit tasks have", region->size,
                 region->finished.size());
    for (const Thread* thread : threads)
        if (!thread->ended)
            fail("a thread has not ended");
    if (failures > 0)
        fprintf(stderr, "events: %d wrong of %zu tasks\n", failures, tasks.size());
}

} // namespace

extern "C" ompt_start_tool_result_t* ompt_start_tool(unsigned, const char*) {
    static ompt_start_tool_result_t tool{initialize, finalize, {0}};
    return &tool;
}
