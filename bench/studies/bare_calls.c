// SPDX-License-Identifier: Apache-2.0
// No runtime: what the code that gcc generates for tasks takes by itself. One thread, every task
// runs at once and is as cheap as a call can be; a runtime cannot be faster on one thread without
// the compiler's help. A contender for bench/run.py, with --threads 1:
//     gcc -O2 -shared -fPIC bench/studies/bare_calls.c -o /tmp/bare_calls.so
//     bench/run.py --contender bare=/tmp/bare_calls.so --contender heddle --threads 1 fib knapsack
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { LARGEST = 256 };

// With the data as the task wants them: in a copy that the compiler has a function for.
static __attribute__((noinline)) void call_with_copy(void (*function)(void *), void *data,
                                                     void (*copy)(void *, void *), long size,
                                                     long alignment) {
    if (size + alignment > LARGEST)
        abort();
    char room[LARGEST];
    char *place = (char *)(((uintptr_t)room + (uintptr_t)alignment - 1) & -(uintptr_t)alignment);
    copy(place, data);
    function(place);
}

void GOMP_task(void (*function)(void *), void *data, void (*copy)(void *, void *), long size,
               long alignment, bool deferred, unsigned flags, void **dependences, int priority) {
    (void)deferred, (void)flags, (void)dependences, (void)priority;
    if (copy == NULL)
        function(data);
    else
        call_with_copy(function, data, copy, size, alignment);
}

void GOMP_taskwait(void) {}
void GOMP_barrier(void) {}
bool GOMP_single_start(void) { return true; }

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
    (void)threads, (void)flags;
    function(data);
}
