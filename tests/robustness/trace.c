// SPDX-License-Identifier: Apache-2.0
// Programs for test_trace.py: `trace MODE [N]`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

omp_lock_t lock_a, lock_b;

static volatile int sink;

static void run_tasks(int n) {
#pragma omp parallel num_threads(1)
    for (int i = 0; i < n; i++) {
#pragma omp task
        sink++;
    }
}

/// The parent has not used OpenMP yet where `before` is 0.
static void fork_and_run(int before, int n) {
    if (before)
        run_tasks(before);
    const pid_t child = fork();
    if (child == 0) {
        run_tasks(2 * n);
        exit(0);
    }
    waitpid(child, NULL, 0);
    printf("%d\n", (int)child);
    run_tasks(n);
}

/// Each thread holds what the other one wants.
static void deadlock(void) {
    omp_init_lock(&lock_a);
    omp_init_lock(&lock_b);
#pragma omp parallel num_threads(2)
    {
        const int number = omp_get_thread_num();
        omp_set_lock(number ? &lock_b : &lock_a);
#pragma omp barrier
#pragma omp master
        {
            puts("ready");
            fflush(stdout);
        }
        omp_set_lock(number ? &lock_a : &lock_b);
    }
}

static void loops(int n) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < n; i++)
            sink = i;
#pragma omp for schedule(monotonic : guided)
        for (int i = 0; i < n; i++)
            sink = i;
    }
    // With bounds that gcc knows the threads get the loop with the region.
#pragma omp parallel for schedule(dynamic) num_threads(2)
    for (int i = 0; i < 100; i++)
        sink = i;
}

typedef int (*CopyAsync)(void *, const void *, size_t, size_t, size_t, int, int, int, void *);

/// Regions and tasks of constructs whose code the runtime calls by a function of its own, or does
/// not call at all.
static void constructs(void) {
    int value = 1, copy = 0;
    const char *version = // by the layout of depend objects
#ifdef __clang__
        "VERSION";
#else
        "OMP_5.1.1";
#endif
    const CopyAsync copy_async =
        (CopyAsync)dlvsym(RTLD_DEFAULT, "omp_target_memcpy_async", version);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait map(tofrom : value)
        value++;
#pragma omp taskwait
        omp_depend_t object;
#pragma omp depobj(object) depend(out : value)
#pragma omp target update to(value) nowait depend(out : value)
        if (copy_async)
            copy_async(&copy, &value, sizeof value, 0, 0, 0, 0, 1, &object);
#pragma omp taskwait
#pragma omp depobj(object) destroy
    }
#pragma omp teams num_teams(2) thread_limit(1)
    sink++;
#pragma omp parallel if (0)
    sink++;
    if (value != 2 || (copy_async && copy != 2))
        exit(1);
}

static void ignore(int number) { (void)number; }

int main(int count, char **values) {
    const char *mode = count > 1 ? values[1] : "";
    const int n = count > 2 ? atoi(values[2]) : 0;
    const int forks_first = strcmp(mode, "fork first") == 0;
    if (forks_first || strcmp(mode, "fork") == 0) {
        fork_and_run(forks_first ? 0 : n, n);
        return 0;
    }
    if (strcmp(mode, "deadlock") == 0)
        deadlock();
    if (strcmp(mode, "loops") == 0)
        loops(n);
    if (strcmp(mode, "constructs") == 0)
        constructs();
    if (strcmp(mode, "handles") == 0)
        signal(SIGUSR1, ignore);
    run_tasks(n);
    if (strcmp(mode, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(mode, "abort") == 0)
        abort();
    if (strcmp(mode, "_exit") == 0)
        _exit(0);
    if (strcmp(mode, "handles") == 0)
        raise(SIGUSR1);
    return 0;
}
