// SPDX-License-Identifier: Apache-2.0
// Teams of more threads than CPUs in a program that keeps data with its threads, so that each
// thread executes its own part of a region: as many run tasks as there are CPUs, and the others
// come when tasks need them. Every task runs once, before the barrier opens; tasks that wait for
// each other all begin.
#include "../robustness/fib.h"
#include "stress.hpp"

#include <omp.h>
#include <sched.h>
#include <unistd.h>
#include <vector>

namespace {

using stress::expect;
using stress::Random;

thread_local int own_number = -1; ///< of the thread, in teams of one size
int threads;                      ///< of these: more than there are CPUs

int fib_of(int n) {
    int a = 0, b = 1;
    for (; n > 0; --n) {
        const int sum = a + b;
        a = b;
        b = sum;
    }
    return a;
}

void check_thread() {
    if (own_number < 0)
        own_number = omp_get_thread_num();
    expect(own_number == omp_get_thread_num(), "thread %d executes the part of %d", own_number,
           omp_get_thread_num());
}

/// One thread creates small tasks and a tree of them, and after a barrier in the middle all do.
void trees(Random& random) {
    const bool in_the_middle = random.chance(50), by_all = random.chance(50);
    const int depth = 8 + static_cast<int>(random.below(8));
    std::vector<int> runs(1000);
    std::atomic<int> creators{0};
#pragma omp parallel num_threads(threads)
    {
        check_thread();
#pragma omp single nowait
        for (int& run : runs) {
#pragma omp task shared(run)
            ++run;
        }
        if (in_the_middle) {
#pragma omp barrier
            for (int run : runs)
                expect(run == 1, "a barrier passed, and a task ran %d times", run);
        }
        if (by_all || omp_get_thread_num() == threads - 1) {
            const int value = fib(depth);
            expect(value == fib_of(depth), "fib(%d) is %d", depth, value);
            ++creators;
        }
    }
    for (int run : runs)
        expect(run == 1, "a region ended, and a task ran %d times", run);
    expect(creators == (by_all ? threads : 1), "%d creators", creators.load());
}

/// As many tasks of one thread as there are threads, which all wait for all: in the system, or not.
void tasks_that_meet(bool sleep) {
    std::atomic<int> here{0};
#pragma omp parallel num_threads(threads)
    {
        check_thread();
#pragma omp single
        for (int i = 0; i < threads; ++i) {
#pragma omp task shared(here)
            for (++here; here.load() < threads;) {
                if (sleep)
                    usleep(10);
                else
                    sched_yield();
            }
        }
    }
    expect(here == threads, "%d of %d tasks have met", here.load(), threads);
}

void tasks_that_sleep() {
    std::atomic<int> run{0};
#pragma omp parallel num_threads(threads)
    {
        check_thread();
#pragma omp single
        for (int i = 0; i < 2 * threads; ++i) {
#pragma omp task shared(run)
            {
                usleep(2000);
                ++run;
            }
        }
    }
    expect(run == 2 * threads, "%d tasks were run", run.load());
}

/// Of another size, or so large that its barriers are trees.
void other_team(Random& random) {
    const int size = 1 + static_cast<int>(random.below(random.chance(30) ? 40 : 4));
    std::atomic<int> run{0};
#pragma omp parallel num_threads(size)
    {
#pragma omp task shared(run)
        ++run;
#pragma omp barrier
        expect(run >= size, "a barrier with %d tasks of %d", run.load(), size);
#pragma omp single
        for (int i = 0; i < 100; ++i) {
#pragma omp task shared(run)
            ++run;
        }
        expect(run == size + 100, "a single region with %d tasks of %d", run.load(), size + 100);
    }
}

} // namespace

int main() {
    threads = omp_get_max_threads() + omp_get_num_procs();
    threads = threads < 32 ? threads : 32;
    Random random(stress::seed());
    for (int round = 0; round < stress::scaled(200); ++round) {
        switch (random.below(8)) {
        case 0:
            tasks_that_meet(random.chance(50));
            break;
        case 1:
            tasks_that_sleep();
            break;
        case 2:
        case 3:
            other_team(random);
            break;
        default:
            trees(random);
        }
    }
    return stress::result("seats");
}
