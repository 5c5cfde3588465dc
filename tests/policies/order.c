// SPDX-License-Identifier: Apache-2.0
// In which order the tasks of a loop run, for test_policies.py to compare: taken by the thread that
// has made them, with a mark where it begins to wait; taken by another thread; and nested ones.
// Each line has the numbers as they began. One or two threads; waits are for what must happen.
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>

enum { tasks = 6, most = 64 };

static atomic_int count, made;
static int log_[most];

static void note(int number) { log_[atomic_fetch_add(&count, 1)] = number; }

static void show(const char* name) {
    printf("%s", name);
    for (int i = 0; i < count; ++i)
        if (log_[i] < 0)
            printf(" |");
        else
            printf(" %d", log_[i]);
    printf("\n");
    count = 0;
}

/// One thread: what runs before the taskwait has run at once.
static void local(void) {
#pragma omp parallel num_threads(1)
    {
        for (int i = 0; i < tasks; ++i)
#pragma omp task firstprivate(i)
            note(i);
        note(-1);
#pragma omp taskwait
    }
    show("local");
}

/// One thread, two levels: task i makes 10 i + 1 and 10 i + 2 and does not wait.
static void nested(void) {
#pragma omp parallel num_threads(1)
    {
        for (int i = 1; i <= 2; ++i)
#pragma omp task firstprivate(i)
        {
            note(i);
            for (int k = 1; k <= 2; ++k)
#pragma omp task firstprivate(i, k)
                note(10 * i + k);
        }
        note(-1);
    }
    show("nested");
}

/// Thread 0 makes the tasks, thread 1 executes them in the barrier.
static void remote(void) {
    made = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            for (int i = 0; i < tasks; ++i)
#pragma omp task firstprivate(i)
                note(i);
            made = 1;
            while (count != tasks)
                ;
        } else {
            while (!made)
                ;
        }
    }
    show("remote");
}

int main(void) {
    local();
    nested();
    if (omp_get_max_threads() > 1)
        remote();
    return 0;
}
