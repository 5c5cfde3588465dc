// SPDX-License-Identifier: Apache-2.0
// Taskloops by clang's entry points, with random bounds and clauses: every iteration is executed
// once, tasks have as many as grainsize and num_tasks promise, each task has its own private
// variables as they were in the pattern, one task knows that it has the last iteration, and what
// was constructed is destroyed.
#include "kmp_tasks.hpp"
#include "stress.hpp"

#include <memory>
#include <omp.h>

namespace {

using stress::expect;

constexpr uint64_t canary = 0x5ca1ab1e;

struct Loop {
    uint64_t lower, upper;
    int64_t step;
    uint64_t count;
    bool constructs; ///< each task has a constructed object of its own
    std::unique_ptr<std::atomic<int>[]> seen;
    std::atomic<uint64_t> tasks{0}, least{~uint64_t{0}}, most{0}, last_tasks{0};
    std::atomic<int64_t> objects{0};
};

struct LoopTask : KmpTask {
    uint64_t lower, upper;
    int64_t step;
    int32_t is_last;
    uint64_t number;       ///< firstprivate, each task changes it
    uint64_t unused;       ///< so that the size is not a multiple of 16
    std::atomic<int>* own; ///< constructed by the pattern's maker, and by each duplication
};

/// The block of shared variables.
struct Shared {
    Loop* loop;
    uint64_t canary;
};

Loop& loop_of(const KmpTask* task) {
    const auto* shared = static_cast<const Shared*>(task->shareds);
    expect(shared->canary == canary, "the pointers to shared variables");
    return *shared->loop;
}

void construct(LoopTask& task) {
    task.own = new std::atomic<int>(1);
    loop_of(&task).objects++;
}

int32_t destroy(int32_t, KmpTask* task) {
    auto* own = static_cast<LoopTask*>(task)->own;
    expect(own->exchange(-1) >= 1, "an object that was destroyed before");
    delete own;
    loop_of(task).objects--;
    return 0;
}

void duplicate(KmpTask* copy, KmpTask* pattern, int32_t is_last) {
    auto& task = *static_cast<LoopTask*>(copy);
    expect(static_cast<LoopTask*>(pattern)->own == task.own, "a copy of another pattern");
    task.is_last = is_last;
    if (loop_of(copy).constructs)
        construct(task);
}

template <class Value, class Better>
void improve(std::atomic<Value>& best, Value value, Better better) {
    Value old = best.load();
    while (better(value, old) && !best.compare_exchange_weak(old, value)) {
    }
}

int32_t run(int32_t number, KmpTask* raw) {
    auto& task = *static_cast<LoopTask*>(raw);
    Loop& loop = loop_of(raw);
    expect(number == __kmpc_global_thread_num(nullptr), "the thread's number");
    expect(task.number == canary, "a private variable that another task has changed");
    task.number = 0;
    if (loop.constructs)
        expect(task.own->fetch_add(1) == 1, "an object that another task has used");
    uint64_t executed = 0;
    const auto step = static_cast<uint64_t>(task.step);
    for (uint64_t i = task.lower;; i += step, ++executed) {
        const uint64_t distance = task.step > 0 ? i - loop.lower : loop.lower - i;
        const uint64_t index = distance / (task.step > 0 ? step : 0 - step);
        expect(index < loop.count, "iteration %llu of %llu", static_cast<unsigned long long>(index),
               static_cast<unsigned long long>(loop.count));
        if (index < loop.count)
            loop.seen[index]++;
        if (i == task.upper || executed >= loop.count) {
            ++executed;
            if (task.is_last) {
                loop.last_tasks++;
                expect(index == loop.count - 1, "not the last iteration");
            }
            break;
        }
    }
    loop.tasks++;
    improve(loop.least, executed, [](uint64_t a, uint64_t b) { return a < b; });
    improve(loop.most, executed, [](uint64_t a, uint64_t b) { return a > b; });
    stress::work(static_cast<unsigned>(executed % 7 * 300));
    return 0;
}

enum Clause : int32_t { none, grainsize, num_tasks };

struct Clauses {
    bool duplicates, if_clause, nogroup, strict;
    int32_t flags;
    Clause clause;
    uint64_t value;
};

Clauses random_clauses(stress::Random& random) {
    Clauses clauses{random.chance(50),
                    random.chance(80),
                    random.chance(30),
                    random.chance(30),
                    random.chance(80) ? kmp_task::tied : 0,
                    static_cast<Clause>(random.below(3)),
                    1 + random.below(20)};
    if (clauses.duplicates && random.chance(60))
        clauses.flags |= kmp_task::destructors;
    if (random.chance(10))
        clauses.flags |= kmp_task::final;
    if (random.chance(10))
        clauses.flags |= kmp_task::priority;
    return clauses;
}

/// What the clause promises of the number of tasks and their iterations.
void check_shares(const Loop& loop, const Clauses& clauses) {
    const uint64_t tasks = loop.tasks, value = clauses.value;
    if (clauses.clause == num_tasks) {
        expect(tasks == (value < loop.count ? value : loop.count), "num_tasks");
        expect(loop.most - loop.least <= 1, "uneven tasks");
    } else if (clauses.clause == grainsize && clauses.strict) {
        expect(tasks == (loop.count - 1) / value + 1, "strict grainsize: number of tasks");
        expect(loop.most == (value < loop.count ? value : loop.count), "strict grainsize");
    } else if (clauses.clause == grainsize && value <= loop.count) {
        expect(loop.least >= value && loop.most < 2 * value, "grainsize");
    }
}

void run_loop(Loop& loop, const Clauses& clauses) {
    loop.constructs = (clauses.flags & kmp_task::destructors) != 0;
    loop.seen.reset(new std::atomic<int>[loop.count]());
    const int32_t number = __kmpc_global_thread_num(nullptr);
    auto* task = static_cast<LoopTask*>(__kmpc_omp_task_alloc(
        nullptr, number, clauses.flags, sizeof(LoopTask), sizeof(Shared), run));
    *static_cast<Shared*>(task->shareds) = {&loop, canary};
    task->lower = loop.lower;
    task->step = loop.step;
    task->upper = loop.upper;
    task->is_last = 0;
    task->number = canary;
    task->own = nullptr;
    if (clauses.flags & kmp_task::priority)
        task->priority = 3;
    if (loop.constructs) {
        task->destructors = destroy;
        construct(*task);
    }
    const KmpDuplicate copies = clauses.duplicates ? duplicate : nullptr;
    if (clauses.strict)
        __kmpc_taskloop_5(nullptr, number, task, clauses.if_clause, &task->lower, &task->upper,
                          loop.step, clauses.nogroup, clauses.clause, clauses.value, 1, copies);
    else
        __kmpc_taskloop(nullptr, number, task, clauses.if_clause, &task->lower, &task->upper,
                        loop.step, clauses.nogroup, clauses.clause, clauses.value, copies);
    if (clauses.nogroup)
        __kmpc_omp_taskwait(nullptr, number);
    for (uint64_t i = 0; i < loop.count; ++i)
        expect(loop.seen[i] == 1, "iteration %d of %d: %d times", static_cast<int>(i),
               static_cast<int>(loop.count), loop.seen[i].load());
    if (loop.count != 0)
        check_shares(loop, clauses);
    expect(loop.last_tasks == (clauses.duplicates && loop.count != 0 ? 1 : 0), "last iteration");
    expect(loop.objects == 0, "%d objects are left", static_cast<int>(loop.objects));
}

/// Bounds anywhere in 64 bits, so that signed and unsigned loops cross their limits.
void choose_bounds(Loop& loop, stress::Random& random) {
    loop.count = random.below(200);
    loop.step = 1 + random.below(5);
    const bool is_wide = random.chance(10); // from one limit of signed values nearly to the other
    if (is_wide) {
        loop.count = 1 + random.below(8);
        loop.step = int64_t{1} << 61;
    }
    const uint64_t length = loop.count * static_cast<uint64_t>(loop.step);
    const bool down = random.chance(50);
    if (down)
        loop.step = -loop.step;
    constexpr uint64_t least = static_cast<uint64_t>(INT64_MIN), most = INT64_MAX;
    if (is_wide)
        loop.lower = down ? most : least;
    else if (random.chance(30)) // up to the limit of signed values, or down to it
        loop.lower = down ? least + length : most - length;
    else if (random.chance(30)) // across it
        loop.lower = down ? least + length / 2 : most - length / 2;
    else if (random.chance(30)) // up to the limit of unsigned ones
        loop.lower = down ? length : UINT64_MAX - length;
    else
        loop.lower = static_cast<uint64_t>(static_cast<int64_t>(random.below(1000)) - 500);
    const uint64_t before = 1 + random.below(2000); // if it has none: `do i = 5, -5`
    if (loop.count != 0)
        loop.upper = loop.lower + (loop.count - 1) * static_cast<uint64_t>(loop.step);
    else
        loop.upper = down ? loop.lower + before : loop.lower - before;
}

void random_loops(uint64_t seed, int loops) {
    stress::Random random(seed);
    for (int i = 0; i < loops; ++i) {
        Loop loop;
        choose_bounds(loop, random);
        run_loop(loop, random_clauses(random));
    }
}

} // namespace

int main() {
    const uint64_t seed = stress::seed();
    const int loops = stress::scaled(800);
    random_loops(seed, loops / 4); // no parallel region
#pragma omp parallel
#pragma omp single
    random_loops(seed + 1, loops);
#pragma omp parallel
    random_loops(seed + 2 + static_cast<uint64_t>(omp_get_thread_num()), loops / 4);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 8; ++i) {
#pragma omp task
        random_loops(seed + 100 + static_cast<uint64_t>(i), loops / 8);
    }
    return stress::result("kmp_taskloop");
}
