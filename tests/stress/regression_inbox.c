/* SPDX-License-Identifier: Apache-2.0 */
/* A thread outside the team fulfills the event of a task with 100,000 successors, while nobody
   takes any: each walked over those before it, for 15 s, and of more than 65,535 that were ready
   the rest was never found. Then the same while the team's other threads take them. By ctest. */
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { successors = 100000 };

static int fulfilled;

static void* fulfill(void* event) {
    omp_fulfill_event((omp_event_handle_t)(uintptr_t)event);
    __atomic_store_n(&fulfilled, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* Returns how many of the successors have run at the end of the region. */
static int run_successors(int threads) {
    int count = 0;
    pthread_t outside;
    fulfilled = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
        int place;
        omp_event_handle_t event;
        (void)place;
#pragma omp task detach(event) depend(out : place)
        ;
        for (int i = 0; i < successors; i++) {
#pragma omp task depend(in : place) shared(count)
            __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
        }
        pthread_create(&outside, NULL, fulfill, (void*)(uintptr_t)event);
        while (!__atomic_load_n(&fulfilled, __ATOMIC_ACQUIRE))
            usleep(100);
    }
    pthread_join(outside, NULL);
    return count;
}

int main(void) {
    const int alone = run_successors(1), shared = run_successors(omp_get_max_threads());
    if (alone != successors || shared != successors) {
        fprintf(stderr, "%d and %d successors instead of %d\n", alone, shared, successors);
        return 1;
    }
    return 0;
}
