// SPDX-License-Identifier: Apache-2.0
// heddle.h from C: fib by spawn and sync, an owned object, the numbers of workers. Exits with 1
// when an answer is wrong; test_heddle_hpp.py compiles it as C99 to C2x, and as C++.
#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call {
    int n;
    long* result;
};

static long fib(int n);

static void run_call(void* data) {
    struct call* call = (struct call*)data;
    *call->result = fib(call->n);
}

static long fib(int n) {
    long a = 0, b;
    struct call first;
    if (n < 2)
        return n;
    first.n = n - 1;
    first.result = &a;
    heddle_spawn(run_call, &first, sizeof first, sizeof(void*));
    b = fib(n - 2);
    heddle_sync();
    return a + b;
}

static int owned, discarded;

static void use(void* object) {
    __atomic_add_fetch(&owned, *(int*)object, __ATOMIC_RELAXED); /* read after the region */
    free(object);
}

static void discard(void* object) {
    __atomic_add_fetch(&discarded, 1, __ATOMIC_RELAXED);
    free(object);
}

static void root(void* data) {
    int i;
    for (i = 0; i < 1000; i++) {
        int* object = (int*)malloc(sizeof *object);
        if (!object)
            exit(2);
        *object = 3;
        heddle_spawn_object(use, discard, object);
    }
    *(long*)data = fib(20);
}

int main(void) {
    long result = 0;
    int threads;
    for (threads = -1; threads <= 4; threads++) {
        owned = 0;
        heddle_run(root, &result, threads);
        if (result != 6765 || owned != 3000 || discarded != 0) {
            fprintf(stderr, "%d threads: fib %ld, owned %d, discarded %d\n", threads, result, owned,
                    discarded);
            return 1;
        }
    }
    if (heddle_worker_number() != 0 || heddle_worker_count() < 4 || strlen(heddle_version()) < 3) {
        fprintf(stderr, "worker %d of %d, version %s\n", heddle_worker_number(),
                heddle_worker_count(), heddle_version());
        return 1;
    }
    return 0;
}
