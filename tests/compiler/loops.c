/* SPDX-License-Identifier: Apache-2.0
 * schedule(adaptive) on every loop construct: each thread begins with its own block of the loop, which
 * no schedule with a shared counter does, and pieces are of whole chunks. */
#include "check.h"

enum { COUNT = 400, CHUNK = 10 };

static int first[THREADS], begun, owner[COUNT];

static void begin(void) {
    begun = 0;
    for (int t = 0; t < THREADS; t++)
        first[t] = -1;
    for (int i = 0; i < COUNT; i++)
        owner[i] = -1;
}

/* Nobody has a second iteration before all have had one. */
static void visit(int i) {
    const int own = omp_get_thread_num();
    if (first[own] < 0) {
        first[own] = i;
        count(&begun);
        await(&begun, THREADS);
    }
    expect(owner[i] == -1);
    owner[i] = own;
}

static void check(int chunk) {
    for (int t = 0; t < THREADS; t++)
        expect(first[t] == t * COUNT / THREADS);
    for (int i = 0; i < COUNT; i++)
        expect(owner[i] >= 0 && owner[i] == owner[i - i % chunk]);
}

int main(void) {
    int sum = 0, last = -1, chunk = CHUNK;

    begin();
#pragma omp parallel num_threads(THREADS)
#pragma omp for schedule(adaptive)
    for (int i = 0; i < COUNT; i++)
        visit(i);
    check(1);

    begin();
#pragma omp parallel for schedule(adaptive, chunk) num_threads(THREADS) lastprivate(last)
    for (int i = 0; i < COUNT; i++) {
        visit(i);
        last = i;
    }
    check(CHUNK);
    expect(last == COUNT - 1);

    begin();
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for schedule(nonmonotonic : adaptive, 2 * 5) collapse(2) reduction(+ : sum) nowait
        for (int i = 0; i < COUNT / 20; i++)
            for (int j = 0; j < 20; j++) {
                visit(i * 20 + j);
                sum += j;
            }
    }
    check(CHUNK);
    expect(sum == COUNT / 20 * 190);

#pragma omp parallel for simd schedule(simd : adaptive, 4) num_threads(THREADS) reduction(+ : sum)
    for (int i = 0; i < COUNT; i++)
        sum += i;
    expect(sum == COUNT / 20 * 190 + COUNT * (COUNT - 1) / 2);

    /* In order the pieces come from a counter, as they must. */
    sum = 0;
#pragma omp parallel for ordered schedule(adaptive, CHUNK) num_threads(THREADS)
    for (int i = 0; i < COUNT; i++)
#pragma omp ordered
    {
        expect(sum == i);
        sum++;
    }
    expect(sum == COUNT);
    return failures != 0;
}
