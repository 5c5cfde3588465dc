// SPDX-License-Identifier: Apache-2.0
// The task scheduling constraint (OpenMP 5.2 section 12.9): a thread may start a new tied task only
// if it descends from every tied task that is suspended on the thread outside a barrier.
// Every thread keeps a stack of what it has begun; every task checks it against its own ancestors.
// Many more threads than cores, so that tasks are stolen and waiting threads look for descendants.
#include "stress.hpp"

#include <deque>
#include <omp.h>
#include <vector>

namespace {

using stress::expect;
using stress::mix;
using stress::Random;

struct Task {
    const Task* parent;
    int depth;
    bool tied;
};

bool descends(const Task* task, const Task* from) {
    while (task->depth > from->depth)
        task = task->parent;
    return task == from;
}

/// The tasks begun on this thread and not ended, the oldest first. gcc's untied tasks don't move.
thread_local std::vector<const Task*> begun;

/// Enters and leaves the thread's stack.
class Running {
public:
    explicit Running(const Task& task) {
        if (task.tied)
            for (const Task* suspended : begun)
                expect(!suspended->tied || descends(&task, suspended),
                       "a task of depth %d began above a tied task of depth %d it isn't below",
                       task.depth, suspended->depth);
        begun.push_back(&task);
    }
    ~Running() { begun.pop_back(); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
};

std::atomic<long> ran{0};

void run(const Task& self, uint64_t seed);

/// The Task outlives the task: descendants look at it. Regions are over before it is freed.
void spawn(const Task& parent, uint64_t seed, std::deque<Task>& memory) {
    const bool tied = seed % 4 != 0;
    memory.push_back({&parent, parent.depth + 1, tied});
    const Task* task = &memory.back();
    if (tied) {
#pragma omp task firstprivate(task, seed) if (seed % 32 != 1)
        run(*task, seed);
    } else {
#pragma omp task untied firstprivate(task, seed) if (seed % 32 != 1)
        run(*task, seed);
    }
}

thread_local std::deque<Task>* arena; ///< of the thread, freed after the region

void children(const Task& self, Random& random, uint64_t seed, bool yields) {
    const unsigned count = self.depth < 9 ? random.below(4) + (self.depth < 4) : 0;
    for (unsigned i = 0; i < count; ++i) {
        spawn(self, mix(seed, i), *arena);
        if (yields && random.chance(20)) {
#pragma omp taskyield
        }
    }
}

void act(const Task& self, uint64_t seed) {
    Random random(seed);
    stress::work(random.chance(30) ? random.below(3000) : random.below(100));
    switch (random.below(5)) {
    case 0:
        children(self, random, seed, false);
        break;
    case 1:
    case 2:
        children(self, random, seed, false);
#pragma omp taskwait
        break;
    case 3:
#pragma omp taskgroup
        children(self, random, seed, false);
        break;
    default:
        children(self, random, seed, true);
        if (random.chance(50)) {
#pragma omp taskwait
        }
        children(self, random, mix(seed, 77), true);
    }
    stress::work(random.below(500));
}

void run(const Task& self, uint64_t seed) {
    Running running(self);
    ran.fetch_add(1, std::memory_order_relaxed);
    act(self, seed);
    expect(begun.back() == &self, "a task goes on while another is on top of its thread");
}

/// One region. The implicit tasks are tied too, except while they are suspended in a barrier.
void region(uint64_t seed, int threads, bool one_root) {
    std::vector<std::deque<Task>> arenas(static_cast<size_t>(threads));
    std::vector<Task> roots(static_cast<size_t>(threads));
#pragma omp parallel num_threads(threads)
    {
        const auto number = static_cast<size_t>(omp_get_thread_num());
        arena = &arenas[number];
        roots[number] = {nullptr, 0, true};
        for (unsigned turn = 0; turn < 3; ++turn) {
            // In the barrier at the end of this block anything may begin.
            begun.clear();
            if (!one_root || number == turn % static_cast<unsigned>(threads)) {
                Running running(roots[number]);
                act(roots[number], mix(seed, number + 100 * turn));
            }
#pragma omp barrier
        }
    }
}

} // namespace

int main() {
    Random random(stress::seed());
    const int rounds = stress::scaled(60);
    for (int i = 0; i < rounds; ++i)
        for (int threads : {2, 4, 16, omp_get_max_threads()}) {
            region(random.next(), threads, true);
            region(random.next(), threads, false);
        }
    expect(ran.load() > 0, "no task ran");
    return stress::result("constraint");
}
