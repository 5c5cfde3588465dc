/* SPDX-License-Identifier: Apache-2.0 */
/* A task creates a detached child and that one's successor, and polls with taskyield until the */
/* successor has run, as programs do with requests of MPI. A thread outside fulfills the event: */
/* the successor was where only waits looked for it, not taskyield. Run by ctest. */
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static int failures;

struct Request {
    omp_event_handle_t event;
    int is_fulfilled, has_run;
};

static void* fulfill(void* raw) {
    struct Request* request = raw;
    omp_fulfill_event(request->event);
    __atomic_store_n(&request->is_fulfilled, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void poll(void) {
    struct Request request = {0};
    pthread_t outside;
    omp_event_handle_t event;
    int place;
    (void)place;
#pragma omp task detach(event) depend(out : place)
    ;
#pragma omp task depend(in : place) shared(request)
    __atomic_store_n(&request.has_run, 1, __ATOMIC_RELEASE);
    request.event = event;
    pthread_create(&outside, NULL, fulfill, &request);
    int in_vain = 0; /* yields since the successor is ready: another thread may just run it */
    while (!__atomic_load_n(&request.has_run, __ATOMIC_ACQUIRE) && in_vain < 10000) {
        const int is_ready = __atomic_load_n(&request.is_fulfilled, __ATOMIC_ACQUIRE);
#pragma omp taskyield
        if (is_ready)
            ++in_vain;
        usleep(100);
    }
    if (in_vain == 10000)
        __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
    pthread_join(outside, NULL);
#pragma omp taskwait
}

int main(void) {
    poll();
    for (int round = 0; round < 10; round++) {
#pragma omp parallel
        poll();
#pragma omp parallel
#pragma omp single
        for (int i = 0; i < 4; i++) {
#pragma omp task
            poll();
#pragma omp task untied
            poll();
        }
    }
    if (failures)
        fprintf(stderr, "%d successors have not run\n", failures);
    return failures != 0;
}
