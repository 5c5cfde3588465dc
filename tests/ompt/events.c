/* SPDX-License-Identifier: Apache-2.0
 * Constructs of which test_ompt.py knows the events. The first argument chooses. Returns 0 when the
 * program itself is as it should be. Built by gcc and by clang, with the tool beside it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int sum;

static void count(void) {
#pragma omp atomic
    ++sum;
}

static void regions(void) {
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
#pragma omp atomic
        ++sum;
    }
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(1)
        {
#pragma omp atomic
            ++sum;
        }
    }
    if (sum != 5)
        exit(1);
}

static void leagues(void) {
#pragma omp teams num_teams(3) thread_limit(2)
    {
#pragma omp parallel num_threads(2)
        {
#pragma omp atomic
            ++sum;
        }
    }
    if (sum != 6)
        exit(1);
}

/* A league in a target region. */
static void target_leagues(void) {
#pragma omp target teams num_teams(3) thread_limit(2) map(tofrom : sum)
    {
#pragma omp parallel num_threads(2)
        {
#pragma omp atomic
            ++sum;
        }
    }
    if (sum != 6)
        exit(1);
}

/* Iteration (i, j) waits for (i - 1, j). */
static void doacross(void) {
    static int rows[7][3];
#pragma omp parallel num_threads(2)
    {
#pragma omp for ordered(2) schedule(static, 1)
        for (int i = 0; i < 7; ++i)
            for (int j = 0; j < 3; ++j) {
#pragma omp ordered depend(sink : i - 1, j)
                rows[i][j] = i ? rows[i - 1][j] + 1 : 1;
#pragma omp ordered depend(source)
            }
    }
    if (rows[6][2] != 7)
        exit(1);
}

static int fib(int n) {
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void tasks(void) {
    int result = 0;
    char large[200];
    memset(large, 7, sizeof large);
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        result = fib(10);
#pragma omp taskgroup
        for (int i = 0; i < 10; ++i) {
#pragma omp task firstprivate(large) untied
            {
#pragma omp atomic
                sum += large[i];
            }
        }
        if (sum != 70)
            exit(2);
#pragma omp task if (0)
        sum = 1;
#pragma omp task final(1)
        {
#pragma omp task
            sum = 2;
        }
    }
    if (result != 55 || sum != 2)
        exit(1);
}

static void dependences(void) {
    int order = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 20; ++i) {
#pragma omp task depend(inout : order) firstprivate(i)
            order = order == i ? i + 1 : -1;
        }
#pragma omp taskwait
    }
    if (order != 20)
        exit(1);
}

static void loops(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < 40; ++i) {
#pragma omp atomic
            ++sum;
        }
#pragma omp for schedule(guided)
        for (int i = 0; i < 40; ++i) {
#pragma omp atomic
            ++sum;
        }
#pragma omp single
#pragma omp taskloop grainsize(5)
        for (int i = 0; i < 20; ++i) {
#pragma omp atomic
            ++sum;
        }
    }
    if (sum != 100)
        exit(1);
}

/* Loops and sections that come with their region, also inside each other, and sections that do not. */
static void combined(void) {
    int value = 0;
#pragma omp parallel for schedule(dynamic, 4) num_threads(2)
    for (int i = 0; i < 8; ++i) {
#pragma omp parallel for schedule(guided) num_threads(2)
        for (int j = 0; j < 5; ++j)
            count();
    }
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        count();
#pragma omp section
        count();
#pragma omp section
        count();
    }
#pragma omp parallel num_threads(2)
    {
        int own = 0;
#pragma omp sections
        {
#pragma omp section
            count();
#pragma omp section
            count();
        }
#pragma omp single copyprivate(own)
        own = 7;
#pragma omp atomic
        value += own;
    }
    if (sum != 45 || value != 14)
        exit(1);
}

/* Loops that their threads leave. */
static void left(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 50; ++i) {
#pragma omp cancel for
        }
