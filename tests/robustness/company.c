// SPDX-License-Identifier: Apache-2.0
// A program for test_company.py: `company process|thread REGIONS` opens regions of two threads that
// Linux has put on one CPU, while a thread of this process, or another process, is busy on the
// other one. Prints how often a thread of the pool asked for another CPU; with `process` it stops
// when one did. 77: there are no two CPUs.
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int asked;
static volatile int ends;

/// In place of the C library's, which the runtime would call.
int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *cpus) {
    __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
    return (int)syscall(SYS_sched_setaffinity, thread, size, cpus);
}

static void use(int one, int other) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(one, &cpus);
    CPU_SET(other, &cpus);
    if (syscall(SYS_sched_setaffinity, 0, sizeof cpus, &cpus) != 0)
        abort();
}

static void *burn(void *cpu) {
    use(*(int *)cpu, *(int *)cpu);
    while (!ends)
        ;
    return NULL;
}

int main(int argc, char **argv) {
    const int is_thread = argc > 1 && strcmp(argv[1], "thread") == 0;
    const int regions = argc > 2 ? atoi(argv[2]) : 1;
    cpu_set_t allowed;
    int found = 0, cpus[2];
    if (syscall(SYS_sched_getaffinity, 0, sizeof allowed, &allowed) < 0)
        return 77;
    for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
        if (CPU_ISSET(cpu, &allowed))
            cpus[found++] = cpu;
    if (found < 2)
        return 77;
    pthread_t thread;
    pid_t child = 0;
    if (is_thread && pthread_create(&thread, NULL, burn, &cpus[1]) != 0)
        return 1;
    if (!is_thread && (child = fork()) == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        burn(&cpus[1]);
    }
    for (int i = 0; i < regions && (is_thread || !asked); i++) {
        int here = 0;
#pragma omp parallel num_threads(2)
        {
            if (omp_get_thread_num() == 0)
                for (int other = 0; !other;) { // runs, where the other one waits to
#pragma omp atomic read
                    other = here;
                }
            else {
#pragma omp atomic write
                here = 1;
            }
            use(cpus[0], cpus[0]);
#pragma omp barrier
            use(cpus[0], omp_get_thread_num() == 0 ? cpus[0] : cpus[1]);
        }
        usleep(1000); // the thread goes to sleep, where it is
    }
    ends = 1;
    if (is_thread)
        pthread_join(thread, NULL);
    else {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    printf("%d\n", asked);
    return 0;
}
