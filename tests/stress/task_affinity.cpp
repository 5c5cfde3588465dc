// SPDX-License-Identifier: Apache-2.0
// Hints where tasks should run. With stealing off every hinted task runs on its thread, each form
// of hint checked against its meaning; a thread that is busy has its tasks taken by others;
// programs whose threads wait for each other's hinted tasks come to an end, with and without
// stealing; and random trees of hinted tasks compute what the same trees compute alone. By
// OMP_NUM_THREADS.
#include "../../include/heddle.h"
#include "rerun.hpp"
#include "stress.hpp"

#include <omp.h>
#include <thread>
#include <vector>

namespace {

using stress::expect;
using stress::Random;

int self() { return omp_get_thread_num(); }

void until(const std::atomic<int>& count, int value) {
    while (count.load(std::memory_order_acquire) < value)
        std::this_thread::yield();
}

/// Tasks for each thread in turn, by a thread that goes to a barrier then: all run where they
/// should.
void threads_in_turn(int rounds) {
    heddle_set_task_stealing(0);
    for (int round = 0; round < rounds; ++round) {
        int ran[100];
        int size = 0;
#pragma omp parallel
#pragma omp single
        {
            size = omp_get_num_threads();
            for (int i = 0; i < 100; ++i)
                HEDDLE_HINT(heddle_affinity_thread(i % size))
#pragma omp task firstprivate(i) shared(ran)
            ran[i] = self();
        }
        for (int i = 0; i < 100; ++i)
            expect(size == 1 || ran[i] == i % size, "task %d of %d on thread %d", i, size, ran[i]);
    }
}

/// A hint is for one task, of the task that gave it, and is taken back where there is none.
void used_up() {
    heddle_set_task_stealing(0);
    int ran[3] = {-1, -1, -1};
    int size = 0;
#pragma omp parallel
#pragma omp single
    {
        size = omp_get_num_threads();
        const int other = (self() + 1) % size;
        expect(heddle_affinity_thread(size) == -1, "a thread that does not exist");
        expect(heddle_affinity_thread(-1) == -1, "a negative thread");
        expect(heddle_affinity_data(nullptr, 8) == -1, "data at the null pointer");
        expect(heddle_taskgroup_affinity(4, 0) == -1, "a kind that does not exist");
        expect(heddle_taskgroup_affinity(HEDDLE_AFFINITY_CLOSE, -1) == -1, "negative tasks");
        HEDDLE_HINT(heddle_affinity_thread(other))
        if (size == 0) // no task at all
#pragma omp task
            ran[0] = -2;
        const int own = self();
#pragma omp task shared(ran)
        ran[0] = self() == own;
        expect(heddle_affinity_thread(other) == 0, "a hint");
#pragma omp task shared(ran)
        ran[1] = self() == other;
#pragma omp task shared(ran)
        ran[2] = self() == own;
    }
    for (int i = 0; i < 3; ++i)
        expect(ran[i] == 1, "task %d of a team of %d is on the wrong thread", i, size);
}

/// A hint that was not used before its region ended, or its task, is not meant for later ones.
void left_over() {
    heddle_set_task_stealing(0);
    int ran = -1, size = 0;
#pragma omp parallel
    heddle_affinity_thread(0);
#pragma omp parallel shared(ran, size)
    {
        const int last = omp_get_num_threads() - 1;
#pragma omp single
        {
            size = last + 1;
            HEDDLE_HINT(heddle_taskgroup_affinity(HEDDLE_AFFINITY_SPREAD, 0))
#pragma omp taskgroup
            for (int i = 0; i < size; ++i)
#pragma omp task shared(ran)
#pragma omp atomic write
                ran = 0; // each task has a share of the threads
        }
        if (self() == last) {
#pragma omp task shared(ran)
            ran = self();
        }
    }
    expect(ran == size - 1, "a hint of an earlier region sent a task to thread %d", ran);
#pragma omp parallel shared(ran, size)
#pragma omp single
    {
        const int own = self(), other = (own + 1) % size;
        for (int sibling = 0; sibling < 3; ++sibling)
#pragma omp task if (0) shared(ran)
            if (sibling < 2) {
                heddle_affinity_thread(other);
            } else {
#pragma omp task shared(ran)
                ran = self() == own;
            }
    }
    expect(ran == 1, "a hint of a task that had ended sent another's away");
}

/// Where the tasks of a taskloop run, with the hint that give() gives.
template <class Give, class Expected>
void loop(int tasks, Give&& give, Expected&& expected, const char* what) {
    heddle_set_task_stealing(0);
    std::vector<int> ran(static_cast<size_t>(tasks), -1);
    int size = 0, creator = 0;
#pragma omp parallel
#pragma omp single
    {
        size = omp_get_num_threads();
        creator = self();
        HEDDLE_HINT(give())
#pragma omp taskloop num_tasks(tasks) nogroup shared(ran)
        for (int i = 0; i < tasks; ++i)
            ran[static_cast<size_t>(i)] = self();
    }
    for (int i = 0; i < tasks; ++i)
        expect(size == 1 || ran[static_cast<size_t>(i)] == expected(i, size, creator),
               "%s: task %d of %d on thread %d of %d, created by %d", what, i, tasks,
               ran[static_cast<size_t>(i)], size, creator);
}

void loops() {
    for (const int tasks : {1, 3, 8, 50}) {
        loop(
            tasks, [] { return heddle_taskgroup_affinity(HEDDLE_AFFINITY_SPREAD, 0); },
            [tasks](int i, int size, int) { return i * size / tasks; }, "spread");
        loop(
            tasks, [] { return heddle_taskgroup_affinity(HEDDLE_AFFINITY_SPREAD, 5); },
            [](int i, int size, int) { return i % 5 * size / 5; }, "spread over 5");
        loop(
            tasks, [] { return heddle_taskgroup_affinity(HEDDLE_AFFINITY_CLOSE, 0); },
            [tasks](int i, int size, int creator) {
                return (creator + (tasks <= size ? i : i * size / tasks)) % size;
            },
            "close");
        loop(
            tasks, [] { return heddle_taskgroup_affinity(HEDDLE_AFFINITY_PRIMARY, 0); },
            [](int, int, int) { return 0; }, "primary");
        loop(
            tasks, [] { return heddle_affinity_thread(omp_get_num_threads() - 1); },
            [](int, int size, int) { return size - 1; }, "thread");
    }
}

/// Groups: the tasks of the group's own task follow the hint; who waits at its end may take them
/// from a thread that does not come. Inside, each task has a share of the threads for its own
/// group.
void groups(int rounds) {
    heddle_set_task_stealing(0);
    std::atomic<int> right{0}, all{0}, wrong{0};
    for (int round = 0; round < rounds; ++round) {
#pragma omp parallel shared(right, all, wrong)
#pragma omp single
        {
            const int size = omp_get_num_threads(), creator = self();
            HEDDLE_HINT(heddle_taskgroup_affinity(HEDDLE_AFFINITY_SPREAD, 2))
#pragma omp taskgroup
            for (int half = 0; half < 2; ++half)
#pragma omp task firstprivate(half) shared(right, all, wrong)
            {
                const int begin = half * size / 2, end = half == 0 && size > 1 ? size / 2 : size;
                const int outer = self();
                HEDDLE_HINT(heddle_taskgroup_affinity(HEDDLE_AFFINITY_SPREAD, end - begin))
#pragma omp taskgroup
                for (int i = begin; i < end; ++i)
#pragma omp task firstprivate(i) shared(right, all, wrong)
                {
                    ++all;
                    right += self() == i;
                    wrong += self() != i && self() != outer && self() != creator;
                }
            }
#pragma omp task shared(all, right) // after the group nothing is hinted
            {
                ++all;
                right += self() == creator;
            }
        }
    }
    expect(wrong == 0, "%d tasks of groups on threads that had nothing to do with them", +wrong);
    expect(2 * right > all, "%d of %d tasks of groups on their threads", +right, +all);
}

/// On which thread the task runs that an otherwise idle region creates with the hint of give().
template <class Give>
int runs_on(Give&& give) {
    int thread = -1;
#pragma omp parallel shared(thread)
#pragma omp single
    HEDDLE_HINT(give())
#pragma omp task shared(thread)
    thread = self();
    return thread;
}

/// The thread that had the data last has them again; of two hints the later one counts.
void learnt() {
    heddle_set_task_stealing(0);
    static char data[64][64];
    for (int round = 0; round < 64; ++round) {
        char* const own = data[round];
        const int first = runs_on([own] { return heddle_affinity_data(own, 64); });
        for (int again = 0; again < 2; ++again) {
            const int thread =
                runs_on([own] { return heddle_affinity_thread(0), heddle_affinity_data(own, 64); });
            expect(thread == first, "data of thread %d went to thread %d", first, thread);
        }
    }
}

/// The thread of the hint runs a task that ends when the others have run all else in its box.
void busy_thread() {
    heddle_set_task_stealing(1);
    std::atomic<int> began{0}, ran{0};
#pragma omp parallel shared(began, ran)
#pragma omp single
    if (const int size = omp_get_num_threads(); size > 1) {
        const int other = (self() + 1) % size;
        HEDDLE_HINT(heddle_affinity_thread(other))
#pragma omp task shared(began, ran)
        {
            began = 1;
            until(ran, 20);
        }
        until(began, 1);
        for (int i = 0; i < 20; ++i)
            HEDDLE_HINT(heddle_affinity_thread(other))
#pragma omp task shared(began, ran)
        ++ran;
    }
}

/// Each thread's task waits for one that is meant for the next thread, and a lock is needed too.
void ring_of_waits(int rounds) {
    std::atomic<int> ran{0};
    int size = 1;
#pragma omp parallel shared(ran)
    for (int round = 0; round < rounds; ++round) {
#pragma omp single
        size = omp_get_num_threads();
        HEDDLE_HINT(heddle_affinity_thread(self()))
#pragma omp task shared(ran)
        {
            HEDDLE_HINT(heddle_affinity_thread((self() + 1) % omp_get_num_threads()))
#pragma omp task shared(ran)
            ++ran;
#pragma omp taskwait
        }
        if (round % 16 == 0) {
#pragma omp critical
            {
                HEDDLE_HINT(heddle_affinity_thread((self() + 1) % omp_get_num_threads()))
#pragma omp task shared(ran)
                ++ran;
#pragma omp taskwait
            }
        }
#pragma omp barrier
    }
    expect(ran == size * (rounds + (rounds + 15) / 16), "%d tasks in a ring of %d", +ran, size);
}

/// A tree whose nodes are made by a random sequence: computed by tasks with hints of all kinds.
uint64_t tree(uint64_t seed, int depth, bool tasks) {
    Random random(seed);
    const unsigned children = depth == 0 ? 0 : random.below(4) + (depth > 3 ? 1 : 0);
    uint64_t results[4] = {};
    const unsigned form = random.below(6), threads = static_cast<unsigned>(omp_get_num_threads());
    static char data[16][256];
    if (!tasks) {
        for (unsigned i = 0; i < children; ++i)
            results[i] = tree(stress::mix(seed, i), depth - 1, false);
    } else if (form < 2) {
        HEDDLE_HINT(heddle_taskgroup_affinity(static_cast<int>(random.below(3)) + 1,
                                              static_cast<int>(random.below(5))))
#pragma omp taskgroup
        for (unsigned i = 0; i < children; ++i)
#pragma omp task firstprivate(i) shared(results) if (form == 0 || i != 1) untied
            results[i] = tree(stress::mix(seed, i), depth - 1, true);
    } else if (form == 2) {
        HEDDLE_HINT(heddle_taskgroup_affinity(static_cast<int>(random.below(3)) + 1, 0))
#pragma omp taskloop shared(results) grainsize(1)
        for (unsigned i = 0; i < children; ++i)
            results[i] = tree(stress::mix(seed, i), depth - 1, true);
    } else {
        for (unsigned i = 0; i < children; ++i) {
            if (form == 3)
                heddle_affinity_thread(static_cast<int>(random.below(threads)));
            if (form == 4)
                heddle_affinity_data(data[random.below(16)], 256);
#pragma omp task firstprivate(i) shared(results) depend(inout : results[i / 2]) final(depth < 2)
            results[i] = tree(stress::mix(seed, i), depth - 1, true);
            if (random.chance(10))
                heddle_affinity_thread(0); // that nothing may use
        }
#pragma omp taskwait
    }
    uint64_t sum = seed;
    for (unsigned i = 0; i < children; ++i)
        sum = stress::mix(sum, results[i]);
    return sum;
}

void random_trees(int rounds) {
    for (int round = 0; round < rounds; ++round) {
        const uint64_t seed = stress::mix(stress::seed(), static_cast<uint64_t>(round));
        heddle_set_task_stealing(round % 30 != 0); // without it threads wait for long
        uint64_t result = 0;
#pragma omp parallel shared(result)
#pragma omp single nowait
        result = tree(seed, 7, true);
        expect(result == tree(seed, 7, false), "a tree of round %d", round);
        expect(heddle_task_stealing() == (round % 30 != 0), "the switch for stealing");
    }
}

/// What is in a box runs by priority, where the program has any (OMP_MAX_TASK_PRIORITY).
void priorities() {
    heddle_set_task_stealing(0);
    std::vector<int> order;
    std::atomic<int> began{0}, go{0};
    int size = 0;
#pragma omp parallel shared(order, began, go)
#pragma omp single
    {
        size = omp_get_num_threads();
        const int other = (self() + 1) % size;
        if (size > 1) {
            HEDDLE_HINT(heddle_affinity_thread(other))
#pragma omp task shared(began, go)
            {
                began = 1;
                until(go, 1);
            }
            until(began, 1);
        }
        for (int i = 0; i < 40; ++i)
            HEDDLE_HINT(heddle_affinity_thread(other))
#pragma omp task firstprivate(i) shared(order) priority(i * 7 % 10)
        order.push_back(i * 7 % 10);
        go = 1;
    }
    for (size_t i = 1; size > 1 && i < order.size(); ++i)
        expect(order[i - 1] >= order[i], "priority %d before %d", order[i - 1], order[i]);
    expect(order.size() == 40, "%zu tasks with priorities", order.size());
}

/// Cancelled groups: tasks in boxes are discarded or run, and the group ends.
void cancelled(int rounds) {
    for (int round = 0; round < rounds; ++round) {
        heddle_set_task_stealing(round % 2);
        std::atomic<int> ran{0};
#pragma omp parallel shared(ran)
#pragma omp single
        {
            HEDDLE_HINT(heddle_taskgroup_affinity(HEDDLE_AFFINITY_SPREAD, 7))
#pragma omp taskgroup
            for (int i = 0; i < 60; ++i)
#pragma omp task firstprivate(i) shared(ran)
            {
                ++ran;
                if (i == 20) {
#pragma omp cancel taskgroup
                }
            }
        }
        expect(ran >= 1 && ran <= 60, "%d of 60 tasks ran", +ran);
    }
}

} // namespace

int main(int, char** argv) {
    stress::rerun_with("HEDDLE_TASK_AFFINITY", "learn", argv);
    if (!getenv("OMP_MAX_TASK_PRIORITY")) {
        threads_in_turn(stress::scaled(50));
        used_up();
        left_over();
        loops();
        groups(stress::scaled(50));
        learnt();
        busy_thread();
        for (const int stealing : {1, 0}) {
            heddle_set_task_stealing(stealing);
            ring_of_waits(stress::scaled(stealing ? 100 : 20));
        }
        random_trees(stress::scaled(60));
        if (stress::result("task_affinity") != 0)
            return 1;
    }
    stress::rerun_with("OMP_MAX_TASK_PRIORITY", "9", argv);
    stress::rerun_with("OMP_CANCELLATION", "true", argv);
    priorities();
    cancelled(stress::scaled(100));
    random_trees(stress::scaled(30));
    return stress::result("task_affinity, with priorities and cancellation");
}
