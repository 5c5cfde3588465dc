// SPDX-License-Identifier: Apache-2.0
// `binding [close:|spread:|primary:] LIST...`: in a region with a thread for each list, thread i
// may use the CPUs of list i, runs there, and says it is at the place that has them; with the word,
// the region has that proc_bind clause. At load, outside of regions, in another thread of the
// program and in children the mask is the one the process began with.
#define _GNU_SOURCE
#include "masks.h"

#include <omp.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char** lists;
static cpu_set_t original;

static void in_region(int number) {
    char where[32];
    snprintf(where, sizeof where, "thread %d", number);
    const cpu_set_t expected = mask_of(lists[number]);
    expect_mask(where, expected);
    for (int i = 0; i < 3; i++, sched_yield()) {
        const int cpu = sched_getcpu();
        expect(cpu >= 0 && CPU_ISSET((size_t)cpu, &expected), "%s: is on CPU %d", where, cpu);
    }
    char text[64];
    omp_capture_affinity(text, sizeof text, "%A");
    const cpu_set_t told = mask_of(text);
    expect(CPU_EQUAL(&told, &expected), "%s: the display says %s", where, text);
    const int place = omp_get_place_num();
    if (place < 0) // no places: nobody is bound
        return;
    int cpus[64];
    const int count = omp_get_place_num_procs(place);
    omp_get_place_proc_ids(place, cpus);
    expect(count == CPU_COUNT(&expected), "%s: place %d has %d CPUs", where, place, count);
    for (int i = 0; i < count; i++)
        expect(CPU_ISSET((size_t)cpus[i], &expected), "%s: place %d has CPU %d", where, place,
               cpus[i]);
}

static void child(void) {
    if (fork() == 0) {
        expect_mask("a forked child", original);
        _exit(failures != 0);
    }
    int status = 1;
    wait(&status);
    expect(status == 0, "the child ended with %d", status);
}

static void* other_thread(void* unused) {
    expect_mask("another thread", original);
    return unused;
}

static void region(const char* clause, int threads) {
    if (strcmp(clause, "close:") == 0) {
#pragma omp parallel num_threads(threads) proc_bind(close)
        in_region(omp_get_thread_num());
    } else if (strcmp(clause, "spread:") == 0) {
#pragma omp parallel num_threads(threads) proc_bind(spread)
        in_region(omp_get_thread_num());
    } else if (strcmp(clause, "primary:") == 0) {
#pragma omp parallel num_threads(threads) proc_bind(primary)
        in_region(omp_get_thread_num());
    } else {
#pragma omp parallel num_threads(threads)
        in_region(omp_get_thread_num());
    }
}

int main(int argc, char** argv) {
    const int with_clause = argc > 1 && strchr(argv[1], ':') != NULL;
    const int threads = argc - 1 - with_clause;
    lists = argv + 1 + with_clause;
    run_under_mask(argv);
    original = mask_of(getenv("MASK") ? getenv("MASK") : "0-7");
    omp_set_dynamic(0);
    expect_mask("at load", original);
    for (int round = 0; round < 3; round++) {
        region(with_clause ? argv[1] : "", threads);
        expect_mask("between regions", original);
    }
    pthread_t thread;
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, NULL);
    child();
#pragma omp parallel num_threads(threads)
#pragma omp masked
    child();
    return failures != 0;
}
