// SPDX-License-Identifier: Apache-2.0
// Programs that fork, for test_fork.py: `fork MODE TIMES` forks so often that way. Every child does
// what OpenMP programs do, checks it, and has a time limit; the exit status is that of all children.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fib.h"

enum { child_limit = 30 }; ///< seconds, after which a child that hangs is killed

static int expected, failed, times;
static cpu_set_t original;

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "process %d, line %d: not %s\n", (int)getpid(), __LINE__, #what);      \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/// A region with the full team in which threads share loops, tasks and dependences, and a nested
/// region. `locks`: critical constructs too. They stay locked in a child that was forked while another
/// thread was in one, so that threads which go on while others fork do without.
static void use_openmp_with(int locks) {
    int members = 0, loop = 0, tasks = 0, chain = 0, outer = 0, inner = 0, bad = 0;
#pragma omp parallel num_threads(expected) reduction(+ : members)
    {
        members++;
        if (omp_get_num_threads() != expected)
            bad = 1;
#pragma omp for schedule(dynamic) reduction(+ : loop)
        for (int i = 0; i < 100; i++)
            loop += i;
#pragma omp single
        {
#pragma omp task shared(tasks)
            tasks = fib(10);
            for (int i = 0; i < 20; i++)
#pragma omp task depend(inout : chain) shared(chain)
                chain++;
        }
        if (locks) {
#pragma omp critical
            outer++;
        }
#pragma omp parallel num_threads(2)
        if (locks) {
#pragma omp critical(named)
            inner++;
        } else {
#pragma omp atomic
            inner++;
        }
    }
    CHECK(!bad && members == expected);
    CHECK(loop == 4950 && tasks == 55 && chain == 20);
    CHECK(outer == (locks ? expected : 0));
    CHECK(inner == expected || inner == 2 * expected); // nested regions are active or not
}

static void use_openmp(void) {
    use_openmp_with(1);
}

static void check_affinity(void) {
    cpu_set_t now;
    CHECK(sched_getaffinity(0, sizeof now, &now) == 0);
    CHECK(CPU_EQUAL(&now, &original));
}

/// In a child. `generations` more of them follow.
static void live(int generations) {
    int status = 0;
    alarm(child_limit);
    check_affinity();
    CHECK(omp_get_thread_num() == 0 && !omp_in_parallel());
    CHECK(omp_get_max_threads() == expected);
    use_openmp();
    check_affinity();
    if (generations > 0) {
        const pid_t next = fork();
        CHECK(next >= 0);
        if (next == 0) {
            live(generations - 1);
            exit(0);
        }
        CHECK(waitpid(next, &status, 0) == next && status == 0);
        use_openmp();
    }
}

/// Forks; the child lives and ends.
static void fork_once(int generations) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        live(generations);
        exit(0); // atexit handlers and destructors too
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "a child ended with status %#x\n", (unsigned)status);
#pragma omp atomic write
        failed = 1;
    }
}

static void (*add_allocation)(void *); ///< what gcc 14 calls for Fortran's allocatables
static int (*is_allocation)(void *);
enum { lockers = 3 };

/// Takes each lock that the runtime has for itself and that no region needs. Of the registry of
/// allocatables, one of its locks.
static void take_locks(int number) {
    static long double sum = 1;
    char text[64];
    for (int i = 0; i < 20; i++) {
#ifndef __clang__ // which calls libatomic
#pragma omp atomic
#endif
        sum += 1;
        omp_set_affinity_format(i % 2 ? "%n" : "level %L thread %n");
        CHECK(omp_capture_affinity(text, sizeof text, NULL) > 0);
        for (int j = 0; j < 20; j++) {
            add_allocation((void *)(uintptr_t)(number * 16 + 4096));
            CHECK(is_allocation((void *)(uintptr_t)(number * 16 + 4096)));
        }
    }
    CHECK(sum > 1);
}

static atomic_int siblings_work = 1;

static void *locking_sibling(void *number) {
    while (siblings_work)
        take_locks((int)(intptr_t)number);
    return NULL;
}

