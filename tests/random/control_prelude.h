/* SPDX-License-Identifier: Apache-2.0 */
/* What a program about control variables begins with: `struct control` says what those of a task
   have to be, a construct makes its own of those around it, and check() compares all of them.
   Read by control.py. Each object is written by the thread that runs its task. */
#include <limits.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEVELS = 24, ITEMS = 8, UNKNOWN = -2, MOST_LEVELS = 255, MANY_THREADS = 1000 };

/* nthreads-var and bind-var are lists, of which each level of regions takes one item. */
struct list { int item[ITEMS], last, now; };

struct control {
    int level, active, thread[LEVELS], size[LEVELS];
    struct list threads, bind;
    int max_active_levels, dynamic, device, thread_limit, is_final, in_explicit, teams, team;
    unsigned schedule;
    int chunk;
    omp_allocator_handle_t allocator;
};

/* What the initial task of each host thread begins with. */
static struct control initial;
/* One for the device, and what nothing changes. */
static int max_teams, teams_limit, cancellation, priority, places;
static int one = 1, host_device;
static int errors;

static void compare(const char *what, long wanted, long got, int line) {
    if (wanted == got || wanted == UNKNOWN)
        return;
    int before;
#pragma omp atomic capture
    before = errors++;
    if (before < 10)
        fprintf(stderr, "line %d: %s is %ld, has to be %ld\n", line, what, got, wanted);
}

static void check_levels(const struct control *x, int line) {
    compare("level", x->level, omp_get_level(), line);
    compare("active level", x->active, omp_get_active_level(), line);
    compare("in parallel", x->active > 0, omp_in_parallel(), line);
    compare("thread", x->thread[x->level], omp_get_thread_num(), line);
    compare("threads", x->size[x->level], omp_get_num_threads(), line);
    for (int level = -1; level < x->level + 3; ++level) {
        const int is_one = level >= 0 && level <= x->level;
        compare("ancestor", is_one ? x->thread[level] : -1, omp_get_ancestor_thread_num(level),
                line);
        compare("team size", is_one ? x->size[level] : -1, omp_get_team_size(level), line);
    }
    compare("teams", x->teams, omp_get_num_teams(), line);
    compare("team", x->team, omp_get_team_num(), line);
}

/* The format's fields are the same numbers. */
static void check_format(const struct control *x, int line) {
    char wanted[200], got[200];
    if (x->thread[x->level] == UNKNOWN)
        return;
    snprintf(wanted, sizeof wanted, "%d|%04d|%-5d|%d/%d%%", x->level, x->size[x->level],
             x->thread[x->level], x->team, x->teams);
    const size_t length = omp_capture_affinity(got, sizeof got, "%L|%0.4N|%5n|%t/%{num_teams}%%");
    compare("length of the format", (long)strlen(wanted), (long)length, line);
    compare("format", 0, strcmp(wanted, got), line);
}

static void check(const struct control *x, int line) {
    omp_sched_t schedule;
    int chunk;
    check_levels(x, line);
    compare("max threads", x->threads.item[x->threads.now], omp_get_max_threads(), line);
    compare("bind", x->bind.item[x->bind.now], omp_get_proc_bind(), line);
    compare("max active levels", x->max_active_levels, omp_get_max_active_levels(), line);
    compare("dynamic", x->dynamic, omp_get_dynamic(), line);
    omp_get_schedule(&schedule, &chunk);
    compare("schedule", x->schedule, (unsigned)schedule, line);
    if ((x->schedule & 0xff) != omp_sched_auto)
        compare("chunk", x->chunk, chunk, line);
    compare("device", x->device, omp_get_default_device(), line);
    compare("allocator", (long)x->allocator, (long)omp_get_default_allocator(), line);
    compare("thread limit", x->thread_limit, omp_get_thread_limit(), line);
    compare("final", x->is_final, omp_in_final(), line);
#ifndef __clang__ /* nor does libomp 19 have it */
    extern int omp_in_explicit_task(void) __attribute__((weak));
    if (omp_in_explicit_task)
        compare("explicit", x->in_explicit, omp_in_explicit_task(), line);
#endif
    compare("max teams", max_teams, omp_get_max_teams(), line);
    compare("teams' limit", teams_limit, omp_get_teams_thread_limit(), line);
    compare("cancellation", cancellation, omp_get_cancellation(), line);
    compare("priority", priority, omp_get_max_task_priority(), line);
    compare("places", places, omp_get_num_places(), line);
    compare("initial device", 1, omp_is_initial_device(), line);
    check_format(x, line);
}

/* The constructs */

/* `asked` is the clause num_threads, or 0; `bind` that of proc_bind, or 0. */
static struct control in_region(const struct control *outer, int asked, int is_active, int bind,
                                int line) {
    struct control x = *outer;
    int wanted = asked ? asked : outer->threads.item[outer->threads.now];
    const int got = omp_get_num_threads();
    if (!is_active || outer->active >= outer->max_active_levels)
        wanted = 1;
    if (wanted > 1 && (outer->dynamic || outer->thread_limit < MANY_THREADS))
        compare("as few threads as", 1, got >= 1 && got <= wanted && got <= outer->thread_limit,
                line);
    else
        compare("size of the new team", wanted, got, line);
    ++x.level;
    x.thread[x.level] = omp_get_thread_num();
    x.size[x.level] = got;
    x.active += got > 1;
    x.is_final = x.in_explicit = 0;
    x.threads.now += x.threads.now < x.threads.last;
    if (x.bind.item[x.bind.now] != omp_proc_bind_false && bind)
        x.bind.item[x.bind.now] = bind;
    x.bind.now += x.bind.now < x.bind.last;
    return x;
}

