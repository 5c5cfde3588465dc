// SPDX-License-Identifier: Apache-2.0
// Random task graphs, compared with a serial execution: all kinds of dependences in every encoding,
// omp_all_memory, taskwaits with depend, nested producers, taskgroups, taskloops, captures with and
// without copy constructors, detached tasks completed by whom it may be, priorities.
// A failure names its graph; HEDDLE_STRESS_GRAPH=<number> repeats that one.
#include "task_graph_checks.hpp"

#include "rerun.hpp"

#include <chrono>

extern "C" void GOMP_task(void (*)(void*), void*, void (*)(void*, void*), long, long, bool,
                          unsigned, void**, int, void*);
extern "C" void GOMP_taskwait_depend(void**);
extern "C" void GOMP_taskwait_depend_nowait(void**) __attribute__((weak)); // since gcc 13

namespace {

using namespace stress;

void produce(Graph& graph);

void fulfill(Task& task) {
    note_completion(task);
    omp_fulfill_event(static_cast<omp_event_handle_t>(task.event));
}

/// What every task does. `event` is the handle that it captured.
void run(Task& task, void* event) {
    Graph& graph = *task.graph;
    ++task.executed;
    expect(!task.final || omp_in_final(), "graph %lu: not final", graph.root);
    execute(task, graph.values, graph.late, &task.seen, graph.inside);
    work(task.work);
    leave(task, graph.inside);
    if (task.nested)
        produce(*task.nested);
    if (task.completion == Completion::none)
        return;
    expect(event == reinterpret_cast<void*>(task.event), "graph %lu: another event", graph.root);
    switch (task.completion) {
    case Completion::by_itself:
        fulfill(task);
        work(task.work);
        break;
    case Completion::by_child: {
        Task* const detached = &task;
#pragma omp task firstprivate(detached)
        fulfill(*detached);
        break;
    }
    case Completion::by_thread:
        Completer::instance().add(task, fulfill);
        break;
    default:
        break;
    }
}

/// Captured data of `size` bytes with a header; the body sees whether they arrived.
template <size_t size, size_t alignment, bool object>
struct alignas(alignment) Capture {
    void* event; ///< first, as gcc has it
    Task* task;
    unsigned char bytes[size];
    using Object = std::conditional_t<object, Counted, Nothing>;
    [[no_unique_address]] Object counted;

    explicit Capture(Task& of) : event(nullptr), task(&of), counted(of.id) {
        for (size_t i = 0; i < size; ++i)
            bytes[i] = static_cast<unsigned char>(of.id + i * 7);
    }
    Capture(const Capture&) = default;

