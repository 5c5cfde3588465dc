// SPDX-License-Identifier: Apache-2.0
// Programs with known numbers of tasks for test_statistics.py: `statistics MODE` prints how many
// tasks it has run and how many regions times threads there were.
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_long tasks, joined;

static void ran(void) { atomic_fetch_add(&tasks, 1); }

static int fib(int n) {
    int x, y;
    if (n < 2)
        return n;
#pragma omp task shared(x)
    {
        ran();
        x = fib(n - 1);
    }
#pragma omp task shared(y) untied
    {
        ran();
        y = fib(n - 2);
    }
#pragma omp taskwait
    return x + y;
}

/// Tasks of every kind.
static void all_kinds(void) {
    int chain = 0, wide[64] = {0};
    char large[200] = {0};
#pragma omp taskgroup
    fib(12);
    for (int i = 0; i < 100; i++) {
#pragma omp task if (0)
        ran();
#pragma omp task final(i % 2)
        {
            ran();
#pragma omp task
            ran();
        }
#pragma omp task firstprivate(large)
        {
            large[i % 200]++;
            ran();
        }
    }
    for (int i = 0; i < 500; i++) {
#pragma omp task depend(inout : chain) priority(i % 3)
        ran();
#pragma omp task depend(in : chain) depend(inout : wide[i % 64])
        ran();
    }
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < 100; i++)
        ran();
#pragma omp taskloop num_tasks(10) nogroup firstprivate(large)
    for (int i = 0; i < 10; i++) {
        large[i]++;
        ran();
    }
}

static void regions(int number) {
    for (int i = 0; i < number; i++) {
#pragma omp parallel
        {
            atomic_fetch_add(&joined, 1);
#pragma omp single
            all_kinds();
        }
    }
}

/// The primary thread creates tasks and waits outside OpenMP for one that another thread has run.
static void steal(void) {
    atomic_int by_other = 0;
#pragma omp parallel num_threads(2)
    {
        atomic_fetch_add(&joined, 1);
#pragma omp master
        {
            for (int i = 0; i < 64; i++) {
#pragma omp task shared(by_other)
                {
                    ran();
                    if (omp_get_thread_num() != 0)
                        atomic_store(&by_other, 1);
                }
            }
            while (!atomic_load(&by_other))
                ;
        }
    }
}

/// One thread: 50 of 100 tasks run before the group is cancelled.
static void cancel(void) {
#pragma omp parallel num_threads(1)
    {
        atomic_fetch_add(&joined, 1);
#pragma omp taskgroup
        for (int i = 0; i < 100; i++) {
#pragma omp task firstprivate(i)
            {
                ran();
#pragma omp cancel taskgroup if (i == 50)
            }
        }
    }
}

static void report(void) {
    printf("%ld %ld\n", atomic_load(&tasks), atomic_load(&joined));
    fflush(stdout);
}

int main(int count, char** arguments) {
    const char* mode = count > 1 ? arguments[1] : "";
    if (!strcmp(mode, "kinds"))
        regions(5);
    else if (!strcmp(mode, "steal"))
        steal();
    else if (!strcmp(mode, "cancel"))
        cancel();
    else if (!strcmp(mode, "exit")) {
#pragma omp parallel
        {
#pragma omp barrier
#pragma omp single nowait
            exit(3);
            for (;;)
                ;
        }
    } else if (!strncmp(mode, "fork", 4)) {
        regions(1);
        report();
        atomic_store(&tasks, 0);
        atomic_store(&joined, 0);
        if (fork() == 0) {
            if (strcmp(mode, "fork"))
                regions(2);
            report();
            exit(0);
        }
        wait(NULL);
        return 0;
    }
    report();
    return 0;
}