/* A task that may be `deferred` may be run by any thread of the team. */
static struct control in_task(const struct control *outer, int is_final, int deferred) {
    struct control x = *outer;
    x.is_final |= is_final;
    x.in_explicit = 1;
    if (deferred)
        x.thread[x.level] = UNKNOWN;
    return x;
}

/* The initial task of a team of a league; `asked` and `limit` are the clauses, or 0. */
static struct control in_league(const struct control *outer, int asked, int limit, int line) {
    struct control x = *outer;
    x.level = x.active = 0;
    x.thread[0] = 0;
    x.size[0] = 1;
    x.is_final = x.in_explicit = 0;
    if (limit || teams_limit)
        x.thread_limit = limit ? limit : teams_limit;
    x.teams = omp_get_num_teams();
    x.team = omp_get_team_num();
    if (asked)
        compare("size of the league", asked, x.teams, line);
    else if (max_teams)
        compare("as few teams as", 1, x.teams <= max_teams, line);
    compare("number of a team", 1, x.team >= 0 && x.team < x.teams, line);
    return x;
}

/* gcc begins another initial task there; of clang it is the task itself, or one that is `made` for
   it and may be run by any thread. */
static struct control in_target(const struct control *outer, int limit, int made) {
#ifdef __clang__
    struct control x = *outer;
    if (made)
        x.thread[x.level] = UNKNOWN;
#else
    struct control x = initial;
    (void)outer, (void)made;
#endif
    if (limit)
        x.thread_limit = limit;
    return x;
}

/* The routines */

static void set_threads(struct control *x, int number) {
    omp_set_num_threads(number);
    x->threads.item[x->threads.now] = number;
}

static void set_dynamic(struct control *x, int number) {
    omp_set_dynamic(number);
    x->dynamic = number != 0;
}

static void set_levels(struct control *x, int number) {
    omp_set_max_active_levels(number);
    if (number >= 0)
        x->max_active_levels = number < MOST_LEVELS ? number : MOST_LEVELS;
}

static void set_schedule(struct control *x, unsigned schedule, int chunk) {
    const unsigned kind = schedule & ~(unsigned)omp_sched_monotonic;
    omp_set_schedule((omp_sched_t)schedule, chunk);
    if (kind < omp_sched_static || kind > omp_sched_auto)
        return;
    x->schedule = schedule;
    x->chunk = chunk >= 1 ? chunk : kind != omp_sched_static;
}

static void set_device(struct control *x, int number) {
    omp_set_default_device(number);
    x->device = number;
}

static void set_allocator(struct control *x, omp_allocator_handle_t allocator) {
    omp_set_default_allocator(allocator);
    x->allocator = allocator == omp_null_allocator ? omp_default_mem_alloc : allocator;
}

static void set_teams(int number) {
    omp_set_num_teams(number);
    if (number >= 0)
        max_teams = number;
}

static void set_teams_limit(int number) {
    omp_set_teams_thread_limit(number);
    if (number >= 0)
        teams_limit = number;
}

/* Refused in a region. */
static void pause_all(const struct control *x, omp_pause_resource_t how, int line) {
    if (x->level > 0)
        compare("pause", -1, omp_pause_resource_all(how), line);
}

static void *fulfill(void *event) {
    omp_fulfill_event((omp_event_handle_t)event);
    return NULL;
}

/* The items of a variable, by either of its names, or else the one that a routine tells. */
static struct list read_list(const char *name, const char *for_all, int otherwise) {
    static const char *const binds[] = {"false", "true", "master", "close", "spread"};
    struct list list = {{otherwise}, 0, 0};
    const char *value_of = getenv(name) ? getenv(name) : getenv(for_all);
    char *text = value_of ? strdup(value_of) : NULL, *rest = text;
    for (char *item; (item = strsep(&rest, ", ")) != NULL && list.now < ITEMS;) {
        int value = atoi(item);
        for (int bind = 0; bind < 5; ++bind)
            value = strcmp(item, binds[bind]) == 0 ? bind : value;
        if (*item)
            list.item[list.now++] = strcmp(item, "primary") == 0 ? omp_proc_bind_master : value;
    }
    free(text);
    list.last = list.now ? list.now - 1 : 0;
    list.now = 0;
    return list;
}

static void begin(void) {
    omp_sched_t schedule;
    initial.size[0] = initial.teams = 1;
    initial.threads = read_list("OMP_NUM_THREADS", "OMP_NUM_THREADS_ALL",
                                omp_get_max_threads());
    initial.bind = read_list("OMP_PROC_BIND", "OMP_PROC_BIND_ALL", omp_get_proc_bind());
    initial.max_active_levels = omp_get_max_active_levels();
    initial.dynamic = omp_get_dynamic();
    omp_get_schedule(&schedule, &initial.chunk);
    initial.schedule = schedule;
    initial.device = omp_get_default_device();
    initial.allocator = omp_get_default_allocator();
    initial.thread_limit = omp_get_thread_limit();
    max_teams = omp_get_max_teams();
    teams_limit = omp_get_teams_thread_limit();
    cancellation = omp_get_cancellation();
    priority = omp_get_max_task_priority();
    places = omp_get_num_places();
    host_device = omp_get_initial_device();
}
