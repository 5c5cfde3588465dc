/* SPDX-License-Identifier: Apache-2.0
 * Heddle's own interface: tasks by spawn and sync over the workers that OpenMP regions use as well.
 * For C from C99 and C++ from C++11, gcc and clang; programs link with -lheddle. C++ programs
 * include heddle.hpp, which stands on this. All functions may be called by any thread, and in
 * OpenMP tasks: a spawned task is a task of OpenMP, and sync is a taskwait. docs/heddle-hpp.md
 * explains both. */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <stddef.h>

/* The version of this header; heddle_version() tells that of the library. */
#define HEDDLE_VERSION_MAJOR 0
#define HEDDLE_VERSION_MINOR 1

#ifdef __cplusplus
extern "C" {
#define HEDDLE_DOES_NOT_THROW noexcept
#else
#define HEDDLE_DOES_NOT_THROW
#endif

/* The library's version, such as "0.1.0"; constant. */
const char* heddle_version(void) HEDDLE_DOES_NOT_THROW;

/* Calls function(data) once, on the calling thread, as the root of a computation, and returns when
 * it and all tasks that come of it are complete. Outside parallel regions, or where `threads` is
 * positive, it opens a parallel region: of `threads` threads, or of as many as OpenMP's
 * nthreads-var asks for. Inside a region it uses the threads of that one. */
void heddle_run(void (*function)(void*), void* data, int threads);

/* Creates a child of the current task that calls function(copy), where `copy` has the `size` bytes
 * at `data` and their `alignment`, a power of two. It runs before this returns, or later, on any
 * thread of the region. Up to 48 bytes with an alignment of up to 16 need no memory. Where it runs
 * before this returns, as it does without memory, the bytes at `data` may be what it works on. */
void heddle_spawn(void (*function)(void*), void* data, size_t size, size_t alignment);

/* The same with one pointer that the task owns: function(object) is called, or discard(object)
 * where OpenMP's cancellation discards the task. */
void heddle_spawn_object(void (*function)(void*), void (*discard)(void*), void* object);

/* Waits until the current task's children are complete, and runs tasks meanwhile. What they did is
 * visible. A task that ends without it leaves its children behind, until heddle_run() ends. */
void heddle_sync(void);

/* The calling thread's number among all threads that the process has shown to the runtime: from 0,
 * without gaps, the same in all its regions. After a thread has ended, a later one may have it. */
int heddle_worker_number(void);

/* One more than the highest heddle_worker_number() so far. */
int heddle_worker_count(void);

/* How all waiting threads of the process spend their time: at barriers, between regions, for tasks
 * and locks. The names in brackets are those of OMP_WAIT_POLICY. */
enum heddle_wait_policies {
    HEDDLE_WAIT_ADAPTIVE = 0, /* they spin for up to 11 ms, less where that is in vain (unset) */
    HEDDLE_WAIT_ACTIVE = 1, /* they spin, and let others run only where CPUs are too few (active) */
    HEDDLE_WAIT_PASSIVE = 2, /* they sleep within 30 us (passive) */
    HEDDLE_WAIT_TIMED = 3    /* they spin as long as KMP_BLOCKTIME, GOMP_SPINCOUNT or
                                kmp_set_blocktime() say; only heddle_wait_policy() has this value */
};

/* The policy in effect. */
int heddle_wait_policy(void) HEDDLE_DOES_NOT_THROW;

/* Sets it to one of the first three, by any thread at any time, in place of what the environment
 * says: 0. Threads that wait already follow soon, those that sleep go on sleeping. With any other
 * value nothing changes: -1. */
int heddle_set_wait_policy(int policy) HEDDLE_DOES_NOT_THROW;

/* Locality domains: the NUMA nodes that the process may use, as in "An Efficient OpenMP Loop
 * Scheduler for Irregular Applications on Large-Scale NUMA Machines". docs/locality.md explains. */

/* How many domains hold threads of the calling thread's parallel region: 1 or more. Where its
 * threads are not bound, and outside regions, all that the process has; outside regions where
 * OMP_PLACES or OMP_PROC_BIND are set, those that its places are in. They are numbered from 0, in
 * the order of their lowest CPU, as the places of OMP_PLACES=numa_domains are. */
int omp_get_num_locality_domains(void) HEDDLE_DOES_NOT_THROW;

/* The number of the domain that the calling thread runs in: 0 to omp_get_num_locality_domains()-1,
 * 0 where the system does not tell. A thread that is not bound may be moved at any time. */
int omp_get_locality_domain_num(void) HEDDLE_DOES_NOT_THROW;

/* `size` bytes, rounded up to whole pages, from the first of them on: one contiguous part in each
 * of these domains, proportional to its threads (its CPUs or places, where they count all). Zeroed
 * where there are several domains. Where the system refuses to place memory, pages lie where they
 * are touched first; with one domain it is memory as malloc gives it. NULL for a size of 0 and when
 * there is no memory. */
void* omp_locality_domain_allocate_bloc1d(size_t size) HEDDLE_DOES_NOT_THROW;

/* The same in blocks of `blocsize` bytes, rounded up to whole pages: block i in domain i modulo
 * their number. With more than 4096 blocks of several pages each all pages are touched here. */
void* omp_locality_domain_allocate_bloc1dcyclic(size_t size,
                                                size_t blocsize) HEDDLE_DOES_NOT_THROW;

/* Gives back what the two above returned, on any thread; NULL is fine. With any other pointer
 * nothing happens but one line on stderr. */
void omp_locality_domain_free(void* array) HEDDLE_DOES_NOT_THROW;

/* The bytes asked for, of the array that begins at `array`; 0 for every other pointer. */
size_t omp_get_locality_domain_size(const void* array) HEDDLE_DOES_NOT_THROW;

/* The domain, by its number in the calling thread's region, that the page at `address` was meant
 * for; -1 when `address` is in no such array, or that domain holds no thread of the region. */
int omp_get_locality_domain_of_block(const void* address) HEDDLE_DOES_NOT_THROW;

/* The domain in which the system keeps the page at `address`, which may be any; -1 when nobody has
 * touched it, when the system does not tell, or the domain holds no thread of the region. With
 * several domains it is a system call; with one the answer is always that one. */
int omp_get_locality_domain_of_page(const void* address) HEDDLE_DOES_NOT_THROW;

/* Says that iteration i of a loop works on the `element_size` bytes at `first` + i * element_size,
 * of an array that omp_locality_domain_allocate_bloc1d() returned: each thread then begins with
 * iterations whose data are in its own domain. It is meant for the calling thread's next worksharing
 * construct in its region, where all threads say the same; or, said before a parallel region, for
 * the first one of that and of later regions, until something else is said. With NULL: nothing.
 * Loops with schedules adaptive, nonmonotonic dynamic, guided and auto act on it. Only a hint: any
 * thread may execute any iteration in the end. */
void heddle_loop_data(const void* first, size_t element_size) HEDDLE_DOES_NOT_THROW;

/* A kind for omp_set_schedule() and omp_get_schedule(), and OMP_SCHEDULE=adaptive,n: loops with
 * schedule(runtime) give each thread a part, from which it takes pieces of a size that fits the
 * time they need; who has nothing left takes half of another's rest. The chunk size is the least
 * number of iterations in a piece, 1 or more. */
enum heddle_schedules { heddle_sched_adaptive = 0x484401 };

/* Task affinity: hints about which thread of the region should run a task, for OpenMP's tasks and
 * spawned ones alike. A hint is used up by the next task, taskgroup or taskloop that the current
 * task encounters; a task that is undeferred or final ignores it, and no hint keeps a task from
 * running: threads that have nothing else take it in the end. docs/task-affinity.md explains all.
 * These functions return 0, or -1 where a value is out of range or HEDDLE_TASK_AFFINITY is off:
 * then there is no hint. */

/* The next task, or all tasks of the next taskloop, for thread `thread` of the region, 0 to
 * omp_get_num_threads() - 1. */
int heddle_affinity_thread(int thread) HEDDLE_DOES_NOT_THROW;

/* The same for the thread, or one of those, that the `size` bytes at `data` are near to. */
int heddle_affinity_data(const void* data, size_t size) HEDDLE_DOES_NOT_THROW;

enum heddle_affinity_kinds {
    HEDDLE_AFFINITY_CLOSE = 1,  /* the encountering thread and those that follow it */
    HEDDLE_AFFINITY_SPREAD = 2, /* all threads; each task spreads its own groups over its share */
    HEDDLE_AFFINITY_PRIMARY = 3 /* the region's primary thread */
};

/* The tasks that the current task itself creates in its next taskgroup, or that its next taskloop
 * consists of. `tasks` is how many that will be, or 0: as many as the taskloop has, and in a
 * taskgroup one for each thread. After so many it begins anew. */
int heddle_taskgroup_affinity(int kind, int tasks) HEDDLE_DOES_NOT_THROW;

/* Takes a hint back that has not been used. */
void heddle_affinity_none(void) HEDDLE_DOES_NOT_THROW;

/* Put before a pragma and its statement, `HEDDLE_HINT(heddle_affinity_thread(3))` gives the hint,
 * and takes back what the construct did not use. It is a loop of one turn. */
#define HEDDLE_HINT(hint) HEDDLE_HINT_ON(hint, __LINE__)
#define HEDDLE_HINT_ON(hint, line) HEDDLE_HINT_AT(hint, line)
#define HEDDLE_HINT_AT(hint, line) HEDDLE_HINT_BY(hint, heddle_turn_##line)
#define HEDDLE_HINT_BY(hint, turn)                                                                 \
    for (int turn = ((void)(hint), 1); turn; turn = (heddle_affinity_none(), 0))

/* May threads take tasks that others have queued, or that hints mean for others? As
 * HEDDLE_TASK_STEALING says, or the last call of the second function, by any thread at any time. */
int heddle_task_stealing(void) HEDDLE_DOES_NOT_THROW;
void heddle_set_task_stealing(int stealing) HEDDLE_DOES_NOT_THROW;

/* What follows is for heddle.hpp: enough of the runtime's data to run a task at once, without a
 * call. The 1 in heddle_thread_1 is the version of this layout: a library with another one does not
 * have that symbol, and the loader says so. */
struct heddle_frame {
    struct heddle_frame* parent; /* the task below it on the stack */
    void* children;              /* NULL until one is deferred */
    __UINTPTR_TYPE__ inherited;  /* but for HEDDLE_NOT_INHERITED, as the parent's */
};
#define HEDDLE_NOT_INHERITED 3UL /* no cast: C++ may ask for another kind (-Wold-style-cast) */

/* The calling thread's membership in its region. */
struct heddle_thread {
    struct heddle_frame* current; /* the task that is being executed */
    char* stack_limit;            /* below it tasks are deferred, not nested */
    unsigned deferring;           /* nonzero: the next task is not run at once */
    int number;                   /* omp_get_thread_num() */
    char reserved[104];
    unsigned wants_tasks; /* the same; other threads set it, so that it is read atomically */
};

/* NULL before the thread's first call of the runtime. */
extern __thread struct heddle_thread* heddle_thread_1 __attribute__((tls_model("initial-exec")));

/* heddle_thread_1's address minus the thread pointer, the same in every thread. For code that must
 * also start without this library (the task pass), and so refers to this function weakly. */
__PTRDIFF_TYPE__ heddle_thread_offset_1(void) HEDDLE_DOES_NOT_THROW;

/* A task whose `children` is not NULL has ended, and is no longer the current one. */
void heddle_leave_children(struct heddle_thread* thread,
                           struct heddle_frame* frame) HEDDLE_DOES_NOT_THROW;

#undef HEDDLE_DOES_NOT_THROW
#ifdef __cplusplus
}
#endif
#endif
