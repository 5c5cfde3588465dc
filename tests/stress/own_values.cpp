// SPDX-License-Identifier: Apache-2.0
// Tasks that change a control variable (OpenMP 5.2 section 2.2): their children have what it was
// when they were made, and so have descendants that nobody waits for. A change costs no memory that
// stays, and no time that grows: it is made in place once no descendant can read it.
#include "stress.hpp"

#include <omp.h>

#include <cstdio>

namespace {

/// Of the process, in bytes; 0 where the system does not tell.
long resident() {
    long all = 0, pages = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &all, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return pages * 4096;
}

void has(int value, const char* who) {
    stress::expect(omp_get_max_threads() == value, "%s has %d instead of %d", who,
                   omp_get_max_threads(), value);
}

/// A tree of tasks, each of which changes its value between its children and waits for some.
void grow(int depth, uint64_t seed) {
    stress::Random random(seed);
    [[maybe_unused]] int order = 0; // named by depend clauses alone
    for (int child = 0; child < 4; ++child) {
        const int value = 1 + static_cast<int>(random.below(200));
        omp_set_num_threads(value);
        if (random.chance(20)) {
#pragma omp taskwait
        }
        const bool defers = random.chance(80), ends = random.chance(10);
        seed = random.next();
        if (depth > 0 && random.chance(40)) {
#pragma omp task if (defers) firstprivate(seed) depend(inout : order)
            {
                has(value, "a child in order");
                grow(depth - 1, seed);
            }
        } else if (depth > 0) {
#pragma omp task if (defers) final(ends) firstprivate(seed)
            {
                has(value, "a child");
                grow(depth - 1, seed);
            }
        }
        if (random.chance(30)) {
#pragma omp taskwait
        }
        if (random.chance(15)) {
#pragma omp taskgroup
            {
                has(value, "a taskgroup");
                omp_set_num_threads(value + 1);
#pragma omp task
                has(value + 1, "a task of a group");
                omp_set_num_threads(value + 2);
            }
            has(value + 2, "a task after a group");
            omp_set_num_threads(value);
        }
        has(value, "a task");
    }
}

/// `count` children, each with another value of the task that waits for it.
long sum_of_children(int count) {
    long sum = 0;
    for (int i = 0; i < count; ++i) {
        omp_set_num_threads(1 + i % 7);
#pragma omp task shared(sum) depend(inout : sum)
        sum += omp_get_max_threads();
#pragma omp taskwait
    }
    return sum;
}

/// Changes a value while a child with a dependence is not complete, another when it is, and then
/// makes the next one: all that the old ones left goes, and the next one still has a table.
void change_in_order(int count) {
    int order = 0;
    for (int i = 0; i < count; ++i) {
#pragma omp task shared(order) depend(inout : order)
        ++order;
        omp_set_dynamic(0);
#pragma omp taskwait
        omp_set_num_threads(1 + i % 7);
    }
    stress::expect(order == count, "%d tasks in order instead of %d", order, count);
}

/// Each thread changes a value at each step, while its tasks and theirs are not complete.
void change_by_steps(int steps) {
#pragma omp parallel num_threads(4)
    for (int step = 0; step < steps; ++step) {
        const int before = omp_get_max_threads();
        for (int i = 0; i < 2; ++i) {
#pragma omp task
            has(before, "a task of a step");
        }
        omp_set_num_threads(before + 1);
        has(before + 1, "a thread");
#pragma omp task
        has(before + 1, "a task made later");
        omp_set_num_threads(before);
#pragma omp barrier
    }
}

/// A barrier inside a taskgroup: the context outside, which is not the first, is gone back to.
void change_around_barrier() {
#pragma omp parallel num_threads(2)
    {
        omp_set_num_threads(11);
#pragma omp task
        has(11, "a task before");
        omp_set_num_threads(12);
#pragma omp taskgroup
        {
            omp_set_num_threads(13);
#pragma omp task
            has(13, "a task of a group with a barrier");
#pragma omp barrier
            has(13, "a thread after the barrier");
        }
        has(13, "a thread after the group");
#pragma omp task
        has(13, "a task after the group");
    }
}

/// Included tasks and taskgroups that change a value, with nobody to read it.
void change_alone(int count) {
    for (int i = 0; i < count; ++i) {
#pragma omp task if (0)
        omp_set_num_threads(3);
#pragma omp taskgroup
        omp_set_dynamic(0);
    }
}

} // namespace

int main() {
    const int rounds = stress::scaled(20);
    for (int round = 0; round < rounds; ++round) {
#pragma omp parallel
#pragma omp single
#pragma omp task
        grow(4, stress::mix(stress::seed(), static_cast<uint64_t>(round)));
    }

#pragma omp parallel
#pragma omp single
    change_in_order(2000);

    const int many = stress::scaled(200'000);
    long sum = 0, wanted = 0;
    for (int i = 0; i < many; ++i)
        wanted += 1 + i % 7;
#pragma omp parallel
#pragma omp single
    sum = sum_of_children(100);
    const long before = resident();
    change_alone(many);
#pragma omp parallel
#pragma omp single
    {
        change_alone(many);
        sum = sum_of_children(many);
    }
    change_by_steps(many / 8);
    for (int round = 0; round < rounds; ++round)
        change_around_barrier();
    const long grown = resident() - before;
    stress::expect(sum == wanted, "the children's values add up to %ld instead of %ld", sum,
                   wanted);
    // Sanitizers keep what is freed.
    stress::expect(stress::sanitized() || grown < 16l * many, "%ld bytes more for %d changes",
                   grown, 4 * many);
    return stress::result("own_values");
}
