// SPDX-License-Identifier: Apache-2.0
// A thread alone in its team waits for a detached task that another thread will complete: it looked
// for tasks to take back among members that a team of one had no list of, and crashed.
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static void* fulfill(void* event) {
    usleep(20000);
    omp_fulfill_event((omp_event_handle_t)(uintptr_t)event);
    return NULL;
}

/// Returns how many of the two tasks have run when the waits are over: 2.
static int wait_for_detached_tasks(void) {
    int count = 0;
    pthread_t completing[2];
#pragma omp taskgroup
    for (int i = 0; i < 2; i++) {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(count)
        count++;
        pthread_create(&completing[i], NULL, fulfill, (void*)(uintptr_t)event);
        if (i == 0) {
#pragma omp taskwait
        }
    }
    pthread_join(completing[0], NULL);
    pthread_join(completing[1], NULL);
    return count;
}

/// The end of the region is the only wait.
static void leave_detached_task(pthread_t* completing, int* count) {
    omp_event_handle_t event;
#pragma omp task detach(event)
    *count += 1;
    pthread_create(completing, NULL, fulfill, (void*)(uintptr_t)event);
}

int main(void) {
    int count = wait_for_detached_tasks();
    pthread_t completing;
#pragma omp parallel num_threads(1)
    count += wait_for_detached_tasks();
#pragma omp parallel num_threads(1)
    leave_detached_task(&completing, &count);
    pthread_join(completing, NULL);
#pragma omp target map(tofrom : count)
    count += wait_for_detached_tasks();
#pragma omp target map(tofrom : completing, count)
    leave_detached_task(&completing, &count);
    pthread_join(completing, NULL);
    if (count != 8) {
        fprintf(stderr, "%d tasks instead of 8\n", count);
        return 1;
    }
    return 0;
}
