// SPDX-License-Identifier: Apache-2.0
// A program for test_stacks.py: `stacks MODE` has a region whose tasks each make the next one, on a
// stack that the runtime knows little of, and prints how many there were. `coroutine`: a small one
// above the stack of its thread; `no-files`: the first thread's, when no file can be opened to find
// out where it is; `no-keys`: the program has taken all keys of thread-specific data, and finds its
// own values there afterwards; `plain`: nothing of these. With -DTHREAD_DATA=n each thread has n
// bytes of its own.
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

enum { length = 200000, coroutine_bytes = 128 * 1024, keys = 2048 };

#ifdef THREAD_DATA
static __thread char data[THREAD_DATA] = {1};
#else
static char data[1] = {1};
#endif

static long count;

static void chain(int left) {
    if (left == 0)
        return;
#pragma omp atomic
    count += data[0];
#pragma omp task firstprivate(left)
    chain(left - 1);
}

static void region(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    chain(length / 2);
#pragma omp parallel num_threads(1)
#pragma omp single
    chain(length / 2);
}

static ucontext_t outside, inside;

/// The memory for the coroutine was there before the thread, so it lies above its stack.
static void *on_coroutine(void *stack) {
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = coroutine_bytes;
    inside.uc_link = &outside;
    makecontext(&inside, region, 0);
    swapcontext(&outside, &inside);
    return NULL;
}

static void coroutine(void) {
    pthread_t thread;
    void *stack = mmap(NULL, coroutine_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                       -1, 0);
    if (stack == MAP_FAILED || pthread_create(&thread, NULL, on_coroutine, stack) != 0)
        abort();
    pthread_join(thread, NULL);
}

static void no_files(void) {
    const struct rlimit few = {64, 64};
    setrlimit(RLIMIT_NOFILE, &few);
    while (open("/dev/null", O_RDONLY) >= 0) {
    }
    region();
}

static void no_keys(void) {
    static pthread_key_t taken[keys];
    int made = 0;
    while (made < keys && pthread_key_create(&taken[made], NULL) == 0)
        pthread_setspecific(taken[made++], &taken);
    region();
    for (int i = 0; i < made; i++)
        if (pthread_getspecific(taken[i]) != &taken)
            abort();
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "coroutine") == 0)
        coroutine();
    else if (strcmp(mode, "no-files") == 0)
        no_files();
    else if (strcmp(mode, "no-keys") == 0)
        no_keys();
    else
        region();
    printf("%ld\n", count);
    return 0;
}