/// The process forks while others hold the runtime's locks.
static void beside_locks(void) {
    pthread_t threads[lockers];
    for (intptr_t i = 0; i < lockers; i++)
        CHECK(pthread_create(&threads[i], NULL, locking_sibling, (void *)i) == 0);
    for (int i = 0; i < times && !failed; i++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            alarm(child_limit);
            for (int number = 0; number < lockers; number++)
                take_locks(number);
            _exit(0);
        }
        failed = waitpid(child, &status, 0) != child || status != 0;
    }
    siblings_work = 0;
    for (int i = 0; i < lockers; i++)
        pthread_join(threads[i], NULL);
}

static void *sibling(void *unused) {
    (void)unused;
    while (siblings_work)
        use_openmp_with(0);
    return NULL;
}

/// The process forks while threads of its own are in regions and make and end some.
static void beside_siblings(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, sibling, NULL) == 0);
    for (int i = 0; i < times && !failed; i++) {
        if (i % 4 == 3)
            use_openmp();
        fork_once(i % 16 == 0);
    }
    siblings_work = 0;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

/// Each thread of a team forks, the workers too, also in tasks.
static void inside_regions(int in_tasks) {
    for (int i = 0; i < times && !failed; i += expected) {
#pragma omp parallel num_threads(expected)
        {
            if (in_tasks) {
#pragma omp task
                fork_once(0);
            } else {
                fork_once(0);
            }
        }
    }
}

static void inside_nested_regions(void) {
    omp_set_max_active_levels(2);
    for (int i = 0; i < times && !failed; i += 4) {
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
        fork_once(0);
    }
}

/// Children that come to the end of the region in which they were forked. That of the initial thread
/// goes on behind it, alone; a worker's ends there, for there is nothing behind it.
static void leaving_regions(void) {
    for (int i = 0; i < times && !failed; i += expected) {
        const pid_t parent = getpid();
        pid_t children[64];
#pragma omp parallel num_threads(expected)
        {
            const int number = omp_get_thread_num();
            children[number] = fork();
            if (children[number] == 0 && i % 2 == 0)
                live(0);
        }
        if (getpid() != parent) {
            use_openmp();
            check_affinity();
            exit(7);
        }
        for (int number = 0; number < expected; number++) {
            int status = 0;
            CHECK(waitpid(children[number], &status, 0) == children[number]);
            CHECK(WIFEXITED(status) && WEXITSTATUS(status) == (number == 0 ? 7 : 0));
        }
    }
}

static void after_regions(int generations) {
    for (int i = 0; i < times && !failed; i++) {
        if (i % 2 == 0)
            use_openmp();
        fork_once(generations);
    }
}

/// The forking thread is alone in a region, and goes on behind it in the child.
static void alone(void) {
    for (int i = 0; i < times && !failed; i++) {
        pid_t child = 0;
        int status = 0;
#pragma omp parallel num_threads(1)
        {
            child = fork();
            if (child == 0)
                live(0);
        }
        if (child == 0) {
            use_openmp();
            exit(0);
        }
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    const char *mode = argv[1];
    times = atoi(argv[2]);
    sched_getaffinity(0, sizeof original, &original);
    expected = omp_get_max_threads();
    *(void **)&add_allocation = dlsym(RTLD_DEFAULT, "GOMP_add_alloc");
    *(void **)&is_allocation = dlsym(RTLD_DEFAULT, "GOMP_is_alloc");
    CHECK(add_allocation && is_allocation);
    if (strcmp(mode, "unused") == 0) // the first region is the child's
        after_regions(0);
    use_openmp();
    if (strcmp(mode, "after") == 0)
        after_regions(0);
    else if (strcmp(mode, "generations") == 0)
        after_regions(2);
    else if (strcmp(mode, "siblings") == 0)
        beside_siblings();
    else if (strcmp(mode, "locks") == 0)
        beside_locks();
    else if (strcmp(mode, "inside") == 0)
        inside_regions(0);
    else if (strcmp(mode, "tasks") == 0)
        inside_regions(1);
    else if (strcmp(mode, "leaving") == 0)
        leaving_regions();
    else if (strcmp(mode, "nested") == 0)
        inside_nested_regions();
    else if (strcmp(mode, "alone") == 0)
        alone();
    else if (strcmp(mode, "unused") != 0)
        return 2;
    use_openmp();
    return failed;
}
