// SPDX-License-Identifier: Apache-2.0
// The random task graphs of task_graph.hpp, made of clang's tasks: tied and untied ones in parts,
// undeferred, final, detached and proxy tasks, destructors, affinity, both lists of dependences;
// and among them gcc's tasks with dependences on the same storage. Then tasks that cancellation
// discards. A failure names its graph; HEDDLE_STRESS_GRAPH=<number> repeats that one.
#include "kmp_task_graph.hpp"

#include "rerun.hpp"

#include <chrono>

extern "C" void GOMP_task(void (*)(void*), void*, void (*)(void*, void*), long, long, bool,
                          unsigned, void**, int, void*);
extern "C" void GOMP_taskwait_depend(void**);

namespace {

using namespace stress;

void produce(Graph& graph);

/// Task::event names the task itself where a proxy task has to be completed.
constexpr uintptr_t proxy_bit = 1;

void complete(Task& task) {
    note_completion(task);
    auto* const proxy = reinterpret_cast<KmpTask*>(task.event & ~proxy_bit);
    if (!(task.event & proxy_bit))
        omp_fulfill_event(static_cast<omp_event_handle_t>(task.event));
    else if (omp_get_level() > 0 && task.id % 2)
        __kmpc_proxy_task_completed(thread(), proxy);
    else
        __kmpc_proxy_task_completed_ooo(proxy);
}

int32_t complete_owner(int32_t, KmpTask* task) {
    complete(*static_cast<Task*>(Private::of(task).owner));
    return 0;
}

/// A task of either compiler that completes `task`.
void complete_by_task(Task& task, Random& random) {
    if (random.chance(50)) {
        Task* const detached = &task;
#pragma omp task firstprivate(detached)
        complete(*detached);
        return;
    }
    KmpTask* other = allocate(kmp_task::tied, task.id, &task, complete_owner, random);
    if (random.chance(50))
        prefer_location(other, random);
    __kmpc_omp_task(&ident, thread(), other);
}

/// What every task does, whoever's it is.
void run(Task& task) {
    Graph& graph = *task.graph;
    ++task.executed;
    expect(!task.final || omp_in_final(), "graph %lu: not final", graph.root);
    execute(task, graph.values, graph.late, &task.seen, graph.inside);
    work(task.work);
    leave(task, graph.inside);
    if (task.nested)
        produce(*task.nested);
    Random random(graph.seed ^ task.id);
    if (task.completion == Completion::by_itself)
        complete(task);
    else if (task.completion == Completion::by_child)
        complete_by_task(task, random);
    else if (task.completion == Completion::by_thread)
        Completer::instance().add(task, complete);
}

int32_t run_tied(int32_t global, KmpTask* raw) {
    Private& data = Private::of(raw);
    Task& task = *static_cast<Task*>(data.owner);
    expect(global == thread(), "graph %lu: thread %d", task.graph->root, global);
    expect(data.right(raw), "graph %lu: the data of a task", task.graph->root);
    run(task);
    return 0;
}

int32_t count_child(int32_t, KmpTask* task) {
    static_cast<Private*>(Private::of(task).owner)->sum.fetch_add(1, std::memory_order_relaxed);
    return 0;
}

/// An untied task: creates children, waits for them, runs, yields; each in a part of its own.
int32_t run_untied(int32_t, KmpTask* raw) {
    Private& data = Private::of(raw);
    Task& task = *static_cast<Task*>(data.owner);
    Random random(task.graph->seed ^ task.id);
    const int children = static_cast<int>(random.below(6));
    switch (raw->part) {
    case 0:
        expect(data.right(raw), "graph %lu: the data of a task", task.graph->root);
        for (int i = 0; i < children; ++i) {
            const int32_t flags = random.chance(50) ? kmp_task::tied : 0;
            KmpTask* child = allocate(flags, task.id, &data, count_child, random);
            if (random.chance(30))
                prefer_location(child, random);
            __kmpc_omp_task(&ident, thread(), child);
        }
        break;
    case 1:
        __kmpc_omp_taskwait(&ident, thread());
        expect(data.sum == children, "graph %lu: children across parts", task.graph->root);
        break;
    case 2:
        run(task);
        break;
    default:
        __kmpc_omp_taskyield(&ident, thread(), 0);
        return 0;
    }
    ++raw->part;
    __kmpc_omp_task(&ident, thread(), raw);
    return 0;
}

/// gcc's captured data of a task with a detach clause.
struct GccData {
    void* event;
    Task* task;
};

void run_of_gcc(void* data) { run(*static_cast<GccData*>(data)->task); }

void create_of_gcc(Task& task, Random& random) {
    DependArray array(*task.graph, task.uses, random);
    GccData data{nullptr, &task};
    const bool depends = !task.uses.empty();
    const unsigned flags = (task.untied ? 1 : 0) | (task.final ? 2 : 0) | (depends ? 8 : 0) | 16 |
                           (task.completion != Completion::none ? 8192 : 0);
    GOMP_task(run_of_gcc, &data, nullptr, sizeof data, alignof(GccData), task.deferrable, flags,
              depends ? array.get() : nullptr, task.priority, &task.event);
}

void create_of_clang(Task& task, Random& random) {
    int32_t flags = task.untied ? 0 : kmp_task::tied;
    if (task.final)
        flags |= kmp_task::final;
    if (task.priority >= 0)
        flags |= kmp_task::priority;
    if (random.chance(30))
        flags |= kmp_task::destructors;
    if (task.completion != Completion::none)
        flags |= random.chance(60) ? kmp_task::detachable : kmp_task::proxy;
    else if (random.chance(5))
        flags |= kmp_task::detachable; // and nobody asks for the event
    KmpTask* const raw =
        allocate(flags, task.id, &task, task.untied ? run_untied : run_tied, random);
    if (flags & kmp_task::priority)
        raw->priority = task.priority;
    if (flags & kmp_task::proxy)
        task.event = reinterpret_cast<uintptr_t>(raw) | proxy_bit;
    else if (task.completion != Completion::none)
        task.event =
            reinterpret_cast<uintptr_t>(__kmpc_task_allow_completion_event(&ident, thread(), raw));
    if (random.chance(20))
        prefer_location(raw, random);
    // From here on, for the task may not be there any more when it is created.
    const bool early = task.completion == Completion::by_producer && random.chance(50);
    if (early)
        complete(task);
    if (task.completion == Completion::by_thread_early)
        Completer::instance().add(task, complete);

    KmpDepends depends(*task.graph, task.uses, random);
    const int32_t one = depends.count(0), two = depends.count(1), global = thread();
    if (!task.deferrable) {
        if (one + two != 0 && random.chance(50))
            __kmpc_omp_wait_deps(&ident, global, one, depends.list(0), two, depends.list(1));
        else if (one + two != 0)
            __kmpc_omp_taskwait_deps_51(&ident, global, one, depends.list(0), two, depends.list(1),
                                        0);
        const KmpRoutine routine = raw->routine;
        __kmpc_omp_task_begin_if0(&ident, global, raw);
        routine(global, raw);
        __kmpc_omp_task_complete_if0(&ident, global, raw);
    } else if (one + two != 0) {
        __kmpc_omp_task_with_deps(&ident, global, raw, one, depends.list(0), two, depends.list(1));
    } else if (random.chance(50)) {
        __kmpc_omp_task(&ident, global, raw);
    } else {
        __kmpc_omp_task_parts(&ident, global, raw);
    }
    if (task.completion == Completion::by_producer && !early)
        complete(task);
    if (task.completion == Completion::by_sibling)
        complete_by_task(task, random);
}

void create_task(Task& task, Random& random) {
    // Clang's code waits for the predecessors of an undeferred task and does not name its
    // successors.
    const bool names_all =
        task.deferrable || task.completion == Completion::none || task.uses.empty();
    if (random.chance(75) && names_all)
        return create_of_clang(task, random);
    create_of_gcc(task, random);
    if (task.completion == Completion::by_producer)
        complete(task);
    if (task.completion == Completion::by_sibling)
        complete_by_task(task, random);
    if (task.completion == Completion::by_thread_early)
        Completer::instance().add(task, complete);
}

/// A task that depends on others and has nothing to do, in either form.
void create_empty(Graph& graph, const std::vector<Use>& uses, Random& random) {
    KmpDepends depends(graph, uses, random);
    const int32_t one = depends.count(0), two = depends.count(1), global = thread();
    if (random.chance(50)) {
        __kmpc_omp_taskwait_deps_51(&ident, global, one, depends.list(0), two, depends.list(1), 1);
        return;
    }
    KmpTask* raw =
        __kmpc_omp_task_alloc(&ident, global, kmp_task::tied, sizeof(KmpTask), 0, nullptr);
    __kmpc_omp_task_with_deps(&ident, global, raw, one, depends.list(0), two, depends.list(1));
}

/// A task of a taskloop: what is private there.
struct LoopTask {
    KmpTask head;
    uint64_t lower, upper;
    std::atomic<unsigned>* sum;
};

int32_t run_share(int32_t, KmpTask* raw) {
    auto& task = *reinterpret_cast<LoopTask*>(raw);
    for (uint64_t i = task.lower; i <= task.upper; ++i)
        task.sum->fetch_add(static_cast<unsigned>(i), std::memory_order_relaxed);
    return 0;
}

void loop_of_tasks(const Graph& graph, unsigned count, Random& random) {
    std::atomic<unsigned> sum{0};
    const int32_t flags = random.chance(70) ? kmp_task::tied : 0;
    KmpTask* raw = __kmpc_omp_task_alloc(&ident, thread(), flags, sizeof(LoopTask), 0, run_share);
    auto& pattern = *reinterpret_cast<LoopTask*>(raw);
    pattern.lower = 0;
    pattern.upper = count - 1;
    pattern.sum = &sum;
    __kmpc_taskloop(&ident, thread(), raw, random.chance(90), &pattern.lower, &pattern.upper, 1, 0,
                    static_cast<int32_t>(random.below(3)), 1 + random.below(5), nullptr);
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
        case Action::taskwait:
            __kmpc_omp_taskwait(&ident, thread());
            expect_complete(graph, 0, step.task, false, "taskwait");
            expect_values(graph, step, "taskwait");
            break;
        case Action::taskwait_depend: {
            DependArray array(graph, step.uses, random);
            KmpDepends depends(graph, step.uses, random);
            if (random.chance(30))
                GOMP_taskwait_depend(array.get());
            else
                __kmpc_omp_taskwait_deps_51(&ident, thread(), depends.count(0), depends.list(0),
                                            depends.count(1), depends.list(1), 0);
            expect_values(graph, step, "taskwait with depend");
            break;
        }
        case Action::taskwait_nowait:
            create_empty(graph, step.uses, random);
            break;
        case Action::begin_group: {
            __kmpc_taskgroup(&ident, thread());
            const size_t end = produce_steps(graph, at + 1, random);
            __kmpc_end_taskgroup(&ident, thread());
            expect_complete(graph, step.task, graph.steps[end].task, true, "taskgroup");
            at = end;
            break;
        }
        case Action::end_group:
            return at;
        case Action::taskloop:
            loop_of_tasks(graph, step.number, random);
            break;
        case Action::taskyield:
            __kmpc_omp_taskyield(&ident, thread(), 0);
            break;
        }
    }
    return at;
}

