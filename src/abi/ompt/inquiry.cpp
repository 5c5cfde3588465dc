// SPDX-License-Identifier: Apache-2.0
// The entry points that a tool looks up (OpenMP 5.2 sections 19.6). Called by the tool, mostly from
// its callbacks, on any thread; what they tell of a thread is that thread's own. Those of threads,
// states and tasks take no lock and allocate nothing, so that signal handlers may call them.
#include "abi/ompt/interface.hpp"
#include "team/tool_events.hpp"

#include <cstring>

using namespace heddle;

extern "C" {
int omp_get_num_places();
int omp_get_num_procs();
int omp_get_place_num();
int omp_get_partition_num_places();
void omp_get_partition_place_nums(int*);
int omp_get_place_num_procs(int);
void omp_get_place_proc_ids(int, int*);
}

namespace {

/// What answers need of the calling thread; nullptr where it is unknown or no tool is active.
team::ToolThread* thread_of_caller() {
    team::Member* const member = team::self_or_null();
    return member && tool::has_tool() ? &member->worker->tool : nullptr;
}

struct Name {
    int value;
    const char* text;
};

#define HEDDLE_NAME(name) {name, #name}
constexpr Name states[] = {
    HEDDLE_NAME(ompt_state_undefined),
    HEDDLE_NAME(ompt_state_work_serial),
    HEDDLE_NAME(ompt_state_work_parallel),
    HEDDLE_NAME(ompt_state_work_reduction),
    HEDDLE_NAME(ompt_state_wait_barrier_implicit_parallel),
    HEDDLE_NAME(ompt_state_wait_barrier_implicit_workshare),
    HEDDLE_NAME(ompt_state_wait_barrier_explicit),
    HEDDLE_NAME(ompt_state_wait_barrier_implementation),
    HEDDLE_NAME(ompt_state_wait_barrier_teams),
    HEDDLE_NAME(ompt_state_wait_taskwait),
    HEDDLE_NAME(ompt_state_wait_taskgroup),
    HEDDLE_NAME(ompt_state_wait_lock),
    HEDDLE_NAME(ompt_state_wait_critical),
    HEDDLE_NAME(ompt_state_wait_atomic),
    HEDDLE_NAME(ompt_state_wait_ordered),
    HEDDLE_NAME(ompt_state_idle),
    HEDDLE_NAME(ompt_state_overhead),
};
constexpr Name mutex_impls[] = {
    {ompt_mutex_impl_none, "ompt_mutex_impl_none"},
    {team::mutex_impl_futex, "heddle_mutex_impl_futex"},
};
#undef HEDDLE_NAME

template <size_t count>
int enumerate(const Name (&names)[count], int current, int* next, const char** text) {
    for (size_t i = 0; i + 1 < count; ++i)
        if (names[i].value == current) {
            *next = names[i + 1].value;
            *text = names[i + 1].text;
            return 1;
        }
    return 0;
}

int enumerate_states(int current, int* next, const char** text) {
    return enumerate(states, current, next, text);
}

int enumerate_mutex_impls(int current, int* next, const char** text) {
    return enumerate(mutex_impls, current, next, text);
}

int get_callback(ompt_callbacks_t event, ompt_callback_t* function) {
    if (event < ompt_callback_thread_begin || event >= tool::most_events)
        return 0;
    const ompt_callback_t set = tool::callbacks[event].load(platform::acquire);
    if (!set)
        return 0;
    *function = set;
    return 1;
}

ompt_data_t* get_thread_data() {
    team::ToolThread* const thread = thread_of_caller();
    return thread ? &thread->data : nullptr;
}

int get_state(ompt_wait_id_t* wait_id) {
    const team::ToolThread* const thread = thread_of_caller();
    if (!thread)
        return ompt_state_work_serial; // of a thread that is none of ours, as far as we know
    if (wait_id)
        *wait_id = thread->wait_id;
    return thread->state;
}

int get_parallel_info(int level, ompt_data_t** data, int* size) {
    const team::ToolThread* const thread = thread_of_caller();
    team::ToolParallel* region = thread && thread->task ? thread->task->parallel : nullptr;
    for (; region && level > 0; --level)
        region = region->encountering ? region->encountering->parallel : nullptr;
    if (!region || level < 0)
        return 0;
    if (data)
        *data = &region->data;
    if (size)
        *size = region->size;
    return 2;
}

int get_task_info(int level, int* flags, ompt_data_t** data, ompt_frame_t** frame,
                  ompt_data_t** parallel, int* number) {
    const team::ToolThread* const thread = thread_of_caller();
    team::ToolTask* task = thread ? thread->task : nullptr;
    for (; task && level > 0; --level)
        task = task->outer;
    if (!task || level < 0)
        return 0;
    if (flags)
        *flags = task->flags;
    if (data)
        *data = &task->data;
    if (frame)
        *frame = &task->frame;
    if (parallel)
        *parallel = task->parallel ? &task->parallel->data : nullptr;
    if (number)
        *number = task->number;
    return 2;
}

/// No memory of tasks is told of.
int get_task_memory(void** address, size_t* size, int /*block*/) {
    *address = nullptr;
    *size = 0;
    return 0;
}

int get_num_procs() { return omp_get_num_procs(); }
int get_num_places() { return omp_get_num_places(); }

int get_place_proc_ids(int place, int size, int* ids) {
    const int count = omp_get_place_num_procs(place);
    if (ids && count > 0 && size >= count)
        omp_get_place_proc_ids(place, ids);
    return count;
}

int get_place_num() { return thread_of_caller() ? omp_get_place_num() : -1; }

int get_partition_place_nums(int size, int* places) {
    if (!thread_of_caller())
        return 0;
    const int count = omp_get_partition_num_places();
    if (places && size >= count)
        omp_get_partition_place_nums(places);
    return count;
}

int get_proc_id() { return thread_of_caller() ? platform::current_cpu() : -1; }

/// No device but this one.
int get_num_devices() { return 1; }
int get_target_info(uint64_t*, ompt_id_t*, ompt_id_t*) { return 0; }

struct EntryPoint {
    const char* name;
    ompt_interface_fn_t function;
};

template <class Function>
constexpr ompt_interface_fn_t untyped(Function* function) {
    return reinterpret_cast<ompt_interface_fn_t>(function);
}

} // namespace

