// SPDX-License-Identifier: Apache-2.0
// Many threads of a program, the hosts, open small regions at once or in turn, or come and go: how
// many regions a second, and how many OS threads the process has at most. Every host's team has
// --threads threads; with one it is the serial inner loop to compare with. Every part is counted.
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/bench.h"

enum { PARTS = 8 }; // iterations of a region's loop, tasks, or barriers
enum { LOOP, DYNAMIC, TASKS, BARRIERS };

static long hosts = 100, regions = 20, what = LOOP;
static double microseconds = 1000, serial_microseconds;
static int in_turn, new_threads, team;
static long turns, serial_turns; // of a part, and between two regions
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

static void part(void) {
    compute(turns);
    atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);
}

static void region(void) {
    switch (what) {
    case LOOP:
#pragma omp parallel for schedule(static) num_threads(team)
        for (int i = 0; i < PARTS; i++)
            part();
        break;
    case DYNAMIC:
#pragma omp parallel for schedule(dynamic) num_threads(team)
        for (int i = 0; i < PARTS; i++)
            part();
        break;
    case TASKS:
#pragma omp parallel num_threads(team)
#pragma omp single
        for (int i = 0; i < PARTS; i++)
#pragma omp task
            part();
        break;
    default:
#pragma omp parallel num_threads(team)
        for (int i = 0; i < PARTS; i++) {
#pragma omp for schedule(static) nowait
            for (int thread = 0; thread < team; thread++)
                compute(turns / team);
#pragma omp master
            atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);
#pragma omp barrier
        }
    }
}

static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t* turn_changed; // for each host
static long turn;

static void await_turn(long number) {
    pthread_mutex_lock(&turn_lock);
    while (turn != number)
        pthread_cond_wait(&turn_changed[number], &turn_lock);
    pthread_mutex_unlock(&turn_lock);
}

static void pass_turn_on(long number) {
    pthread_mutex_lock(&turn_lock);
    turn = (number + 1) % hosts;
    pthread_cond_signal(&turn_changed[turn]);
    pthread_mutex_unlock(&turn_lock);
}

static void start(pthread_t* thread, void* (*function)(void*), void* argument) {
    if (pthread_create(thread, NULL, function, argument) != 0)
        bench_fail("hosts: the system refuses a thread");
}

static void* passer(void* unused) {
    region();
    return unused;
}

static void* host(void* number) {
    for (long i = 0; i < regions; i++) {
        if (in_turn)
            await_turn((long)number);
        if (new_threads) {
            pthread_t thread;
            start(&thread, passer, NULL);
            pthread_join(thread, NULL);
        } else {
            region();
        }
        if (in_turn)
            pass_turn_on((long)number);
        compute(serial_turns);
    }
    return NULL;
}

int main(int argc, char** argv) {
    const bench_option options[] = {
        {"hosts", 'o', BENCH_INTEGER, &hosts, 1, 10000, "N", "threads of the program (100)"},
        {"regions", 'r', BENCH_INTEGER, &regions, 1, 1e9, "N", "that each of them opens (20)"},
        {"microseconds", 'u', BENCH_REAL, &microseconds, 0, 1e7, "US",
         "of work in a region, by all its threads together (1000)"},
        {"what", 'w', BENCH_CHOICE, &what, 0, 0, "loop|dynamic|tasks|barriers",
         "the region: 8 iterations, 8 tasks of one thread, or work before each of 8 barriers (loop)"},
        {"serial", 's', BENCH_REAL, &serial_microseconds, 0, 1e7, "US",
         "of work of the host between two regions (0)"},
        {"in-turn", 't', BENCH_FLAG, &in_turn, 0, 0, "",
         "one host after another, which is woken by the one before"},
        {"new-threads", 'n', BENCH_FLAG, &new_threads, 0, 0, "",
         "a new thread opens each region, and ends; its host waits for that"},
    };
    bench_parse(argc, argv, "Regions of many threads of a program.", options,
                sizeof options / sizeof options[0]);
    team = bench_team();
    const double rate = calibrate();
    turns = (long)(rate * microseconds / PARTS);
    serial_turns = (long)(rate * serial_microseconds);
    pthread_t watcher, *threads = malloc((size_t)hosts * sizeof *threads);
    turn_changed = malloc((size_t)hosts * sizeof *turn_changed);
    if (!threads || !turn_changed)
        bench_fail("hosts: no memory for %ld threads", hosts);
    for (long i = 0; i < hosts; i++)
        pthread_cond_init(&turn_changed[i], NULL);
    int most = 0;
    start(&watcher, watch, &most);
    const double began = bench_seconds();
    for (long i = 0; i < hosts; i++)
        start(&threads[i], host, (void*)i);
    for (long i = 0; i < hosts; i++)
        pthread_join(threads[i], NULL);
    const double seconds = bench_seconds() - began;
    atomic_store(&over, 1);
    pthread_join(watcher, NULL);
    free(turn_changed);
    free(threads);
    if (atomic_load(&done) != hosts * regions * PARTS)
        bench_fail("hosts: %ld parts, should be %ld", atomic_load(&done),
                   hosts * regions * PARTS);
    bench_json_begin("hosts", in_turn ? "in_turn" : "all_at_once", team, seconds);
    bench_json_integer("answer", atomic_load(&done));
    bench_json_integer("hosts", hosts);
    bench_json_real("microseconds", microseconds);
    bench_json_real("regions_per_second", (double)(hosts * regions) / seconds);
    bench_json_integer("os_threads_at_most", most);
    bench_json_end();
    return 0;
}
