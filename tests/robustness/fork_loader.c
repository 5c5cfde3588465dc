// SPDX-License-Identifier: Apache-2.0
// A fork in the very moment in which another thread of the runtime asks the loader, for
// test_fork.py: `fork_loader THREADS` has a region of so many threads ask, and another one in the
// child. dl_iterate_phdr() is this program's, and passes the question on.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { limit = 20 }; ///< seconds that child and parent may take

typedef int visitor(struct dl_phdr_info *, size_t, void *);

static atomic_int ready, inside, forking;
static int threads;

struct question {
    visitor *visit;
    void *data;
};

/// Holds the loader's lock until the other thread forks, and a moment longer.
static int linger(struct dl_phdr_info *object, size_t size, void *data) {
    const struct question *question = data;
    if (!atomic_exchange(&inside, 1)) {
        while (!forking)
            sched_yield();
        for (int i = 0; i < 5000; i++)
            sched_yield();
    }
    return question->visit(object, size, question->data);
}

int dl_iterate_phdr(visitor *visit, void *data) {
    int (*const next)(visitor *, void *) =
        (int (*)(visitor *, void *))dlsym(RTLD_NEXT, "dl_iterate_phdr");
    struct question question = {visit, data};
    return ready ? next(linger, &question) : next(visit, data);
}

static void region(void) {
    int members = 0;
#pragma omp parallel num_threads(threads) reduction(+ : members)
    members++;
    if (members != threads)
        _exit(2);
}

static void *ask(void *unused) {
    region();
    return unused;
}

int main(int argc, char **argv) {
    pthread_t asker;
    int status = 0;
    threads = argc > 1 ? atoi(argv[1]) : 2;
    alarm(2 * limit);
    ready = 1;
    if (pthread_create(&asker, NULL, ask, NULL) != 0)
        return 1;
    while (!inside)
        sched_yield();
    forking = 1;
    const pid_t child = fork();
    if (child == 0) {
        alarm(limit);
        region();
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child || status != 0)
        fprintf(stderr, "the child ended with status %#x\n", (unsigned)status);
    pthread_join(asker, NULL);
    return status != 0;
}