    static void copy(void* to, void* from) { new (to) Capture(*static_cast<const Capture*>(from)); }
    static void body(void* data) {
        auto& capture = *static_cast<Capture*>(data);
        Task& task = *capture.task;
        bool right = reinterpret_cast<uintptr_t>(data) % alignment == 0;
        for (size_t i = 0; i < size; ++i)
            right = right && capture.bytes[i] == static_cast<unsigned char>(task.id + i * 7);
        expect(right && capture.counted.right(task.id), "graph %lu: captured data",
               task.graph->root);
        run(task, capture.event);
        if (object)
            capture.counted.~Object();
    }
};

template <class Captured, bool object>
void create(Task& task, void** depend) {
    Captured captured(task);
    unsigned flags = (task.untied ? 1 : 0) | (task.final ? 2 : 0) | (depend ? 8 : 0) | 16;
    if (task.completion != Completion::none)
        flags |= 8192;
    GOMP_task(Captured::body, &captured, object ? Captured::copy : nullptr, sizeof captured,
              alignof(Captured), task.deferrable, flags, depend, task.priority, &task.event);
}

void create_by_hand(Task& task, Random& random) {
    DependArray array(*task.graph, task.uses, random);
    void** depend = task.uses.empty() ? nullptr : array.get();
    switch (random.below(8)) {
    case 0:
        return create<Capture<40, 8, false>, false>(task, depend);
    case 1:
        return create<Capture<301, 64, false>, false>(task, depend);
    case 2:
        return create<Capture<5000, 256, false>, false>(task, depend);
    case 3:
        return create<Capture<1, 8, true>, true>(task, depend);
    case 4:
        return create<Capture<2000, 32, true>, true>(task, depend);
    default:
        return create<Capture<1, 8, false>, false>(task, depend);
    }
}

/// The clauses as a program writes them; all uses are of the kind that the clause says.
void create_by_clauses(Task& task) {
    Task* const one = &task;
    [[maybe_unused]] uint64_t* const values = task.graph->values; // gcc does not see the clauses
    const std::vector<Use>& uses = task.uses;
    const int count = static_cast<int>(uses.size());
    switch (task.shape) {
    case Shape::iterator: {
#pragma omp task firstprivate(one) depend(iterator(i = 0 : count), inout : values[uses[i].place])
        run(*one, nullptr);
        break;
    }
    case Shape::object: {
        omp_depend_t object;
#pragma omp depobj(object) depend(in : values[uses[0].place])
#pragma omp depobj(object) update(mutexinoutset)
#pragma omp task firstprivate(one) depend(depobj : object) priority(one -> priority)
        run(*one, nullptr);
#pragma omp depobj(object) destroy
        break;
    }
    default: {
#pragma omp task firstprivate(one) depend(in : values[uses[0].place])                              \
    depend(out : values[uses[1].place]) if (one -> deferrable)
        run(*one, nullptr);
        break;
    }
    }
}

void create_task(Task& task, Random& random) {
    if (task.shape != Shape::by_hand)
        return create_by_clauses(task);
    create_by_hand(task, random);
    if (task.completion == Completion::by_producer)
        fulfill(task);
    if (task.completion == Completion::by_thread_early)
        Completer::instance().add(task, fulfill);
    if (task.completion == Completion::by_sibling) {
        Task* const detached = &task;
#pragma omp task firstprivate(detached)
        fulfill(*detached);
    }
}

void loop_of_tasks(const Graph& graph, unsigned count) {
    std::atomic<unsigned> sum{0};
    if (count % 2) {
#pragma omp taskloop grainsize(3) shared(sum)
        for (unsigned i = 0; i < count; ++i)
            sum.fetch_add(i, std::memory_order_relaxed);
    } else {
        const Counted object(count);
#pragma omp taskloop num_tasks(5) firstprivate(object) shared(sum) priority(2)
        for (unsigned i = 0; i < count; ++i)
            sum.fetch_add(object.right(count) ? i : count, std::memory_order_relaxed);
    }
    expect(sum.load() == count * (count - 1) / 2, "graph %lu: a taskloop", graph.root);
}

/// Steps from `at` to the end of the innermost taskgroup, or of all; answers the next step.
size_t produce_steps(Graph& graph, size_t at, Random& random) {
    for (; at < graph.steps.size(); ++at) {
        Step& step = graph.steps[at];
        switch (step.action) {
        case Action::create:
            create_task(*graph.tasks[step.task], random);
            break;
        case Action::taskwait: {
#pragma omp taskwait
            expect_complete(graph, 0, step.task, false, "taskwait");
            expect_values(graph, step, "taskwait");
            break;
        }
        case Action::taskwait_depend: {
            DependArray array(graph, step.uses, random);
            GOMP_taskwait_depend(array.get());
            expect_values(graph, step, "taskwait with depend");
            break;
        }
        case Action::taskwait_nowait: {
            DependArray array(graph, step.uses, random);
            if (GOMP_taskwait_depend_nowait)
                GOMP_taskwait_depend_nowait(array.get());
            break;
        }
        case Action::begin_group: {
            size_t end = at;
#pragma omp taskgroup
            end = produce_steps(graph, at + 1, random);
            expect_complete(graph, step.task, graph.steps[end].task, true, "taskgroup");
            at = end;
            break;
        }
        case Action::end_group:
            return at;
        case Action::taskloop:
            loop_of_tasks(graph, step.number);
            break;
        case Action::taskyield: {
#pragma omp taskyield
        } break;
        }
    }
    return at;
}

void produce(Graph& graph) {
    Random random(graph.seed ^ 0x5eed);
    produce_steps(graph, 0, random);
    if (!graph.waits)
        return;
#pragma omp taskwait
    expect_complete(graph, 0, graph.tasks.size(), false, "last taskwait");
}

void run_graph(uint64_t seed) {
    current = seed;
    alarm(240);
    Random random(seed);
    const unsigned where = random.below(8);
    std::vector<std::unique_ptr<Graph>> graphs;
    const int producers = where == 0 ? omp_get_max_threads() : 1;
    for (int i = 0; i < producers; ++i) {
        graphs.push_back(
            std::make_unique<Graph>(mix(seed, static_cast<unsigned>(i)), seed, 2, false, false));
        run_serially(*graphs.back());
    }
    if (where == 1) { // in the initial team: nobody else, and no barrier
#pragma omp taskgroup
        produce(*graphs[0]);
    } else if (where == 0) {
#pragma omp parallel
        if (omp_get_thread_num() < producers)
            produce(*graphs[static_cast<size_t>(omp_get_thread_num())]);
    } else {
#pragma omp parallel
#pragma omp single nowait
        produce(*graphs[0]);
    }
    for (const auto& graph : graphs)
        expect_complete(*graph, 0, graph->tasks.size(), true, "region");
    expect(Counted::live.load() == 0, "graph %lu: copies were not destroyed", seed);
}

} // namespace

int main(int, char** argv) {
    signal(SIGALRM, report_hang);
    const char* one = getenv("HEDDLE_STRESS_GRAPH");
    const int rounds = stress::scaled(one ? 200 : 2000);
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::milliseconds(scaled(sanitized() ? 32000 : 4000));
    Random random(stress::seed() + (getenv("OMP_CANCELLATION") ? 1000 : 0) +
                  (getenv("OMP_MAX_TASK_PRIORITY") ? 2000 : 0));
    int done = 0;
    while (done < rounds && failures.load() == 0 && std::chrono::steady_clock::now() < end) {
        run_graph(one ? strtoull(one, nullptr, 0) : random.next());
        ++done;
    }
    alarm(0);
    printf("%d graphs\n", done);
    fflush(stdout);
    if (failures.load() ==
        0) { // again where no task is plain, and once more where priorities count
        rerun_with("OMP_CANCELLATION", "true", argv);
        rerun_with("OMP_MAX_TASK_PRIORITY", "9", argv);
    }
    return stress::result("task_graph");
}
