// SPDX-License-Identifier: Apache-2.0
// Regions at moments that nobody plans for, for test_moments.py: `moments MODE` does it, and has a
// time limit. In fork's handlers, in a callback of the loader, while the first call is being made,
// on a thread that is cancelled or has next to no stack, in a constructor of a library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { limit = 60, crowd = 8 }; ///< seconds; threads, more than CPUs

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop;

static int region(int threads) {
    int members = 0;
#pragma omp parallel num_threads(threads) reduction(+ : members)
    members++;
    return members == threads;
}

static void *one_region(void *ok) {
    *(int *)ok = region(crowd);
    return NULL;
}

/// Calls `routine` on a thread of its own, with that stack or, for 0, the usual one.
static int on_thread(void *(*routine)(void *), size_t stack) {
    pthread_attr_t attributes;
    pthread_t thread;
    int ok = 0;
    pthread_attr_init(&attributes);
    if (stack && pthread_attr_setstacksize(&attributes, stack) != 0)
        return 0;
    if (pthread_create(&thread, &attributes, routine, &ok) != 0)
        return 0;
    pthread_join(thread, NULL);
    return ok;
}

/// Whether a child that has a region of so many threads ends well.
static int child_is_well(int threads) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        alarm(limit / 2);
        _exit(!region(threads));
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void lock(void) {
    pthread_mutex_lock(&mutex);
}

static void unlock(void) {
    pthread_mutex_unlock(&mutex);
}

static void *regions_under_lock(void *unused) {
    while (!stop) {
        lock();
        region(crowd);
        unlock();
    }
    return unused;
}

/// The program's handlers want a mutex that another thread has in its regions.
static int handlers_that_lock(void) {
    pthread_t thread;
    int ok = 1;
    pthread_atfork(lock, unlock, unlock);
    pthread_create(&thread, NULL, regions_under_lock, NULL);
    for (int i = 0; i < 100 && ok; i++)
        ok = child_is_well(2);
    stop = 1;
    pthread_join(thread, NULL);
    return ok;
}

static void region_in_handler(void) {
    if (!region(crowd))
        abort();
}

static int handlers_with_regions(void) {
    pthread_atfork(region_in_handler, region_in_handler, region_in_handler);
    return region(2) && child_is_well(crowd) && region(crowd);
}

static int look(struct dl_phdr_info *object, size_t size, void *count) {
    (void)object, (void)size;
    ++*(int *)count;
    return 0;
}

static void *look_at_objects(void *unused) {
    int count = 0;
    while (!stop)
        dl_iterate_phdr(look, &count);
    return unused;
}

/// Another thread of the program has the loader's lock when the process forks.
static int program_asks_loader(void) {
    pthread_t thread;
    int ok = region(crowd);
    pthread_create(&thread, NULL, look_at_objects, NULL);
    for (int i = 0; i < 100 && ok; i++)
        ok = child_is_well(crowd);
    stop = 1;
    pthread_join(thread, NULL);
    return ok;
}

static int region_in_callback(struct dl_phdr_info *object, size_t size, void *count) {
    (void)object, (void)size;
    return !region(crowd) || ++*(int *)count == 20;
}

static void *regions(void *unused) {
    while (!stop)
        region(crowd);
    return unused;
}

static int loader_calls_back(void) {
    pthread_t thread;
    int ok = 1;
    pthread_create(&thread, NULL, regions, NULL);
    for (int i = 0; i < 5 && ok; i++) {
        int count = 0;
        dl_iterate_phdr(region_in_callback, &count);
        ok = count > 0;
    }
    stop = 1;
    pthread_join(thread, NULL);
    return ok;
}

static int first_region_in_callback(struct dl_phdr_info *object, size_t size, void *thread) {
    (void)object, (void)size;
    pthread_create(thread, NULL, regions, NULL);
    usleep(100000); // it makes the process's first call, and asks the loader
    return region(crowd) ? 1 : 2;
}

/// The first calls of two threads, one of which the loader calls back.
static int loader_calls_back_first(void) {
    pthread_t thread;
    const int ok = dl_iterate_phdr(first_region_in_callback, &thread) == 1;
    stop = 1;
    pthread_join(thread, NULL);
    return ok;
}

/// In a child that has not used OpenMP: it forks while another thread makes the first call.
static int fork_while_starting(int delay) {
    pthread_t thread;
    int first = 0;
    pthread_create(&thread, NULL, one_region, &first);
    for (volatile int i = 0; i < delay; i++) {
    }
    const int ok = child_is_well(2);
    pthread_join(thread, NULL);
    return ok && first;
}

static int starting(void) {
    int ok = 1;
    for (int i = 0; i < 100 && ok; i++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            alarm(limit);
            _exit(!fork_while_starting(i * 1000));
        }
        ok = child > 0 && waitpid(child, &status, 0) == child && status == 0;
    }
    return ok;
}

static void *cancelled(void *unused) {
    pthread_cancel(pthread_self()); // pending until the next cancellation point
    region(crowd);
    pthread_testcancel();
    return unused;
}

static int cancellation(void) {
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, cancelled, NULL);
    pthread_join(thread, &result);
    return result == PTHREAD_CANCELED && region(2);
}

/// In a function that needs some of it for itself, too.
static void *region_in_large_frame(void *ok) {
    volatile char frame[2048];
    for (size_t i = 0; i < sizeof frame; i++)
        frame[i] = (char)i;
    one_region(ok);
    *(int *)ok &= frame[100] == 100;
    return NULL;
}

static int little_stack(void) {
    return on_thread(region_in_large_frame, (size_t)PTHREAD_STACK_MIN);
}

/// `plugin` has a constructor that waits for a thread with a region.
static int constructor(const char *plugin) {
    return dlopen(plugin, RTLD_NOW) != NULL && region(2);
}

#ifdef PLUGIN
__attribute__((constructor)) static void wait_for_region(void) {
    if (!on_thread(one_region, 0))
        abort();
}
#endif

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    alarm(limit);
    const int ok = strcmp(mode, "handlers-that-lock") == 0      ? handlers_that_lock()
                   : strcmp(mode, "handlers-with-regions") == 0 ? handlers_with_regions()
                   : strcmp(mode, "program-asks-loader") == 0   ? program_asks_loader()
                   : strcmp(mode, "loader-calls-back") == 0     ? loader_calls_back()
                   : strcmp(mode, "loader-calls-first") == 0    ? loader_calls_back_first()
                   : strcmp(mode, "starting") == 0              ? starting()
                   : strcmp(mode, "cancellation") == 0          ? cancellation()
                   : strcmp(mode, "little-stack") == 0          ? little_stack()
                   : strcmp(mode, "constructor") == 0           ? constructor(argv[2])
                                                                : 0;
    return !ok;
}
