// SPDX-License-Identifier: Apache-2.0
// A detached task has ended; its child, which a thread outside OpenMP makes ready, fulfills its
// event. In a team of one nobody looked for that child: the taskwait of its grandparent hung.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static omp_event_handle_t of_parent, of_child;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void* fulfill_child(void* unused) {
    pthread_mutex_lock(&lock);
    while (of_child == 0)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    usleep(1000); // so that probably the parent has ended and the taskwait has begun
    omp_fulfill_event(of_child);
    return unused;
}

static void create_parent(int* location) {
    omp_event_handle_t event;
#pragma omp task detach(event) shared(of_parent, of_child) firstprivate(location)
    {
        of_parent = event;
        omp_event_handle_t inner;
#pragma omp task detach(inner) depend(out : *location) shared(of_child)
        {
            pthread_mutex_lock(&lock);
            of_child = inner;
            pthread_cond_signal(&changed);
            pthread_mutex_unlock(&lock);
        }
#pragma omp task depend(in : *location) shared(of_parent)
        omp_fulfill_event(of_parent);
    }
}

int main(void) {
    for (int i = 0; i < 20; ++i) {
        int location = 0;
        of_child = 0;
        pthread_t outside;
        if (pthread_create(&outside, NULL, fulfill_child, NULL) != 0)
            return 1;
#pragma omp parallel num_threads(1)
        {
            create_parent(&location);
#pragma omp taskwait
        }
        pthread_join(outside, NULL);
    }
    puts("regression_detach_parent: passed");
    return 0;
}
