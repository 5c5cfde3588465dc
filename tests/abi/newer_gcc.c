/* SPDX-License-Identifier: Apache-2.0
 * Calls the entry points of gcc 13 to 17 as code of these compilers does, and checks what they
 * answer. Declared by hand: the compiler that builds this test may know none of them.
 * Started by test_newer_gcc.py with OMP_NUM_THREADS set; exits with 0 when all is well. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* gcc 17: static loops. The real part is the number of threads or teams, the imaginary part the
 * number of the calling one. */
_Complex int GOMP_loop_static_worksharing(unsigned long long iterations);
_Complex int GOMP_loop_static_worksharing_start(unsigned long long iterations);
void GOMP_loop_static_worksharing_dispatch(unsigned long long start, unsigned long long iterations);
void GOMP_loop_static_worksharing_end(void);
_Complex int GOMP_distribute_static_worksharing(unsigned long long iterations);
_Complex int GOMP_distribute_static_worksharing_start(unsigned long long iterations);
void GOMP_distribute_static_worksharing_dispatch(unsigned long long start,
                                                 unsigned long long iterations);
void GOMP_distribute_static_worksharing_end(void);
/* gcc 17: ends of constructs. */
bool GOMP_has_masked_thread_num(int filter);
void GOMP_masked_end(void);
bool GOMP_single_start_with_end(void);
void GOMP_single_end(void);
void GOMP_barrier_ext(int kind);
bool GOMP_barrier_cancel_ext(int kind);
void GOMP_reduction_start(void);
void GOMP_reduction_end(void);
/* gcc 14: allocators construct in Fortran, declare target indirect. */
void GOMP_add_alloc(void *block);
bool GOMP_is_alloc(void *block);
void *GOMP_target_map_indirect_ptr(void *pointer);
/* gcc 13. */
void GOMP_taskwait_depend_nowait(void **depend);
/* gcc 15: the interop construct. */
void GOMP_interop(int device, int inits, void ***init, const int *targetsync,
                  const char **preferences, int uses, void **use, int destroys, void ***destroy,
                  unsigned flags, void **depend);
const char *omp_get_interop_rc_desc(const void *object, int code);
int omp_in_explicit_task(void);
/* As gcc 16 means them: omp_initial_device is -1, omp_invalid_device -4, omp_default_device -5. */
void omp_set_default_device(int device);
int omp_get_default_device(void);
int omp_target_is_present(const void *pointer, int device);
int omp_target_is_accessible(const void *pointer, size_t size, int device);
const char *omp_get_uid_from_device(int device);
int omp_get_thread_num(void);
int omp_get_num_threads(void);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { iterations = 1003, rounds = 200 };

/* A static loop without a chunk as gcc 17 expands it: every iteration once, in one block a thread. */
static void static_loop(int *hits, bool told) {
    const _Complex int who = told ? GOMP_loop_static_worksharing_start(iterations)
                                  : GOMP_loop_static_worksharing(iterations);
    const int threads = __real__ who, thread = __imag__ who;
    CHECK(threads == omp_get_num_threads());
    CHECK(thread == omp_get_thread_num());
    const int share = iterations / threads, more = iterations % threads;
    const int begin = thread * share + (thread < more ? thread : more);
    const int end = begin + share + (thread < more ? 1 : 0);
    if (told)
        GOMP_loop_static_worksharing_dispatch(begin, end - begin);
    for (int i = begin; i < end; i++)
        hits[i]++;
    if (told)
        GOMP_loop_static_worksharing_end();
    GOMP_barrier_ext(1);
}

static void worksharing(void) {
    static int hits[iterations];
    long sum = 0;
    int singles = 0, masked = 0;
#pragma omp parallel
    {
        for (int round = 0; round < rounds; round++) {
            static_loop(hits, round % 2);
            CHECK(hits[iterations - 1] == round + 1); /* the barrier has let everybody finish */
            CHECK(!GOMP_barrier_cancel_ext(2));
            if (GOMP_single_start_with_end()) {
                singles++; /* the barrier below orders one round's executor before the next */
                GOMP_single_end();
            }
            GOMP_barrier_ext(2);
            if (GOMP_has_masked_thread_num(omp_get_num_threads() - 1)) {
                masked++;
                GOMP_masked_end();
            }
            GOMP_reduction_start();
            sum += round;
            GOMP_reduction_end();
        }
        CHECK(!GOMP_has_masked_thread_num(-1));
        CHECK(!GOMP_has_masked_thread_num(omp_get_num_threads()));
    }
    int threads = 0;
#pragma omp parallel
#pragma omp single
    threads = omp_get_num_threads();
    for (int i = 0; i < iterations; i++)
        CHECK(hits[i] == rounds);
    CHECK(singles == rounds);
    CHECK(masked == rounds);
    CHECK(sum == (long)threads * rounds * (rounds - 1) / 2);
}

/* Outside any region there is one thread and one team. */
static void orphaned(void) {
    _Complex int who = GOMP_loop_static_worksharing(10);
    CHECK(__real__ who == 1 && __imag__ who == 0);
    who = GOMP_distribute_static_worksharing(10);
    CHECK(__real__ who == 1 && __imag__ who == 0);
    who = GOMP_distribute_static_worksharing_start(10);
    CHECK(__real__ who == 1 && __imag__ who == 0);
    GOMP_distribute_static_worksharing_dispatch(0, 10);
    GOMP_distribute_static_worksharing_end();
    GOMP_barrier_ext(0);
    CHECK(GOMP_has_masked_thread_num(0) && !GOMP_has_masked_thread_num(1));
    CHECK(GOMP_single_start_with_end());
    GOMP_single_end();
}

