// SPDX-License-Identifier: Apache-2.0
// The plan of a random task graph, made from its seed alone, and its serial execution. Included by
// task_graph_checks.hpp. Places are memory locations that tasks use: an exclusive user mixes its
// number into the value, readers remember what they see, members of a set add.
#pragma once

#include "stress.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <omp.h>
#include <thread>
#include <type_traits>
#include <vector>

namespace stress {

constexpr unsigned places = 6, most_uses = 24;
constexpr unsigned all_memory = places;

enum class Kind { in = 1, out, inout, mutexinoutset, inoutset }; // as gcc numbers them
enum class Access : char { none, read, add, add_alone, exclusive };
enum class Shape { by_hand, iterator, object, clauses };
enum class Completion {
    none,
    by_itself,
    by_child,
    by_thread,
    by_producer,
    by_sibling,
    by_thread_early
};
enum class Action {
    create,
    taskwait,
    taskwait_depend,
    taskwait_nowait,
    begin_group,
    end_group,
    taskloop,
    taskyield
};

struct Use {
    Kind kind;
    unsigned place; ///< or all_memory
};

struct Graph;

struct Task {
    Graph* graph;
    unsigned id;
    std::vector<Use> uses;
    Access access[places] = {};
    Shape shape = Shape::by_hand;
    Completion completion = Completion::none;
    bool deferrable = true, final = false, untied = false;
    int priority = 0;
    unsigned work = 0;
    std::unique_ptr<Graph> nested;
    uint64_t expected_seen = 0;

    // Plain memory: the waits order it.
    uint64_t seen = 0;
    int executed = 0, fulfilled = 0;
    uintptr_t event = 0;

    /// The event is not fulfilled before the task has begun.
    bool completes_late() const { return completion <= Completion::by_thread; }
};

struct Step {
    Action action;
    size_t task = 0; ///< the one to create, or how many there are so far
    unsigned number = 0;
    std::vector<Use> uses;
    bool checks[places] = {}; ///< places whose values are known after the step
    uint64_t values[places] = {}, late[places] = {};
};

struct Graph {
    uint64_t seed, root;
    bool waits; ///< for its tasks, at the end
    std::vector<Step> steps;
    std::vector<std::unique_ptr<Task>> tasks;
    uint64_t values[places] = {}, late[places] = {};
    int inside[places] = {}; ///< tasks that add alone

