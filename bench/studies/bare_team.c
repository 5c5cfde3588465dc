// SPDX-License-Identifier: Apache-2.0
// No runtime: what regions, barriers and locks take by themselves, the least that is known on a
// machine. One team that is made once, polls for ever and learns nothing; no nested regions, tasks
// or errors. A contender for the rows parallel, for, parallel_for, barrier, single, critical, lock,
// ordered, atomic, atomic_wide and reduction of bench/overheads, compiled by gcc, with no more
// threads than CPUs:
//     gcc -O2 -pthread -shared -fPIC bench/studies/bare_team.c -o /tmp/bare_team.so
//     bench/run.py --contender bare=/tmp/bare_team.so --contender heddle --threads 2 overheads-sync
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_THREADS = 64, LINES = 128, PAUSES = 128 };

// A line, and the one that is fetched along with it.
typedef struct {
    alignas(LINES) atomic_long count;
    void (*function)(void *);
    void *data;
    long singles, turns; // so many have been before this region
} line;

// Written by the first thread for each other, by each for the first, and by all.
static line posts[MOST_THREADS], ends[MOST_THREADS], at_barrier, singles, turns;
static alignas(LINES) atomic_int unnamed_critical;
static alignas(LINES) atomic_int wide_atomic;
static alignas(LINES) long regions; // of the first thread alone
static alignas(LINES) int team_size, size_asked;

#define OWN static _Thread_local __attribute__((tls_model("initial-exec")))
OWN int own_number;
OWN long own_singles;                       // so many this thread has come to
OWN long loop_begin, loop_step, loop_trips; // of the ordered loop
OWN long own_trip, first_turn;              // trips count from 0, which is that turn

static void pause_briefly(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

// Without a pause, which is as long as the hand-over of a line. Who yields early shares a core.
static void await(atomic_long *word, long count) {
    for (long polls = 0; atomic_load_explicit(word, memory_order_acquire) < count; polls++)
        if (polls > 1000000)
            sched_yield();
}

static void begin_region(const line *post) {
    own_singles = post->singles;
    first_turn = post->turns;
}

// A region: who is posted to runs it, and says so.
static void *worker(void *number) {
    own_number = (int)(intptr_t)number;
    line *const post = &posts[own_number];
    for (long region = 1;; region++) {
        await(&post->count, region);
        begin_region(post);
        post->function(post->data);
        atomic_store_explicit(&ends[own_number].count, region, memory_order_release);
    }
    return NULL;
}

static void make_team(int threads) {
    const char *const usual = getenv("OMP_NUM_THREADS");
    team_size = threads != 0 ? threads : size_asked != 0 ? size_asked : atoi(usual ? usual : "1");
    if (team_size < 1 || team_size > MOST_THREADS) {
        fprintf(stderr, "bare_team: a team has 1 to %d threads\n", MOST_THREADS);
        exit(2);
    }
    for (int i = 1; i < team_size; i++) {
        pthread_t made;
        if (pthread_create(&made, NULL, worker, (void *)(intptr_t)i) != 0)
            abort();
    }
}

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
    (void)flags;
    if (team_size == 0)
        make_team((int)threads);
    regions++;
    const long singles_before = atomic_load_explicit(&singles.count, memory_order_relaxed);
    const long turns_before = atomic_load_explicit(&turns.count, memory_order_relaxed);
    for (int i = team_size - 1; i >= 0; i--) {
        posts[i].function = function;
        posts[i].data = data;
        posts[i].singles = singles_before;
        posts[i].turns = turns_before;
        atomic_store_explicit(&posts[i].count, regions, memory_order_release);
    }
    begin_region(&posts[0]);
    function(data);
    for (int i = 1; i < team_size; i++)
        await(&ends[i].count, regions);
}

// Of the barriers tried, none takes less with two threads: arrivals are counted, and the last of a
// round is who sees the word complete.
void GOMP_barrier(void) {
    const long before = atomic_fetch_add_explicit(&at_barrier.count, 1, memory_order_acq_rel);
    await(&at_barrier.count, (before / team_size + 1) * team_size);
}

bool GOMP_single_start(void) {
    long mine = own_singles++;
    return atomic_load_explicit(&singles.count, memory_order_relaxed) == mine &&
           atomic_compare_exchange_strong_explicit(&singles.count, &mine, mine + 1,
                                                   memory_order_relaxed, memory_order_relaxed);
}

// ordered, with schedule(static, 1) alone: a word says whose turn it is.
static bool take_trip(long *from, long *to) {
    if (own_trip >= loop_trips)
        return false;
    *from = loop_begin + own_trip * loop_step;
    *to = *from + loop_step;
    return true;
}

bool GOMP_loop_ordered_static_start(long begin, long end, long step, long chunk, long *from,
                                    long *to) {
    if (chunk != 1) {
        fprintf(stderr, "bare_team: ordered loops have schedule(static, 1)\n");
        exit(2);
    }
    loop_begin = begin;
    loop_step = step;
    loop_trips = (end - begin + step + (step > 0 ? -1 : 1)) / step;
    own_trip = own_number;
    return take_trip(from, to);
}

bool GOMP_loop_ordered_static_next(long *from, long *to) {
    own_trip += team_size;
    return take_trip(from, to);
}

void GOMP_ordered_start(void) { await(&turns.count, first_turn + own_trip); }

void GOMP_ordered_end(void) {
    atomic_store_explicit(&turns.count, first_turn + own_trip + 1, memory_order_release);
}

void GOMP_loop_end_nowait(void) { first_turn += loop_trips; }

void GOMP_loop_end(void) {
    GOMP_loop_end_nowait();
    GOMP_barrier();
}

// Who finds it held stays away for long, so as a rule its holder takes it again: the least time for
// all threads together, and no promise for any.
static void lock(atomic_int *held) {
    while (atomic_exchange_explicit(held, 1, memory_order_acquire) != 0)
        for (int i = 0; i < PAUSES; i++)
            pause_briefly();
}

static void unlock(atomic_int *held) { atomic_store_explicit(held, 0, memory_order_release); }

void GOMP_critical_name_start(void **name) { lock((atomic_int *)(void *)name); }
void GOMP_critical_name_end(void **name) { unlock((atomic_int *)(void *)name); }
void GOMP_critical_start(void) { lock(&unnamed_critical); }
void GOMP_critical_end(void) { unlock(&unnamed_critical); }
void GOMP_atomic_start(void) { lock(&wide_atomic); }
void GOMP_atomic_end(void) { unlock(&wide_atomic); }
void omp_init_lock(void *held) { atomic_init((atomic_int *)held, 0); }
void omp_destroy_lock(void *held) { (void)held; }
void omp_set_lock(void *held) { lock((atomic_int *)held); }
void omp_unset_lock(void *held) { unlock((atomic_int *)held); }

int omp_get_thread_num(void) { return own_number; }
int omp_get_num_threads(void) { return team_size == 0 ? 1 : team_size; }
void omp_set_num_threads(int threads) { size_asked = threads; }