/* A league whose teams share the iterations. */
static void distribute(void) {
    static int hits[iterations];
#pragma omp teams num_teams(4)
    {
        const _Complex int who = GOMP_distribute_static_worksharing(iterations);
        const int teams = __real__ who, team = __imag__ who;
        CHECK(team >= 0 && team < teams && teams <= 4);
        for (int i = team; i < iterations; i += teams)
            __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
    }
    for (int i = 0; i < iterations; i++)
        CHECK(hits[i] == 1);
}

/* Allocatables are found once each, whichever thread added them. */
static void allocation_registry(void) {
    enum { blocks = 10000 };
    static char memory[blocks * 16];
    int found = 0;
    GOMP_add_alloc(NULL);
    CHECK(!GOMP_is_alloc(NULL));
    CHECK(!GOMP_is_alloc(memory));
#pragma omp parallel reduction(+ : found)
    {
#pragma omp for
        for (int i = 0; i < blocks; i++)
            GOMP_add_alloc(memory + 16 * i);
        /* The other way round: most blocks are taken by another thread than the one above. */
#pragma omp for schedule(static)
        for (int i = 0; i < blocks; i++)
            found += GOMP_is_alloc(memory + 16 * (blocks - 1 - i));
    }
    CHECK(found == blocks);
    for (int i = 0; i < blocks; i++)
        CHECK(!GOMP_is_alloc(memory + 16 * i));
    GOMP_add_alloc(memory);
    CHECK(GOMP_is_alloc(memory) && !GOMP_is_alloc(memory));
}

static void explicit_tasks(void) {
    CHECK(!omp_in_explicit_task());
    int deferred = 0, undeferred = 0, implicit = 0, after = 0, threads = 0;
#pragma omp parallel reduction(+ : implicit, after)
    {
        implicit += omp_in_explicit_task();
#pragma omp single
        {
            threads = omp_get_num_threads();
#pragma omp task shared(deferred)
#pragma omp atomic write
            deferred = omp_in_explicit_task();
#pragma omp task if (0) shared(undeferred)
            undeferred = omp_in_explicit_task();
        }
        after += !omp_in_explicit_task();
    }
    CHECK(deferred && undeferred && implicit == 0 && after == threads);
#pragma omp task if (0) shared(undeferred)
    undeferred = 2 * omp_in_explicit_task();
    CHECK(undeferred == 2);
}

/* `taskwait depend(out: x) nowait`: an empty task between the writer and the reader. */
static void empty_task_with_dependences(void) {
    int x = 0, seen = -1;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x) shared(x)
        x = 1;
        void *depend[] = {(void *)(uintptr_t)1, (void *)(uintptr_t)1, &x};
        GOMP_taskwait_depend_nowait(depend);
#pragma omp task depend(in : x) shared(x, seen)
        seen = x;
    }
    CHECK(seen == 1);
}

static void indirect_call(void) {
    CHECK(GOMP_target_map_indirect_ptr((void *)(uintptr_t)&indirect_call) ==
          (void *)(uintptr_t)&indirect_call);
    CHECK(GOMP_target_map_indirect_ptr(NULL) == NULL);
}

/* The host gives no object: what is initialized or destroyed is omp_interop_none afterwards, and the
 * construct has waited for what it depends on. */
static void interop(void) {
    int value = 0;
#pragma omp parallel
#pragma omp single
    {
        void *made = &value, *used = NULL, *ended = &value;
        void **inits[] = {&made}, **destroys[] = {&ended};
        const int targetsync[] = {1};
        void *depend[] = {(void *)1, (void *)1, &value};
#pragma omp task depend(out : value) shared(value)
        value = 1;
        GOMP_interop(0, 1, inits, targetsync, NULL, 1, &used, 1, destroys, 0, depend);
        CHECK(value == 1);
        CHECK(made == NULL && used == NULL && ended == NULL);
    }
    for (int code = -7; code <= 2; code++) /* -6, omp_irc_other, is what no routine answers */
        CHECK((omp_get_interop_rc_desc(NULL, code) != NULL) == (code >= -5 && code <= 1));
}

static void device_numbers(void) {
    int thing;
    for (int device = -1; device <= 3; device++) {
        omp_set_default_device(device);
        omp_set_default_device(-5); /* changes nothing */
        CHECK(omp_get_default_device() == device);
        CHECK(omp_get_uid_from_device(-5) == omp_get_uid_from_device(device));
        CHECK(omp_target_is_present(&thing, -5) == (device <= 0));
        CHECK(omp_target_is_accessible(&thing, sizeof thing, -5) == (device <= 0));
    }
    omp_set_default_device(-4);
    CHECK(omp_get_default_device() == -4 && !omp_target_is_present(&thing, -5));
    omp_set_default_device(0);
    CHECK(!omp_target_is_present(NULL, 0) && !omp_target_is_accessible(NULL, 1, 0));
    CHECK(!omp_target_is_accessible(&thing, 0, 0));
}

int main(void) {
    interop();
    device_numbers();
    orphaned();
    worksharing();
    distribute();
    allocation_registry();
    explicit_tasks();
    empty_task_with_dependences();
    indirect_call();
    return 0;
}