namespace heddle::abi::ompt {

ompt_interface_fn_t lookup(const char* name) {
    const EntryPoint all[] = {
        {"ompt_enumerate_states", untyped(enumerate_states)},
        {"ompt_enumerate_mutex_impls", untyped(enumerate_mutex_impls)},
        {"ompt_set_callback", untyped(tool::set_callback)},
        {"ompt_get_callback", untyped(get_callback)},
        {"ompt_get_thread_data", untyped(get_thread_data)},
        {"ompt_get_state", untyped(get_state)},
        {"ompt_get_parallel_info", untyped(get_parallel_info)},
        {"ompt_get_task_info", untyped(get_task_info)},
        {"ompt_get_task_memory", untyped(get_task_memory)},
        {"ompt_get_unique_id", untyped(tool::unique_id)},
        {"ompt_finalize_tool", untyped(finalize_tool)},
        {"ompt_get_num_procs", untyped(get_num_procs)},
        {"ompt_get_num_places", untyped(get_num_places)},
        {"ompt_get_place_proc_ids", untyped(get_place_proc_ids)},
        {"ompt_get_place_num", untyped(get_place_num)},
        {"ompt_get_partition_place_nums", untyped(get_partition_place_nums)},
        {"ompt_get_proc_id", untyped(get_proc_id)},
        {"ompt_get_num_devices", untyped(get_num_devices)},
        {"ompt_get_target_info", untyped(get_target_info)},
    };
    for (const EntryPoint& entry : all)
        if (strcmp(entry.name, name) == 0)
            return entry.function;
    return nullptr;
}

} // namespace heddle::abi::ompt
