/* SPDX-License-Identifier: Apache-2.0
 * A tool that ends while threads are in parallel regions, and the program around it. The first
 * argument says how it ends, the second when: microseconds, or the event of whose callback the tool
 * asks for its end. Returns 0, or 7 from exit(), when what the threads computed is right. Built by
 * gcc and by clang, with -rdynamic. */
#define _GNU_SOURCE
#include "omp-tools.h"

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ompt_finalize_tool_t finalize_tool;
static atomic_int ending_event; /* 0: none */
static atomic_int ended;

static void note(int event) {
    if (atomic_load(&ending_event) == event && atomic_exchange(&ending_event, 0) == event)
        finalize_tool();
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t* data) { note(1); }
static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* data,
                              unsigned requested, int flags, const void* code) {
    note(2);
}
static void on_parallel_end(ompt_data_t* data, ompt_data_t* task, int flags, const void* code) {
    note(3);
}
static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task,
                             unsigned size, unsigned number, int flags) {
    if (flags & ompt_task_implicit)
        note(endpoint == ompt_scope_begin ? 4 : 5);
}
static void on_task_create(ompt_data_t* parent, const ompt_frame_t* frame, ompt_data_t* task,
                           int flags, int dependences, const void* code) {
    note(6);
}
static void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
    note(status == ompt_task_complete ? 8 : 7);
}
static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                           ompt_data_t* region, ompt_data_t* task, const void* code) {
    note(endpoint == ompt_scope_begin ? 9 : 10);
}
static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* region,
                    ompt_data_t* task, uint64_t count, const void* code) {
    note(endpoint == ompt_scope_begin ? 11 : 12);
}
static void on_dispatch(ompt_data_t* region, ompt_data_t* task, ompt_dispatch_t kind,
                        ompt_data_t instance) {
    note(13);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
    const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    finalize_tool = (ompt_finalize_tool_t)lookup("ompt_finalize_tool");
#define SET(name) set(ompt_callback_##name, (ompt_callback_t)on_##name)
    SET(thread_begin);
    SET(parallel_begin);
    SET(parallel_end);
    SET(implicit_task);
    SET(task_create);
    SET(task_schedule);
    SET(sync_region);
    SET(work);
    SET(dispatch);
    return 1;
}

static void finalize(ompt_data_t* data) {
    ended = 1;
    usleep(10000); /* meanwhile the others go on */
}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    return &result;
}

static void fail(const char* what) {
    fprintf(stderr, "%s\n", what);
    _exit(1);
}

/* Most constructs that a tool hears of, three threads. */
static void compute(void) {
    int sum = 0, chunks = 0, tasks = 0, sections = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum, chunks)
    {
#pragma omp single nowait
        for (int i = 0; i < 20; ++i) {
#pragma omp task shared(tasks)
            {
#pragma omp atomic
                ++tasks;
            }
        }
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 60; ++i)
            ++chunks;
#pragma omp taskgroup
        {
#pragma omp task shared(sum)
            {
#pragma omp atomic
                ++sum;
            }
        }
        int inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner)
        ++inner;
        sum += inner;
    }
#pragma omp parallel sections num_threads(2) reduction(+ : sections)
    {
#pragma omp section
        ++sections;
#pragma omp section
        ++sections;
    }
#pragma omp parallel for num_threads(2) schedule(guided) reduction(+ : sections)
    for (int i = 0; i < 8; ++i)
        ++sections;
    if (sum != 3 + 3 * 2 || chunks != 60 || tasks != 20 || sections != 2 + 8)
        fail("wrong results");
}

static atomic_int computed;

static void* keep_computing(void* argument) {
    for (;;) {
        compute();
        ++computed;
    }
    return argument;
}

/* Threads of the user that are in regions when main goes on. */
static void start_others(void) {
    for (int i = 0; i < 2; ++i) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, keep_computing, NULL) != 0)
            fail("no thread");
        pthread_detach(thread);
    }
    while (computed == 0)
        usleep(100);
}

int main(int argc, char** argv) {
    const int when = argc > 2 ? atoi(argv[2]) : 0;
    if (strcmp(argv[1], "event") == 0) {
        ending_event = when;
        for (int i = 0; i < 5; ++i)
            compute();
        return ended ? 0 : 1;
    }
    if (strcmp(argv[1], "exit") == 0) {
#pragma omp parallel num_threads(3)
        {
            if (omp_get_thread_num() == 1) {
                usleep((useconds_t)when);
                exit(7);
            }
            for (;;)
                compute();
        }
    }
    start_others();
    compute();
    usleep((useconds_t)when);
    if (strcmp(argv[1], "stop") == 0) {
        enum { stop_tool = 3 };
        int (*pause)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "omp_pause_resource_all");
        if (!pause || pause(stop_tool) != 0 || !ended)
            fail("the tool was not stopped");
        const int before = computed;
        while (computed < before + 3)
            usleep(100);
    }
    return 0;
}
