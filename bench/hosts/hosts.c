// SPDX-License-Identifier: Apache-2.0
// Many threads of a program, the hosts, open small regions at once: how many regions a second, and
// how many OS threads the process has at most. Every host's team has --threads threads; with one it
// is the serial inner loop to compare with. Every iteration of every region is counted.
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/bench.h"

enum { PARTS = 8 }; // iterations of a region's loop

static long hosts = 100, regions = 20, microseconds = 1000;
static int team;
static long turns; // of a part
static atomic_long done;
static atomic_int over;

static int os_threads(void) {
    int count = 0;
    DIR* folder = opendir("/proc/self/task");
    for (const struct dirent* entry; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return count;
}

static void compute(long count) {
    volatile double value = 1;
    for (long i = 0; i < count; i++)
        value = value * 1.0000001;
}

// Turns a microsecond: the most of some tries, for others may run beside.
static double calibrate(void) {
    enum { TRIES = 10, TURNS = 500000 };
    double most = 0;
    for (int i = 0; i < TRIES; i++) {
        const double start = bench_seconds();
        compute(TURNS);
        const double rate = TURNS / ((bench_seconds() - start) * 1e6);
        most = rate > most ? rate : most;
    }
    return most;
}

static void* watch(void* most) {
    for (; !atomic_load(&over); usleep(5000)) {
        const int now = os_threads();
        if (now > *(int*)most)
            *(int*)most = now;
    }
    return NULL;
}

static void* host(void* unused) {
    for (long region = 0; region < regions; region++) {
#pragma omp parallel for schedule(static) num_threads(team)
        for (int i = 0; i < PARTS; i++) {
            compute(turns);
            atomic_fetch_add(&done, 1);
        }
    }
    return unused;
}

static void start(pthread_t* thread, void* (*function)(void*), void* argument) {
    if (pthread_create(thread, NULL, function, argument) != 0)
        bench_fail("hosts: the system refuses a thread");
}

int main(int argc, char** argv) {
    const bench_option options[] = {
        {"hosts", 'o', BENCH_INTEGER, &hosts, 1, 10000, "N", "threads of the program (100)"},
        {"regions", 'r', BENCH_INTEGER, &regions, 1, 1e9, "N", "that each of them opens (20)"},
        {"microseconds", 'u', BENCH_INTEGER, &microseconds, 1, 1e7, "N",
         "of work in a region, by all its threads together (1000)"},
    };
    bench_parse(argc, argv, "Regions of many threads of a program at once.", options,
                sizeof options / sizeof options[0]);
    team = bench_team();
    turns = (long)(calibrate() * (double)microseconds / PARTS);
    pthread_t watcher, *threads = malloc((size_t)hosts * sizeof *threads);
    if (!threads)
        bench_fail("hosts: no memory for %ld threads", hosts);
    int most = 0;
    start(&watcher, watch, &most);
    const double began = bench_seconds();
    for (long i = 0; i < hosts; i++)
        start(&threads[i], host, NULL);
    for (long i = 0; i < hosts; i++)
        pthread_join(threads[i], NULL);
    const double seconds = bench_seconds() - began;
    atomic_store(&over, 1);
    pthread_join(watcher, NULL);
    free(threads);
    if (atomic_load(&done) != hosts * regions * PARTS)
        bench_fail("hosts: %ld iterations, should be %ld", atomic_load(&done),
                   hosts * regions * PARTS);
    bench_json_begin("hosts", "all_at_once", team, seconds);
    bench_json_integer("answer", atomic_load(&done));
    bench_json_integer("hosts", hosts);
    bench_json_integer("microseconds", microseconds);
    bench_json_real("regions_per_second", (double)(hosts * regions) / seconds);
    bench_json_integer("os_threads_at_most", most);
    bench_json_end();
    return 0;
}