void produce(Graph& graph) {
    Random random(graph.seed ^ 0x5eed);
    produce_steps(graph, 0, random);
    if (!graph.waits)
        return;
    __kmpc_omp_taskwait(&ident, thread());
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
        __kmpc_taskgroup(&ident, thread());
        produce(*graphs[0]);
        __kmpc_end_taskgroup(&ident, thread());
    } else {
#pragma omp parallel
        if (omp_get_thread_num() < producers)
            produce(*graphs[static_cast<size_t>(omp_get_thread_num())]);
    }
    for (const auto& graph : graphs)
        expect_complete(*graph, 0, graph->tasks.size(), true, "region");
    expect(Private::live.load() == 0, "graph %lu: tasks were not destroyed", seed);
}

} // namespace

int main(int, char** argv) {
    signal(SIGALRM, report_hang);
    const char* one = getenv("HEDDLE_STRESS_GRAPH");
    const int rounds = stress::scaled(one ? 200 : 2000);
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::milliseconds(scaled(sanitized() ? 24000 : 3000));
    Random random(stress::seed() + (getenv("OMP_CANCELLATION") ? 1000 : 0) +
                  (getenv("OMP_MAX_TASK_PRIORITY") ? 2000 : 0) +
                  (getenv("KMP_ENABLE_TASK_THROTTLING") ? 4000 : 0));
    int done = 0;
    while (done < rounds && failures.load() == 0 && std::chrono::steady_clock::now() < end) {
        run_graph(one ? strtoull(one, nullptr, 0) : random.next());
        ++done;
    }
    alarm(0);
    printf("%d graphs\n", done);
    fflush(stdout);
    if (failures.load() == 0) { // again where no task is plain, where priorities count, and where
                                // all tasks are queued
        rerun_with("OMP_CANCELLATION", "true", argv);
        rerun_with("OMP_MAX_TASK_PRIORITY", "9", argv);
        rerun_with("KMP_ENABLE_TASK_THROTTLING", "0", argv);
    }
    return stress::result("kmp_task_graph");
}
