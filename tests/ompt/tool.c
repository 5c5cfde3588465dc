/* SPDX-License-Identifier: Apache-2.0
 * The tool of tests/ompt: writes each event as a line to the file that OMPT_TEST_LOG names, in the
 * order of one lock. Every thread, parallel region and task gets a number from 1 on; 0 is none.
 * Fields: event thread [what the event tells...]. Built as a shared library; the test reads it. */
#include "omp-tools.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE* out;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ompt_set_callback_t set_callback;
static ompt_get_callback_t get_callback;
static ompt_get_thread_data_t get_thread_data;
static ompt_get_unique_id_t get_unique_id;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_state_t get_state;

static unsigned long of(const ompt_data_t* data) { return data ? (unsigned long)data->value : 0; }

static void say(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&lock);
    char event[200], rest[200];
    vsnprintf(event, sizeof event, format, arguments);
    rest[0] = 0;
    char* space = strchr(event, ' ');
    if (space) {
        snprintf(rest, sizeof rest, "%s", space);
        *space = 0;
    }
    fprintf(out, "%s %lu%s\n", event, of(get_thread_data()), rest);
    fflush(out);
    pthread_mutex_unlock(&lock);
    va_end(arguments);
}

static const char* end_of(ompt_scope_endpoint_t endpoint) {
    return endpoint == ompt_scope_begin ? "begin" : endpoint == ompt_scope_end ? "end" : "both";
}

/* What the entry points say of the innermost task and region. */
static void say_info(void) {
    int flags = 0, number = -1, size = 0;
    ompt_data_t *task = 0, *region = 0, *parallel = 0;
    ompt_frame_t* frame = 0;
    const int known = get_task_info(0, &flags, &task, &frame, &region, &number);
    const int around = get_parallel_info(0, &parallel, &size);
    int depth = 0;
    while (get_task_info(depth, 0, 0, 0, 0, 0))
        ++depth;
    say("info %d %lu %lu %d %d %lu %d %d %d", known, of(task), of(region), number, around,
        of(parallel), size, depth, get_state(0));
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t* data) {
    data->value = get_unique_id();
    say("thread_begin %d", type);
}
static void on_thread_end(ompt_data_t* data) { say("thread_end %lu", of(data)); }
/* And 4 for a league. */
static int invoker_of(int flags) { return (flags & 3) + (flags & ompt_parallel_league ? 4 : 0); }
static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* data,
                              unsigned requested, int flags, const void* code) {
    data->value = get_unique_id();
    say("parallel_begin %lu %lu %u %d %d %d", data->value, of(task), requested, invoker_of(flags),
        frame->enter_frame.ptr != 0, code != 0);
}
static void on_parallel_end(ompt_data_t* data, ompt_data_t* task, int flags, const void* code) {
    say("parallel_end %lu %lu %d %d", of(data), of(task), invoker_of(flags), code != 0);
}
static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task,
                             unsigned size, unsigned number, int flags) {
    if (endpoint == ompt_scope_begin)
        task->value = get_unique_id();
    if (endpoint == ompt_scope_begin && (flags & ompt_task_initial) && region->value == 0)
        region->value = get_unique_id(); /* of a thread's; a team's is its league */
    say("implicit_task %s %lu %lu %u %u %d", end_of(endpoint), of(region), of(task), size, number,
        flags);
}
static void on_task_create(ompt_data_t* parent, const ompt_frame_t* frame, ompt_data_t* task,
                           int flags, int dependences, const void* code) {
    task->value = get_unique_id();
    say("task_create %lu %lu %d %d %d %d", task->value, of(parent), flags, dependences,
        frame->enter_frame.ptr != 0, code != 0);
}
static void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
    say("task_schedule %lu %d %lu", of(prior), status, of(next));
    if (next && (status == ompt_task_switch || status == ompt_task_yield))
        say_info();
}
static void on_dependences(ompt_data_t* task, const ompt_dependence_t* list, int count) {
    for (int i = 0; i < count; ++i) {
        const ompt_dependence_type_t type = list[i].dependence_type;
        const int is_iteration =
            type == ompt_dependence_type_source || type == ompt_dependence_type_sink;
        say("dependence %lu %d %d", of(task), type,
            is_iteration ? (int)list[i].variable.value : list[i].variable.ptr != 0);
    }
}
static void on_task_dependence(ompt_data_t* before, ompt_data_t* after) {
    say("task_dependence %lu %lu", of(before), of(after));
}
static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                           ompt_data_t* region, ompt_data_t* task, const void* code) {
    (void)code;
    say("sync_region %s %d %lu %lu", end_of(endpoint), kind, of(region), of(task));
}
static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                                ompt_data_t* region, ompt_data_t* task, const void* code) {
    (void)code;
    say("sync_wait %s %d %lu %lu", end_of(endpoint), kind, of(region), of(task));
}
static void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                         ompt_data_t* region, ompt_data_t* task, const void* code) {
    (void)code;
    say("reduction %s %d %lu %lu", end_of(endpoint), kind, of(region), of(task));
}
static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* region,
                    ompt_data_t* task, uint64_t count, const void* code) {
    say("work %s %d %lu %lu %lu %d", end_of(endpoint), kind, of(region), of(task),
        (unsigned long)count, code != 0);
}
static void on_dispatch(ompt_data_t* region, ompt_data_t* task, ompt_dispatch_t kind,
                        ompt_data_t instance) {
    const ompt_dispatch_chunk_t* chunk = kind >= ompt_dispatch_ws_loop_chunk ? instance.ptr : 0;
    say("dispatch %d %lu %lu %lu %lu", kind, of(region), of(task),
        chunk ? (unsigned long)chunk->start : 0, chunk ? (unsigned long)chunk->iterations : 0);
}
static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task,
                      const void* code) {
    (void)code;
    say("masked %s %lu %lu", end_of(endpoint), of(region), of(task));
}
static void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t id,
                             const void* code) {
    (void)hint, (void)code;
    say("mutex_acquire %d %lu %u", kind, (unsigned long)id, impl);
}
static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void* code) {
    (void)code;
    say("mutex_acquired %d %lu", kind, (unsigned long)id);
}
static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void* code) {
    (void)code;
    say("mutex_released %d %lu", kind, (unsigned long)id);
}
static void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t id,
                         const void* code) {
    (void)hint, (void)impl, (void)code;
    say("lock_init %d %lu", kind, (unsigned long)id);
}
static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t id, const void* code) {
    (void)code;
    say("lock_destroy %d %lu", kind, (unsigned long)id);
}
static void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t id, const void* code) {
    (void)code;
    say("nest_lock %s %lu", end_of(endpoint), (unsigned long)id);
}
static void on_flush(ompt_data_t* thread, const void* code) {
    (void)code;
    say("flush %lu", of(thread));
}
static void on_cancel(ompt_data_t* task, int flags, const void* code) {
    (void)code;
    say("cancel %lu %d", of(task), flags);
}
static int on_control_tool(uint64_t command, uint64_t modifier, void* argument, const void* code) {
    say("control_tool %lu %lu %d %d", (unsigned long)command, (unsigned long)modifier,
        argument != 0, code != 0);
    return 17;
}
static void on_error(ompt_severity_t severity, const char* message, size_t length,
                     const void* code) {
    say("error %d %lu %d %.*s", severity, (unsigned long)length, code != 0, (int)length, message);
}

