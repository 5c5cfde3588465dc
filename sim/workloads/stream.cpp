// SPDX-License-Identifier: Apache-2.0
// A kernel of STREAM over arrays in pages: as a loop with schedule(runtime), as tasks that one
// thread creates, or as a taskloop; the tasks perhaps with hints. A turn works on one page of each
// array. Papers on adaptive loops (section 5.2) and task affinity (sections 6.1, 6.2, 6.4).
#include "workloads/data.hpp"
#include "workloads/schedule.hpp"

namespace heddle::sim {

namespace {

constexpr size_t page = Pages::page_bytes;

enum class Form { loop, task, taskloop };
enum class Hint { none, thread, data, spread, robin };

struct Kernel {
    const char* name;
    int target, sources[2]; // of a, b, c; -1: none
};
constexpr Kernel kernels[] = {
    {"copy", 2, {0, -1}}, {"scale", 1, {2, -1}}, {"add", 2, {0, 1}}, {"triad", 0, {1, 2}}};

struct Stream {
    const Array* arrays[3];
    int64_t pages;
    int tasks, threads;
    Form form;
    Hint hint;
    uint64_t cycles; // to compute on a page
    Traffic traffic;
    int64_t turns = 0;
    int next_thread = 0; // of tasks that go to threads in turn

    void work(const Kernel* kernel, int64_t i) {
        const size_t at = static_cast<size_t>(i) * page;
        for (int array = 0; array < 3; ++array)
            if (!kernel || array == kernel->target || array == kernel->sources[0] ||
                array == kernel->sources[1])
                arrays[array]->use(at, page, traffic);
        charge_cycles(cycles);
        ++turns;
    }
    void hint_for(int task) {
        if (hint == Hint::thread)
            heddle_affinity_thread(static_cast<int>(int64_t{task} * threads / tasks));
        else if (hint == Hint::data)
            heddle_affinity_data(arrays[0]->at(static_cast<size_t>(pages * task / tasks) * page),
                                 static_cast<size_t>(pages / tasks) * page);
        else if (hint == Hint::robin)
            heddle_affinity_thread(next_thread++ % threads);
    }
    /// Without a kernel: the first touch of all arrays.
    void loop(const Kernel* kernel) {
#pragma omp parallel for schedule(runtime)
        for (int64_t i = 0; i < pages; ++i)
            work(kernel, i);
    }
    void as_tasks(const Kernel* kernel) {
#pragma omp parallel
#pragma omp single
        {
            if (hint == Hint::spread)
                heddle_taskgroup_affinity(HEDDLE_AFFINITY_SPREAD, tasks);
#pragma omp taskgroup
            for (int t = 0; t < tasks; ++t) {
                hint_for(t);
#pragma omp task firstprivate(t)
                for (int64_t i = pages * t / tasks; i < pages * (t + 1) / tasks; ++i)
                    work(kernel, i);
            }
        }
    }
    void as_taskloop(const Kernel* kernel) {
#pragma omp parallel
#pragma omp single
        {
            if (hint == Hint::spread)
                heddle_taskgroup_affinity(HEDDLE_AFFINITY_SPREAD, 0);
#pragma omp taskloop num_tasks(tasks)
            for (int64_t i = 0; i < pages; ++i)
                work(kernel, i);
        }
    }
    void sweep(const Kernel* kernel) {
        if (form == Form::loop)
            loop(kernel);
        else if (form == Form::task)
            as_tasks(kernel);
        else
            as_taskloop(kernel);
    }
    void touch(Placement placement) {
        if (placement == Placement::primary)
            for (int64_t i = 0; i < pages; ++i)
                work(nullptr, i);
        else
#pragma omp parallel for schedule(static)
            for (int64_t i = 0; i < pages; ++i)
                work(nullptr, i);
    }
};

Outcome run(Parameters& parameters, int threads) {
    const auto bytes = static_cast<size_t>(parameters.integer("mbytes", 16, 1, 4096)) << 20;
    const int64_t repetitions = parameters.integer("repetitions", 3, 1, 1000);
    const std::string name = parameters.choice("kernel", {"copy", "scale", "add", "triad"});
    const std::string form = parameters.choice("form", {"loop", "task", "taskloop"});
    const std::string hint =
        parameters.choice("hint", {"none", "thread", "data", "spread", "robin"});
    const int64_t per_thread = parameters.integer("tasks_per_thread", 1, 1, 1000);
    const auto cycles = static_cast<uint64_t>(parameters.integer("page_cycles", 256, 0, 1000000));
    const Placement placement = choose_placement(parameters, "placement");
    choose_schedule(parameters);
    parameters.refuse_unknown();
    const Kernel* kernel = kernels;
    while (name != kernel->name)
        ++kernel;
    start_team(); // bound, so that memory can be placed where they are
    const Array a(bytes, placement), b(bytes, placement), c(bytes, placement);
    Stream stream{{&a, &b, &c},
                  static_cast<int64_t>(bytes / page),
                  static_cast<int>(per_thread * threads),
                  threads,
                  form == "loop"   ? Form::loop
                  : form == "task" ? Form::task
                                   : Form::taskloop,
                  hint == "none"     ? Hint::none
                  : hint == "thread" ? Hint::thread
                  : hint == "data"   ? Hint::data
                  : hint == "spread" ? Hint::spread
                                     : Hint::robin,
                  cycles,
                  {}};
    stream.touch(placement);
    if (placement == Placement::block)
        heddle_loop_data(a.at(0), page);
    stream.sweep(kernel); // warms up
    stream.traffic = {};
    stream.turns = 0;
    Outcome outcome;
    outcome.seconds = timed([&] {
        for (int64_t r = 0; r < repetitions; ++r)
            stream.sweep(kernel);
    });
    const int64_t expected = stream.pages * repetitions;
    outcome.checked = stream.turns == expected;
    outcome.answer = std::to_string(stream.turns);
    outcome.figures["gbytes_per_second"] =
        static_cast<double>(stream.traffic.all) * 1e-9 / outcome.seconds;
    outcome.figures["remote_share"] = stream.traffic.remote_share();
    return outcome;
}

const Registration registration{
    "stream",
    "a kernel of STREAM: kernel, mbytes (an array), form, hint, placement, schedule, chunk, "
    "tasks_per_thread, page_cycles, repetitions",
    run};

} // namespace

} // namespace heddle::sim
