/* SPDX-License-Identifier: Apache-2.0
 * Every form of the affinity clauses, in C and C++: without stealing, tasks run where it says. */
#include "check.h"

#define LAST (THREADS - 1)

static void threads(void) {
    int ran[20], array[20] = {0}, turns = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
        for (int i = 0; i < 16; i++)
            if (i % 4 == 0)
#pragma omp task affinity(thread: i / 4), shared(ran)
                ran[i] = omp_get_thread_num();
            else if (i % 4 == 1) {
#pragma omp task untied /* a comment */ affinity(thread \
    : (i + 2) % THREADS) \
    priority(i) shared(ran)
                ran[i] = omp_get_thread_num();
            } else if (i % 4 == 2)
#pragma omp task shared(ran, turns) depend(inout : turns) affinity( thread : LAST )
                ran[i] = omp_get_thread_num() + 0 * ++turns;
            else
#pragma omp task shared(ran, array) affinity(array[i], ran[0:2]) affinity(thread: 1)
                ran[i] = omp_get_thread_num() + 0 * ++array[i];
        for (int i = 16; i < 20; i++)
#pragma omp task if (i % 2), shared(ran), affinity(thread: 2)
            ran[i] = omp_get_thread_num();
        /* The undeferred one before it has not left its hint behind. */
        expect(ran[18] == omp_get_thread_num());
    }
    for (int i = 0; i < 16; i++)
        expect(ran[i] == (i % 4 == 0   ? i / 4
                          : i % 4 == 1 ? (i + 2) % THREADS
                          : i % 4 == 2 ? LAST
                                       : 1));
    expect(ran[17] == 2 && ran[19] == 2);
    expect(turns == 4);
}

static void groups(void) {
    for (int kind = 0; kind < 4; kind++) {
        int ran[8], own = -1, elsewhere = 0, awaited = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
        {
            own = omp_get_thread_num();
            if (kind == 0) {
#pragma omp taskgroup affinity(spread: 8)
                {
                    for (int i = 0; i < 8; i++)
#pragma omp task shared(ran, elsewhere)
                    {
                        ran[i] = omp_get_thread_num();
                        count(&elsewhere);
                    }
                    awaited = 6; /* all but those that wait for this thread */
                    await(&elsewhere, awaited);
                }
            } else if (kind == 1) {
#pragma omp taskgroup affinity(close)
                {
                    for (int i = 0; i < 8; i++)
#pragma omp task shared(ran, elsewhere)
                    {
                        ran[i] = omp_get_thread_num();
                        count(&elsewhere);
                    }
                    await(&elsewhere, 6);
                }
            } else {
#pragma omp taskgroup affinity(primary)
                {
                    for (int i = 0; i < 8; i++)
#pragma omp task shared(ran, elsewhere)
                    {
                        ran[i] = omp_get_thread_num();
                        count(&elsewhere);
                    }
                    await(&elsewhere, own == 0 ? 0 : 8);
                }
            }
        }
        for (int i = 0; i < 8; i++)
            expect(ran[i] == (kind == 0   ? i / 2
                              : kind == 1 ? (own + i) % THREADS
                                          : 0));
    }
}

static void loops(void) {
    int ran[40], own = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
        own = omp_get_thread_num();
#pragma omp taskloop num_tasks(8) nogroup affinity(spread) shared(ran)
        for (int i = 0; i < 8; i++)
            ran[i] = omp_get_thread_num();
#pragma omp taskloop num_tasks(8) nogroup affinity(close: 4) shared(ran)
        for (int i = 8; i < 16; i++)
            ran[i] = omp_get_thread_num();
#pragma omp taskloop simd num_tasks(8) nogroup affinity(master) shared(ran)
        for (int i = 16; i < 24; i++)
            ran[i] = omp_get_thread_num();
#pragma omp taskloop num_tasks(8) nogroup affinity(thread: THREADS - 1) shared(ran)
        for (int i = 24; i < 32; i++)
            ran[i] = omp_get_thread_num();
    }
#pragma omp parallel num_threads(THREADS)
#pragma omp master taskloop num_tasks(8) nogroup affinity(thread: 2) shared(ran)
    for (int i = 32; i < 40; i++)
        ran[i] = omp_get_thread_num();
    for (int i = 0; i < 8; i++) {
        expect(ran[i] == i / 2);
        expect(ran[8 + i] == (own + i) % THREADS);
        expect(ran[16 + i] == 0);
        expect(ran[24 + i] == THREADS - 1);
        expect(ran[32 + i] == 2);
    }
}

/* Who has run a task with the location gets the next one: the location of each form is the first
 * element that it names. `form` creates a task on one thread, then data: on another. */
static void locations(void) {
    static double array[8][64], rows[8][8][8];
    static struct {
        int head, tail[4];
    } object[8];
    double* pointer = array[0];
    int n = 8;
    for (int form = 0; form < 8; form++) {
        int first = -1, second = -1;
        pointer = array[form];
#pragma omp parallel num_threads(THREADS)
        if (omp_get_thread_num() == 1) {
            if (form == 0)
#pragma omp task affinity(array[form]) shared(first)
                first = omp_get_thread_num();
            else if (form == 1)
#pragma omp task affinity(array[form][0:n]) shared(first)
                first = omp_get_thread_num();
            else if (form == 2)
#pragma omp task affinity(pointer[:n], n) shared(first)
                first = omp_get_thread_num();
            else if (form == 3)
#pragma omp task affinity(iterator(i = 0:n): array[form][i]) shared(first)
                first = omp_get_thread_num();
            else if (form == 4)
#pragma omp task affinity(data: rows[form][2:3][1:2], n) shared(first)
                first = omp_get_thread_num();
            else if (form == 5)
#pragma omp task affinity(data: object[form].tail[1:]) shared(first)
                first = omp_get_thread_num();
            else if (form == 6)
#pragma omp task affinity(iterator(long i = 4:n:2, int j = 1:2): array[form][i - j]) shared(first)
                first = omp_get_thread_num();
            else
#pragma omp task affinity(data: *pointer) shared(first)
                first = omp_get_thread_num();
        }
        void* places[] = {array[0],    array[1],           array[2], array[3],
                          rows[4][2] + 1, object[5].tail + 1, array[6] + 3, array[7]};
        const char* place = (const char*)places[form];
#pragma omp parallel num_threads(THREADS)
        if (omp_get_thread_num() == 3) {
#pragma omp task affinity(data: *place) shared(second)
            second = omp_get_thread_num();
        }
        expect(first == 1 && second == 1);
    }
}

int main(void) {
    heddle_set_task_stealing(0);
    threads();
    groups();
    loops();
    locations();
    return failures != 0;
}
