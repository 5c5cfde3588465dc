/* SPDX-License-Identifier: Apache-2.0
 * Tasks as clang compiles them, each clause at least once: dependences of all types and through
 * depend objects and iterators, detach, priority, affinity, untied; taskloops, and waiting. */
#include "check.h"

#include <stdint.h>

static int depth_of_fib(int n) {
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a) if (n > 4)
    a = depth_of_fib(n - 1);
#pragma omp task shared(b) mergeable final(n < 6)
    b = depth_of_fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void dependences(void) {
    int x = 0, order[4] = {0}, array[10] = {0}, among = 0;
#pragma omp task default(shared) depend(out : x)
    x = 1;
    for (int i = 0; i < 5; ++i) {
#pragma omp task default(shared) depend(in : x)
        expect(x == 1);
#pragma omp task default(shared) depend(mutexinoutset : among) depend(in : x)
        among = among + 1;
    }
#pragma omp task default(shared) depend(inout : x) depend(in : among) priority(3)
    {
        expect(among == 5);
        x = 2;
    }
    for (int i = 0; i < 4; ++i) {
#pragma omp task default(shared) depend(inoutset : order) firstprivate(i)
        order[i] = i + 1;
    }
#pragma omp task default(shared) depend(in : order) depend(inout : x)
    {
        expect(order[0] == 1 && order[3] == 4);
        x += 1;
    }
#pragma omp task default(shared) depend(iterator(int k = 0 : 10), out : array[k])
    for (int i = 0; i < 10; ++i)
        array[i] = i;
#pragma omp task default(shared) depend(in : array[9]) affinity(array[0 : 5])
    expect(array[9] == 9);
#pragma omp taskwait depend(in : x)
    expect(x == 3);
    omp_depend_t object;
#pragma omp depobj(object) depend(inout : x)
#pragma omp task default(shared) depend(depobj : object)
    x = 4;
#pragma omp task default(shared) depend(depobj : object) if (0)
    {
        expect(x == 4);
        x = 5;
    }
#pragma omp depobj(object) update(in)
#pragma omp task default(shared) depend(depobj : object) untied
    expect(x == 5);
#pragma omp task default(shared) depend(out : omp_all_memory)
    expect(x == 5 && among == 5);
#pragma omp taskwait
#pragma omp depobj(object) destroy
}

static void detached(void) {
    omp_event_handle_t event = (omp_event_handle_t)0;
    int fulfilled = 0, after = 0;
#pragma omp task detach(event) depend(out : fulfilled) shared(fulfilled)
    {
#pragma omp task firstprivate(event) shared(fulfilled)
        {
            fulfilled = 1;
            omp_fulfill_event(event);
        }
    }
#pragma omp task depend(in : fulfilled) shared(fulfilled, after)
    after = fulfilled;
#pragma omp taskwait
    expect(fulfilled == 1 && after == 1);
}

/* Its creator waits for the block, the taskwait for the event. */
static void detached_undeferred(void) {
    omp_event_handle_t event = (omp_event_handle_t)0;
    int ran = 0, fulfilled = 0;
#pragma omp task detach(event) if (0) shared(ran)
    ran = 1;
    expect(ran == 1);
#pragma omp task firstprivate(event) shared(fulfilled)
    {
        fulfilled = 1;
        omp_fulfill_event(event);
    }
#pragma omp taskwait
    expect(fulfilled == 1);
#pragma omp task final(1) shared(ran)
    {
        omp_event_handle_t inner;
#pragma omp task detach(inner) shared(ran)
        ran = 2;
        expect(ran == 2);
        omp_fulfill_event(inner);
#pragma omp taskwait
    }
#pragma omp taskwait
}

static void taskloops(void) {
    int counts[60] = {0}, last = 0;
#pragma omp taskloop grainsize(7) lastprivate(last) shared(counts)
    for (int i = 0; i < 60; ++i) {
        ++counts[i];
        last = i;
    }
    expect(last == 59);
#pragma omp taskloop collapse(2) num_tasks(4) shared(counts)
    for (int i = 5; i >= 0; --i)
        for (long j = 0; j < 10; ++j)
            ++counts[i * 10 + j];
#pragma omp taskloop simd grainsize(strict : 9) if (counts[0] > 100) shared(counts)
    for (unsigned i = 0; i < 60; ++i)
        ++counts[i];
#pragma omp taskloop nogroup untied priority(1) shared(counts)
    for (int i = 0; i < 60; i += 1) {
#pragma omp atomic
        ++counts[i];
    }
#pragma omp taskloop final(1) shared(counts)
    for (int i = 60; i < 60; ++i)
        counts[0] = -1000;
#pragma omp taskwait
    for (int i = 0; i < 60; ++i)
        expect(counts[i] == 4);
}

/* Without variables of their own, which clang 19 does not always get through. */
static void untied(void) {
    int parts = 0, values[10] = {0};
    for (int i = 0; i < 10; ++i) {
#pragma omp task untied firstprivate(i) shared(parts, values)
        {
#pragma omp task shared(values)
            values[i] = i + 1;
#pragma omp taskyield
#pragma omp taskwait
            expect(values[i] == i + 1);
#pragma omp task shared(values)
            values[i] += 1;
#pragma omp taskwait
            expect(values[i] == i + 2);
#pragma omp atomic
            ++parts;
        }
    }
#pragma omp taskwait
    expect(parts == 10);
}

struct line {
    _Alignas(64) int values[16];
};

static int lies_right(struct line* line) {
    void* hidden = line;
    __asm__("" : "+r"(hidden)); /* the compiler believes the type */
    return (uintptr_t)hidden % 64 == 0 && ((struct line*)hidden)->values[15] == 7;
}

/* Copies of a variable with the alignment of a cache line, in tasks of small and of large blocks.
 */
static void aligned(void) {
    struct line line = {.values = {[15] = 7}}, more[20];
    for (int i = 0; i < 20; ++i)
        more[i] = line;
    for (int i = 0; i < 10; ++i) {
#pragma omp task firstprivate(line)
        expect(lies_right(&line));
#pragma omp task firstprivate(line, more) if (i % 3)
        expect(lies_right(&line) && lies_right(&more[19]));
    }
#pragma omp taskloop firstprivate(line) grainsize(1)
    for (int i = 0; i < 10; ++i)
        expect(lies_right(&line));
#pragma omp taskwait
}

/* With master: for masked taskloop clang 19 generates nothing. */
static void combined(int size) {
    int sum = 0;
#pragma omp parallel master taskloop num_threads(size) num_tasks(5) reduction(+ : sum)
    for (int i = 0; i < 20; ++i)
        sum += i;
    expect(sum == 190);
#pragma omp parallel master taskloop simd num_threads(size) reduction(+ : sum)
    for (int i = 0; i < 20; ++i)
        sum += i;
    expect(sum == 380);
#pragma omp parallel num_threads(size)
    {
#pragma omp master taskloop shared(sum)
        for (int i = 0; i < 20; ++i) {
#pragma omp atomic
            ++sum;
        }
#pragma omp barrier
        expect(sum == 400);
    }
}

int main(void) {
    FOR_TEAM_SIZES(size) {
#pragma omp parallel num_threads(size)
        {
#pragma omp single
            {
                expect(depth_of_fib(14) == 377);
                dependences();
                detached();
                detached_undeferred();
                taskloops();
                untied();
                aligned();
            }
            dependences();
            taskloops();
            untied();
            aligned();
        }
        combined(size);
    }
    dependences(); /* outside of any region */
    detached();
    detached_undeferred();
    taskloops();
    untied();
    aligned();
    return failures != 0;
}
