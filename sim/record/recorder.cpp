// SPDX-License-Identifier: Apache-2.0
// An OMPT tool that writes down a program's tasks as a graph, for heddle-sim's workload `graph`:
// what each task computes, in nanoseconds, between the constructs it meets; what these take is in
// it. The program runs on one thread (OMP_NUM_THREADS=1), so there are no locks here. Of its
// regions the one with the most tasks is kept. sim/record/record.py makes the best of several runs.
// docs/simulator.md has the file's format. Source: OpenMP 5.2, chapter 19 (OMPT).
#include "omp-tools.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

namespace {

/// A construct that a task met, and what it computed before it.
struct Event {
    uint64_t ns;
    char what; ///< as in the file
    size_t child;
};

struct Task {
    std::vector<Event> events;
    uint64_t computed = 0; ///< since the last event
};

/// Task 0 is the implicit one.
using Region = std::vector<std::unique_ptr<Task>>;

struct Recorder {
    std::string file;
    uint64_t clock_ns = 0; ///< of one reading
    std::unique_ptr<Region> region, largest;
    Task* current = nullptr;
    uint64_t resumed = 0;
    bool refused = false;
};
Recorder& recorder = *new Recorder; // finalize() comes after destructors

void complain(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("heddle-record: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

/// Nothing is written: a graph would not be this program's.
void refuse(const char* why) {
    if (!recorder.refused)
        complain("%s: no graph is written", why);
    recorder.refused = true;
    recorder.current = nullptr;
}

uint64_t now_ns() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

/// In each callback: the current task has computed until it began, and goes on when it ends.
class Pause {
public:
    Pause() {
        if (!recorder.current)
            return;
        const uint64_t passed = now_ns() - recorder.resumed;
        if (passed > recorder.clock_ns)
            recorder.current->computed += passed - recorder.clock_ns;
    }
    ~Pause() { recorder.resumed = now_ns(); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
};

void note(char what, size_t child = 0) {
    if (!recorder.current)
        return;
    Task& task = *recorder.current;
    task.events.push_back({task.computed, what, child});
    task.computed = 0;
}

void end_task(Task& task) {
    task.events.push_back({task.computed, ')', 0});
    task.computed = 0;
}

void on_parallel_begin(ompt_data_t*, const ompt_frame_t*, ompt_data_t*, unsigned, int,
                       const void*) {
    if (recorder.current)
        refuse("a region inside another");
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* data,
                      unsigned size, unsigned, int flags) {
    if ((flags & ompt_task_initial) != 0 || recorder.refused)
        return;
    if (endpoint == ompt_scope_begin) {
        if (size != 1)
            return refuse("a region of several threads (OMP_NUM_THREADS=1 makes it one)");
        recorder.region = std::make_unique<Region>();
        recorder.region->push_back(std::make_unique<Task>());
        recorder.current = (*recorder.region)[0].get();
        data->ptr = recorder.current;
        recorder.resumed = now_ns();
    } else if (recorder.region) {
        {
            const Pause pause;
            end_task(*(*recorder.region)[0]);
        }
        recorder.current = nullptr;
        if (!recorder.largest || recorder.largest->size() < recorder.region->size())
            recorder.largest = std::move(recorder.region);
        recorder.region.reset();
    }
}

void on_task_create(ompt_data_t*, const ompt_frame_t*, ompt_data_t* data, int flags,
                    int has_dependences, const void*) {
    const Pause pause;
    if (!recorder.current || (flags & ompt_task_explicit) == 0)
        return;
    if (has_dependences)
        return refuse("a task with dependences");
    note('(', recorder.region->size()); // a thread alone may call any task undeferred
    recorder.region->push_back(std::make_unique<Task>());
    data->ptr = recorder.region->back().get();
}

void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
    const Pause pause;
    if (!recorder.current)
        return;
    if (status == ompt_task_complete && prior->ptr)
        end_task(*static_cast<Task*>(prior->ptr));
    if (next && next->ptr)
        recorder.current = static_cast<Task*>(next->ptr);
}

void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*,
                    ompt_data_t*, const void*) {
    const Pause pause;
    const bool begins = endpoint == ompt_scope_begin;
    if (kind == ompt_sync_region_taskgroup)
        note(begins ? '[' : ']');
    else if (kind == ompt_sync_region_taskwait && begins)
        note('w');
    else if (begins && kind != ompt_sync_region_reduction &&
             kind != ompt_sync_region_barrier_implicit_parallel)
        note('b');
}

/// One task inside the other, in the order in which they were created.
void write_tasks(FILE* out, const Region& region) {
    struct Place {
        const Task* task;
        size_t at;
    };
    std::vector<Place> stack{{region[0].get(), 0}};
    int column = 0;
    while (!stack.empty()) {
        Place& place = stack.back();
        const Event& event = place.task->events[place.at++];
        if (event.ns != 0)
            column += fprintf(out, "%" PRIu64, event.ns);
        column += fprintf(out, "%c", event.what);
        if (event.what == ')')
            stack.pop_back();
        else if (event.what == '(')
            stack.push_back({region[event.child].get(), 0});
        if (column > 90) {
            fputc('\n', out);
            column = 0;
        }
    }
    if (column > 0)
        fputc('\n', out);
}

bool is_complete(const Region& region) {
    return std::all_of(region.begin(), region.end(), [](const auto& task) {
        return !task->events.empty() && task->events.back().what == ')';
    });
}

void finalize(ompt_data_t*) {
    recorder.current = nullptr;
    if (recorder.refused)
        return;
    if (!recorder.largest || !is_complete(*recorder.largest))
        return complain("%s: %s", recorder.file.c_str(),
                        recorder.largest ? "tasks did not end" : "the program has no region");
    const Region& region = *recorder.largest;
    FILE* out = fopen(recorder.file.c_str(), "w");
    if (!out)
        return complain("TASK_GRAPH=%s: cannot be written", recorder.file.c_str());
    fprintf(out, "heddle-graph 1\n# %zu tasks\n", region.size() - 1);
    write_tasks(out, region);
    if (fclose(out) != 0)
        complain("TASK_GRAPH=%s: cannot be written", recorder.file.c_str());
}

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t*) {
    const auto set = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
    const auto on = [set](ompt_callbacks_t event, auto* function) {
        set(event, reinterpret_cast<ompt_callback_t>(function));
    };
    on(ompt_callback_parallel_begin, on_parallel_begin);
    on(ompt_callback_implicit_task, on_implicit_task);
    on(ompt_callback_task_create, on_task_create);
    on(ompt_callback_task_schedule, on_task_schedule);
    on(ompt_callback_sync_region, on_sync_region);
    uint64_t least = ~uint64_t{0};
    for (int i = 0; i < 1000; ++i) {
        const uint64_t before = now_ns(), after = now_ns();
        least = std::min(least, after - before);
    }
    recorder.clock_ns = least;
    return 1;
}

ompt_start_tool_result_t result{initialize, finalize, {0}};

} // namespace

/// The runtime asks for it. TASK_GRAPH names the file; without it nothing is recorded.
extern "C" [[gnu::visibility("default")]] ompt_start_tool_result_t* ompt_start_tool(unsigned,
                                                                                    const char*) {
    const char* file = getenv("TASK_GRAPH");
    if (!file || !*file)
        return nullptr;
    recorder.file = file;
    return &result;
}
