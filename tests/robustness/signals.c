// SPDX-License-Identifier: Apache-2.0
// Faults and signals for test_signals.py: `signals MODE`. A mode that ends by a signal prints nothing
// itself; the others exit with the number of the line at which something was not as it should be.
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { threads = 2, most_signals = 65 };

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "line %d: not %s\n", __LINE__, #what);                                 \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static int is_main(void) { return syscall(SYS_gettid) == getpid(); }

/// Something for the team to do; the sum of its thread numbers.
static int region(void) {
    int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += omp_get_thread_num();
    return sum;
}

static volatile char touched;

/// Uses the stack up, with frames of `size` bytes.
__attribute__((noinline)) static int overflow(size_t size, int depth) {
    volatile char frame[size];
    frame[0] = (char)depth;
    touched = frame[0];
    if (depth < 0) // never
        return 0;
    return overflow(size, depth + 1) + frame[0];
}

static volatile int *volatile nowhere;

static void fault(void) { *nowhere = 1; }

static void in_worker(void (*act)(void)) {
#pragma omp parallel num_threads(threads)
    if (omp_get_thread_num() == 1)
        act();
}

static void small_frames(void) { overflow(100, 0); }
static void large_frames(void) { overflow(50000, 0); }

static void write_text(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(9);
}

static void mine(int number) {
    (void)number;
    write_text("mine\n");
    _exit(3);
}

static void handle(int number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler};
    CHECK(sigaction(number, &action, NULL) == 0);
}

/// The handlers, masks and alternate stack of the program are as they were before its regions.
static void nothing_changes(void) {
    struct sigaction before[most_signals], now;
    stack_t stack;
    sigset_t mask, worker_mask;
    handle(SIGUSR1, mine);
    handle(SIGSEGV, SIG_IGN);
    for (int i = 1; i < most_signals; i++)
        if (sigaction(i, NULL, &before[i]) != 0)
            memset(&before[i], 0, sizeof before[i]);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    CHECK(pthread_sigmask(SIG_BLOCK, &mask, NULL) == 0);
#pragma omp parallel num_threads(threads)
    if (omp_get_thread_num() == 1)
        pthread_sigmask(SIG_SETMASK, NULL, &worker_mask);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    for (int i = 1; i < most_signals; i++) {
        if (sigaction(i, NULL, &now) == 0)
            CHECK(now.sa_handler == before[i].sa_handler && now.sa_flags == before[i].sa_flags);
        CHECK(sigismember(&mask, i) == sigismember(&worker_mask, i));
    }
    CHECK(sigismember(&mask, SIGUSR2) == 1 && sigismember(&mask, SIGUSR1) == 0);
    CHECK(sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_DISABLE));
}

/// What workers start is not deaf: their mask is not passed on with signals blocked in it.
static void children_of_workers(void) {
#pragma omp parallel num_threads(threads)
    if (omp_get_thread_num() == 1) {
        char line[100] = "";
        FILE *pipe = popen("grep SigBlk: /proc/self/status", "r");
        CHECK(pipe && fgets(line, sizeof line, pipe));
        pclose(pipe);
        CHECK(strtoull(line + strlen("SigBlk:"), NULL, 16) == 0);
    }
}

static atomic_int in_main, elsewhere;

static void count(int number) {
    (void)number;
    atomic_fetch_add(is_main() ? &in_main : &elsewhere, 1);
}

/// Signals from another process, while the pool is idle, run their handler on the main thread.
static void from_outside(void) {
    enum { signals = 300 };
    // Not blocked in its handler: while the main thread is in there, Linux would give the next one
    // to another.
    const struct sigaction action = {.sa_handler = count, .sa_flags = SA_NODEFER};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    region();
    const pid_t parent = getpid();
    const pid_t sender = fork();
    if (sender == 0) {
        for (int i = 0; i < signals; i++) {
            kill(parent, SIGUSR1);
            usleep(200);
        }
        _exit(0);
    }
    int status;
    while (waitpid(sender, &status, 0) < 0)
        ;
    CHECK(in_main > 0 && elsewhere == 0);
}

/// Waits that a handler interrupts go on, and errno stays the program's.
static void interrupted(void) {
    const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    handle(SIGALRM, count); // without SA_RESTART
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    for (int i = 0; in_main + elsewhere < 300; i++) {
        int tasks = 0;
#pragma omp parallel num_threads(4) reduction(+ : tasks)
        {
#pragma omp single
            for (int j = 0; j < 100; j++)
#pragma omp task shared(tasks)
#pragma omp atomic
                touched++;
            if (omp_get_thread_num() == i % 4)
                usleep(1000); // the others wait
#pragma omp barrier
            tasks++;
        }
        CHECK(tasks == 4);
    }
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
}

/// Profilers get their samples from workers too.
static void profiled(void) {
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    handle(SIGPROF, count);
    CHECK(setitimer(ITIMER_PROF, &often, NULL) == 0);
    double x = 0;
    while (in_main == 0 || elsewhere == 0) {
#pragma omp parallel num_threads(threads) reduction(+ : x)
        for (int i = 0; i < 1000000; i++)
            x += i;
    }
    CHECK(setitimer(ITIMER_PROF, &never, NULL) == 0 && x > 0);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    struct sigaction now;
    if (strcmp(mode, "overflow") == 0) {
        in_worker(small_frames);
    } else if (strcmp(mode, "large frames") == 0) {
        in_worker(large_frames);
    } else if (strcmp(mode, "overflow in main") == 0) {
        region();
        small_frames();
    } else if (strcmp(mode, "overflow in child") == 0) {
        region();
        int status = 0;
        const pid_t child = fork();
        if (child == 0)
            in_worker(small_frames);
        CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
        raise(WTERMSIG(status));
    } else if (strcmp(mode, "fault") == 0) {
        in_worker(fault);
    } else if (strcmp(mode, "fault in main") == 0) {
        region();
        fault();
    } else if (strcmp(mode, "kill") == 0) {
        region();
        kill(getpid(), SIGSEGV);
        pause();
    } else if (strcmp(mode, "own before") == 0) {
        handle(SIGSEGV, mine);
        region();
        CHECK(sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_handler == mine && !(now.sa_flags & SA_ONSTACK));
        in_worker(fault);
    } else if (strcmp(mode, "own after") == 0) {
        region();
        handle(SIGSEGV, mine);
        region();
        CHECK(sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_handler == mine && !(now.sa_flags & SA_ONSTACK));
        in_worker(fault);
    } else if (strcmp(mode, "no team") == 0) {
#pragma omp parallel num_threads(1)
        CHECK(sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
    } else if (strcmp(mode, "nothing changes") == 0) {
        nothing_changes();
    } else if (strcmp(mode, "children") == 0) {
        children_of_workers();
    } else if (strcmp(mode, "outside") == 0) {
        from_outside();
    } else if (strcmp(mode, "interrupted") == 0) {
        interrupted();
    } else if (strcmp(mode, "profiled") == 0) {
        profiled();
    } else {
        return 2;
    }
    return 0;
}