#pragma omp for schedule(guided)
        for (int i = 0; i < 50; ++i) {
#pragma omp cancel for
        }
        count();
    }
}

static void task_reductions(void) {
    int total = 0;
#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic) reduction(task, + : total)
    for (int i = 0; i < 8; ++i) {
#pragma omp task in_reduction(+ : total)
        total += 1;
    }
    if (total != 8)
        exit(1);
}

static void mutexes(void) {
    omp_lock_t lock;
    omp_nest_lock_t nest;
    int counts[5] = {0};
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(3)
    {
#pragma omp critical
        ++counts[0];
#pragma omp critical(named)
        ++counts[1];
        omp_set_lock(&lock);
        ++counts[2];
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        ++counts[3];
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
#pragma omp for ordered
        for (int i = 0; i < 6; ++i) {
#pragma omp ordered
            ++counts[4];
        }
    }
    if (!omp_test_lock(&lock) || omp_test_lock(&lock))
        exit(2);
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    for (int i = 0; i < 4; ++i)
        if (counts[i] != 3)
            exit(1);
    if (counts[4] != 6)
        exit(3);
}

static void cancelled(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
    {
#pragma omp task
        {
#pragma omp cancel taskgroup
        }
        for (int i = 0; i < 50; ++i) {
#pragma omp task
            {
#pragma omp cancellation point taskgroup
            }
        }
    }
}

static void control(void) {
#pragma omp parallel num_threads(2)
    {
    }
    /* Neither gcc 12's omp.h nor its libgomp knows the routine. */
    int (*control_tool)(int, int, void*) =
        (int (*)(int, int, void*))dlsym(RTLD_DEFAULT, "omp_control_tool");
    printf("%d\n", control_tool ? control_tool(3, 4, NULL) : -99);
}

/* OpenMP is used in a child only, as by a server's workers. */
static void forked(void) {
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        control();
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        exit(1);
}

static void detached(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 200; ++i) {
        omp_event_handle_t event;
#pragma omp task detach(event)
        count();
        omp_fulfill_event(event);
    }
    if (sum != 200)
        exit(1);
}

static void detached_undeferred(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event) if (0)
        sum = 1;
        sum += sum;
        omp_fulfill_event(event);
    }
    if (sum != 2)
        exit(1);
}

/* Three regions, of which the tool hears of two: then it is stopped, which a single device cannot do. */
static void stopped(void) {
    enum { soft = 1, stop_tool = 3 };
    int threads = 0;
    for (int turn = 0; turn < 3; ++turn) {
#pragma omp parallel num_threads(2) reduction(+ : threads)
        threads++;
        const int one = omp_pause_resource((omp_pause_resource_t)stop_tool, omp_get_initial_device());
        const int all = turn == 1 ? omp_pause_resource_all((omp_pause_resource_t)stop_tool) : 0;
        if (one == 0 || all != 0)
            exit(1);
    }
#pragma omp parallel num_threads(2) reduction(+ : threads)
    if (omp_pause_resource_all((omp_pause_resource_t)stop_tool) != 0)
        threads++;
    if (threads != 8 || omp_pause_resource_all((omp_pause_resource_t)soft) != 0)
        exit(1);
}

static void target_task(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait map(tofrom : sum)
        ++sum;
#pragma omp taskwait
    }
    if (sum != 1)
        exit(1);
}

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        void (*run)(void);
    } all[] = {
        {"regions", regions}, {"tasks", tasks},       {"dependences", dependences},
        {"loops", loops},     {"mutexes", mutexes},   {"cancelled", cancelled},
        {"control", control}, {"forked", forked},     {"detached", detached},
        {"detached_undeferred", detached_undeferred},
        {"leagues", leagues}, {"target_leagues", target_leagues}, {"doacross", doacross},
        {"combined", combined}, {"left", left}, {"stopped", stopped},
        {"task_reductions", task_reductions}, {"target_task", target_task}};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (argc > 1 && strcmp(argv[1], all[i].name) == 0) {
            all[i].run();
            return 0;
        }
    return 99;
}
