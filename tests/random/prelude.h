/* SPDX-License-Identifier: Apache-2.0 */
/* What every random program begins with, in C and in C++: its sums, its checks and main().
   Read by program.py. `cells` are the answer; `lost` are sums of what may be cancelled. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#else
typedef int omp_lock_t, omp_nest_lock_t, omp_depend_t;
typedef long omp_event_handle_t;
#define omp_init_lock(lock) (void)(lock)
#define omp_set_lock(lock) (void)(lock)
#define omp_unset_lock(lock) (void)(lock)
#define omp_init_nest_lock(lock) (void)(lock)
#define omp_set_nest_lock(lock) (void)(lock)
#define omp_unset_nest_lock(lock) (void)(lock)
#define omp_fulfill_event(event) (void)(event)
#define omp_get_thread_num() 0
#define omp_get_max_threads() 1
#define omp_set_num_threads(number) (void)(number)
#endif
/* Of clang 19 an untied task with other tasks inside may crash the compiler, or the program. */
#ifdef __clang__
#define UNTIED
#else
#define UNTIED untied
#endif
enum { WAYS = 5 }; /* of add_to(), by cell; CELLS is program.py's */
typedef unsigned long num;
typedef struct { num sum, mixed; } pair;
#pragma omp declare reduction(merge : pair : omp_out.sum += omp_in.sum, \
    omp_out.mixed ^= omp_in.mixed) initializer(omp_priv = (pair){0, 0})
static num cells[CELLS], lost[CELLS];
static num errors, first_error;
static num mine;
#pragma omp threadprivate(mine)
static volatile int never;
static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

static inline num mix(num x) {
    x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15ul;
    return x ^ (x >> 29);
}

static void fail(num line) {
#pragma omp critical(errors)
    if (errors++ == 0)
        first_error = line;
}

#ifdef _OPENMP
/* A thread is at one of the places that its implicit task may use. */
static void look_at_places(int place) {
    enum { MOST = 256 };
    int places[MOST], count = omp_get_partition_num_places(), is_in = 0;
    if (count == 0 && place != -1)
        fail(__LINE__);
    if (count == 0 || count > MOST)
        return;
    omp_get_partition_place_nums(places);
    for (int i = 0; i < count; ++i)
        is_in |= places[i] == place;
    if (!is_in || place >= omp_get_num_places())
        fail(__LINE__);
}

/* What has to hold wherever a thread is. */
static void look_around(void) {
    int level = omp_get_level(), active = omp_get_active_level(), thread = omp_get_thread_num();
    int threads = omp_get_num_threads();
    if (thread < 0 || thread >= threads || threads > omp_get_thread_limit())
        fail(__LINE__);
    if (omp_get_ancestor_thread_num(level) != thread || omp_get_team_size(level) != threads)
        fail(__LINE__);
    if (omp_get_ancestor_thread_num(0) != 0 || omp_get_team_size(0) != 1)
        fail(__LINE__);
    if (omp_get_ancestor_thread_num(level + 1) != -1 || omp_get_team_size(level + 1) != -1)
        fail(__LINE__);
    if (active < (threads > 1) || active > level || omp_in_parallel() != (active > 0))
        fail(__LINE__);
    look_at_places(omp_get_place_num());
}

static void at_level(int level, num line) {
    if (omp_get_level() != level)
        fail(line);
}

static void wants_threads(int number, num line) {
    if (omp_get_max_threads() != number)
        fail(line);
}

static void in_final(int is_final, num line) {
    if (is_final && !omp_in_final())
        fail(line);
}
#else
#define look_around()
#define at_level(level, line)
#define wants_threads(number, line)
#define in_final(is_final, line)
#endif

static void add_to(num *sum, int way, num value) {
    num old;
    look_around();
    switch (way % WAYS) {
    case 0:
#pragma omp atomic
        *sum += value;
        break;
    case 1:
#pragma omp critical(cells)
        *sum += value;
        break;
    case 2:
        omp_set_lock(&lock);
        *sum += value;
        omp_unset_lock(&lock);
        break;
    case 3:
        omp_set_nest_lock(&nest_lock);
        omp_set_nest_lock(&nest_lock);
        *sum += value;
        omp_unset_nest_lock(&nest_lock);
        omp_unset_nest_lock(&nest_lock);
        break;
    default:
#pragma omp atomic capture
        { old = *sum; *sum += value; }
        (void)old;
    }
}

static void add(int cell, num value) {
    add_to(&cells[cell], cell, value);
}

static void lose(int cell, num value) {
    add_to(&lost[cell], cell, value);
}

/* An iteration is to be done once in each of `times` executions of its loop, or not at all. */
static void see(int *seen, int times, num line) {
    int now;
#pragma omp atomic capture
    now = ++*seen;
    if (now > times)
        fail(line);
}

static void whole(void);

#ifdef __cplusplus
#include <vector>
static long alive;

static void born(long count) {
#pragma omp atomic
    alive += count;
}

/* Knows where it lies: no runtime may move it, or copy it by its bytes. */
struct object {
    num value;
    object *self = this;
    object(num value = 0) : value(value) { born(1); }
    object(const object &other) : value(other.look()) { born(1); }
    object &operator=(const object &other) {
        look();
        value = other.look();
        return *this;
    }
    ~object() {
        look();
        self = nullptr;
        born(-1);
    }
    num look() const {
        if (self != this)
            fail(__LINE__);
        return value;
    }
};
#pragma omp declare reduction(join : object : omp_out.value += omp_in.look()) \
    initializer(omp_priv = object(0))
#endif

static void *host(void *nothing) {
    whole();
    return nothing;
}

/* Everything once by each of `count` threads of the user: at the same time, or one after the other
   without OpenMP. */
static void run_hosts(int count) {
    pthread_t threads[8];
    for (int i = 1; i < count; ++i) {
        if (pthread_create(&threads[i], NULL, host, NULL) != 0)
            abort();
#ifndef _OPENMP
        pthread_join(threads[i], NULL);
#endif
    }
    whole();
#ifdef _OPENMP
    for (int i = 1; i < count; ++i)
        pthread_join(threads[i], NULL);
#endif
}

static void tell(void) {
#ifdef __cplusplus
    if (alive != 0)
        fail(__LINE__);
#endif
    for (int i = 0; i < CELLS; ++i)
        printf("%lx ", cells[i]);
    printf("errors %lu, the first in line %lu\n", errors, first_error);
    fflush(stdout);
}

/* HOSTS says how many threads there are, FORKS how many children are made afterwards, each of
   which does everything once more, as does the parent meanwhile. */
int main(void) {
    const char *hosts = getenv("HOSTS"), *forks = getenv("FORKS");
    const int count = hosts ? atoi(hosts) : 1;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    run_hosts(count);
    tell();
    for (int left = forks ? atoi(forks) : 0; left > 0; --left) {
        const pid_t child = fork();
        int status = 0;
        run_hosts(count);
        if (child > 0 && (waitpid(child, &status, 0) != child || status != 0))
            fail(__LINE__);
        tell();
        if (child == 0)
            break;
    }
    return 0;
}