    Graph(uint64_t seed, uint64_t root, int depth, bool waits, bool final);
};

inline Access strongest(Access before, Kind kind) {
    const Access now = kind == Kind::in              ? Access::read
                       : kind == Kind::inoutset      ? Access::add
                       : kind == Kind::mutexinoutset ? Access::add_alone
                                                     : Access::exclusive;
    return before == Access::none || before == now ? now : Access::exclusive;
}

inline std::vector<Use> choose_uses(Random& random, unsigned most) {
    std::vector<Use> uses;
    if (random.chance(4)) {
        uses.push_back({random.chance(50) ? Kind::out : Kind::inout, all_memory});
        most = 2;
    }
    const unsigned count = 1 + random.below(random.chance(5) ? most_uses - 2 : most);
    for (unsigned i = 0; i < count; ++i) {
        const unsigned kind = random.below(12);
        uses.push_back({kind < 4    ? Kind::in
                        : kind < 6  ? Kind::out
                        : kind < 8  ? Kind::inout
                        : kind < 10 ? Kind::mutexinoutset
                                    : Kind::inoutset,
                        random.below(places)});
    }
    return uses;
}

inline void choose_shape(Task& task, Random& random) {
    task.shape = static_cast<Shape>(1 + random.below(3));
    task.uses.clear();
    const unsigned place = random.below(places);
    if (task.shape == Shape::object)
        task.uses = {{Kind::mutexinoutset, place}};
    else if (task.shape == Shape::clauses)
        task.uses = {{Kind::in, place}, {Kind::out, random.below(places)}};
    else
        for (unsigned i = 0, count = 1 + random.below(3); i < count; ++i)
            task.uses.push_back({Kind::inout, (place + i) % places});
}

inline std::unique_ptr<Task> plan_task(Graph& graph, Random& random, int depth, bool in_final) {
    auto task = std::make_unique<Task>();
    task->graph = &graph;
    task->id = 1 + static_cast<unsigned>(graph.tasks.size());
    if (!random.chance(10))
        task->uses = choose_uses(random, 3);
    task->work = random.chance(20) ? random.below(3000) : random.below(60);
    task->untied = random.chance(20);
    task->priority = static_cast<int>(random.below(12)) - 1;
    task->deferrable = !random.chance(8);
    if (random.chance(15)) {
        choose_shape(*task, random);
        task->deferrable |= task->shape != Shape::clauses;
        task->untied = false;
    } else {
        task->final = in_final || random.chance(4);
        if (random.chance(12))
            task->completion = static_cast<Completion>(1 + random.below(6));
    }
    if (depth > 0 && random.chance(12))
        task->nested = std::make_unique<Graph>(random.next(), graph.root, depth - 1,
                                               random.chance(50), task->final || in_final);
    for (const Use& use : task->uses)
        for (unsigned place = 0; place < places; ++place)
            if (use.place == all_memory || use.place == place)
                task->access[place] = strongest(task->access[place], use.kind);
    return task;
}

inline Graph::Graph(uint64_t seed_, uint64_t root_, int depth, bool waits_, bool in_final)
    : seed(seed_), root(root_), waits(waits_) {
    Random random(seed);
    const unsigned count = 1 + random.below(random.chance(10) ? 150 : 30);
    unsigned groups = 0;
    for (unsigned i = 0; i < count; ++i) {
        const unsigned what = random.below(100);
        Step step{};
        step.task = tasks.size();
        if (what < 76) {
            step.action = Action::create;
            tasks.push_back(plan_task(*this, random, depth, in_final));
        } else if (what < 80) {
            step.action = Action::taskwait;
        } else if (what < 87) {
            step.action = random.chance(60) ? Action::taskwait_depend : Action::taskwait_nowait;
            step.uses = choose_uses(random, 3);
        } else if (what < 91 && groups < 3) {
            step.action = Action::begin_group;
            ++groups;
        } else if (what < 95 && groups > 0) {
            step.action = Action::end_group;
            --groups;
        } else if (what < 97) {
            step.action = Action::taskloop;
            step.number = 1 + random.below(40);
        } else {
            step.action = Action::taskyield;
        }
        steps.push_back(std::move(step));
    }
    for (; groups > 0; --groups) {
        steps.push_back({});
        steps.back().action = Action::end_group;
        steps.back().task = tasks.size();
    }
}

/// The task's effect on the places. `inside`: of the parallel execution, whose members of sets run
/// at the same time; nullptr in the serial one.
inline void execute(const Task& task, uint64_t* values, const uint64_t* late, uint64_t* seen,
                    int* inside) {
    for (unsigned place = 0; place < places; ++place) {
        uint64_t& value = values[place];
        switch (task.access[place]) {
        case Access::none:
            break;
        case Access::add:
            std::atomic_ref<uint64_t>(value).fetch_add(mix(task.id, place),
                                                       std::memory_order_relaxed);
            break;
        case Access::add_alone:
            if (inside)
                expect(++inside[place] == 1, "graph %lu: mutexinoutset is not exclusive",
                       task.graph->root);
            value += mix(task.id, place);
            break;
        case Access::read:
        case Access::exclusive:
            *seen = mix(*seen, mix(value, late[place]));
            if (task.access[place] == Access::exclusive)
                value = mix(value, task.id);
            break;
        }
    }
}

/// The end of what execute() began.
inline void leave(const Task& task, int* inside) {
    for (unsigned place = 0; place < places; ++place)
        if (task.access[place] == Access::add_alone)
            --inside[place];
}

/// Fills in what the tasks are to see, and the values after the waits.
inline void run_serially(Graph& graph) {
    uint64_t values[places] = {}, late[places] = {};
    for (Step& step : graph.steps) {
        if (step.action == Action::create) {
            Task& task = *graph.tasks[step.task];
            execute(task, values, late, &task.expected_seen, nullptr);
            for (unsigned place = 0; place < places; ++place)
                if (task.access[place] == Access::exclusive &&
                    task.completion != Completion::none && task.completes_late())
                    late[place] = mix(late[place], task.id);
            if (task.nested)
                run_serially(*task.nested);
        }
        for (unsigned place = 0; place < places; ++place) {
            step.values[place] = values[place];
            step.late[place] = late[place];
            step.checks[place] = step.action == Action::taskwait;
            for (const Use& use : step.uses) // members of a set do not wait for each other
                step.checks[place] |=
                    use.place == all_memory || (use.place == place && use.kind != Kind::inoutset);
        }
    }
}

/// A thread outside OpenMP that fulfills events, at once or a little later.
class Completer {
public:
    static Completer& instance() {
        static Completer completer;
        return completer;
    }
    void add(Task& task, void (*fulfill)(Task&)) {
        const std::lock_guard guard(mutex_);
        queue_.push_back({&task, fulfill});
        changed_.notify_all();
    }

private:
    struct Entry {
        Task* task;
        void (*fulfill)(Task&);
    };
    Completer() {
        thread_ = std::thread([this] { run(); });
    }
    ~Completer() {
        {
            const std::lock_guard guard(mutex_);
            ends_ = true;
            changed_.notify_all();
        }
        thread_.join();
    }
    void run() {
        Random random(7);
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return ends_ || !queue_.empty(); });
            if (queue_.empty())
                return;
            const Entry entry = queue_.front();
            queue_.erase(queue_.begin());
            lock.unlock();
            if (random.chance(20))
                std::this_thread::sleep_for(std::chrono::microseconds(random.below(300)));
            entry.fulfill(*entry.task);
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Entry> queue_;
    bool ends_ = false;
    std::thread thread_;
};

/// Travels by copy construction.
class Counted {
public:
    static inline std::atomic<long> live{0};
    explicit Counted(uint64_t value) : value_(new uint64_t(value)) { ++live; }
    Counted(const Counted& other) : value_(new uint64_t(*other.value_)) { ++live; }
    Counted& operator=(const Counted&) = delete;
    ~Counted() {
        *value_ = ~uint64_t{0};
        delete value_;
        --live;
    }
    bool right(uint64_t value) const { return *value_ == value; }

private:
    uint64_t* value_;
};

struct Nothing {
    explicit Nothing(uint64_t) {}
    bool right(uint64_t) const { return true; }
};

} // namespace stress