#define SET(name)                                                                                  \
    fprintf(out, "set " #name " %d\n",                                                             \
            set_callback(ompt_callback_##name, (ompt_callback_t)on_##name));
#define FIND(name) name = (ompt_##name##_t)lookup("ompt_" #name);

static void say_what_is_refused(void) {
    ompt_callback_t got;
    fprintf(out, "refused %d %d %d %d\n",
            set_callback(ompt_callback_target, (ompt_callback_t)on_thread_end),
            set_callback(ompt_callback_device_unload, (ompt_callback_t)on_thread_end),
            set_callback((ompt_callbacks_t)0, (ompt_callback_t)on_thread_end),
            set_callback((ompt_callbacks_t)99, (ompt_callback_t)on_thread_end));
    fprintf(out, "got %d %d\n", get_callback(ompt_callback_target, &got),
            get_callback((ompt_callbacks_t)99, &got));
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
    FIND(set_callback)
    FIND(get_callback) FIND(get_thread_data) FIND(get_unique_id) FIND(get_task_info)
        FIND(get_parallel_info) FIND(get_state)
            fprintf(out, "initialize %d %d %d\n", device, (int)data->value,
                    lookup("ompt_no_such_entry") != 0);
    SET(thread_begin)
    SET(thread_end) SET(parallel_begin) SET(parallel_end) SET(implicit_task) SET(task_create)
        SET(task_schedule) SET(dependences) SET(task_dependence) SET(sync_region)
            SET(sync_region_wait) SET(reduction) SET(work) SET(dispatch) SET(masked)
                SET(mutex_acquire) SET(mutex_acquired) SET(mutex_released) SET(lock_init)
                    SET(lock_destroy) SET(nest_lock) SET(flush) SET(cancel) SET(control_tool)
                        SET(error) say_what_is_refused();
    data->value = 5;
    return getenv("OMPT_TEST_REFUSES") == 0;
}

static void finalize(ompt_data_t* data) {
    fprintf(out, "finalize %d\n", (int)data->value);
    fclose(out);
}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {3}};
    const char* log = getenv("OMPT_TEST_LOG");
    if (!log)
        return 0;
    out = fopen(log, "w");
    fprintf(out, "start %u %s\n", version, runtime);
    return &result;
}
