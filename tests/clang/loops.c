/* SPDX-License-Identifier: Apache-2.0
 * Worksharing loops as clang compiles them: each schedule with bounds of each kind, up to those
 * where the type of the loop variable ends; lastprivate, linear, ordered, doacross, nowait. */
#include "check.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

enum { most = 1000 };
static int seen[most];

static void clear(void) { memset(seen, 0, sizeof seen); }

static void mark(uint64_t index) {
    expect(index < most);
    if (index >= most)
        return;
#pragma omp atomic
    ++seen[index];
}

static int each_once(int count) {
    for (int i = 0; i < most; ++i)
        if (seen[i] != (i < count))
            return 0;
    return 1;
}

/* clang counts wrongly where bounds are less than a step away from the type's end. */
static uint64_t index_of(uint64_t distance, int64_t step) {
    return step < 0 ? (0 - distance) / (0 - (uint64_t)step) : distance / (uint64_t)step;
}

/* One loop with one schedule: every iteration once, the last one gives the lastprivate value. */
#define ONE(TYPE, FROM, COMPARE, TO, STEP, COUNT, LAST, ...)                                       \
    {                                                                                              \
        clear();                                                                                   \
        TYPE last = 0, var;                                                                        \
        _Pragma("omp parallel num_threads(size)") {                                                \
            DO_PRAGMA(omp for lastprivate(last) lastprivate(var) __VA_ARGS__)                      \
            for (var = (TYPE)(FROM); var COMPARE(TYPE)(TO); var += (STEP)) {                       \
                mark(index_of((uint64_t)var - (uint64_t)(TYPE)(FROM), (int64_t)(STEP)));           \
                last = var;                                                                        \
            }                                                                                      \
        }                                                                                          \
        expect(each_once(COUNT));                                                                  \
        expect((COUNT) == 0 || last == (TYPE)(LAST));                                              \
        expect((COUNT) == 0 || var == (TYPE)((uint64_t)(TYPE)(LAST) + (uint64_t)(STEP)));          \
    }
#define DO_PRAGMA(...) _Pragma(#__VA_ARGS__)

#define EACH_SCHEDULE(...)                                                                         \
    ONE(__VA_ARGS__, schedule(static))                                                             \
    ONE(__VA_ARGS__, schedule(static, 1))                                                          \
    ONE(__VA_ARGS__, schedule(static, 3))                                                          \
    ONE(__VA_ARGS__, schedule(static, 1000000007))                                                 \
    ONE(__VA_ARGS__, schedule(dynamic))                                                            \
    ONE(__VA_ARGS__, schedule(dynamic, 7))                                                         \
    ONE(__VA_ARGS__, schedule(dynamic, 2147483647))                                                \
    ONE(__VA_ARGS__, schedule(guided))                                                             \
    ONE(__VA_ARGS__, schedule(guided, 5))                                                          \
    ONE(__VA_ARGS__, schedule(monotonic : dynamic, 2))                                             \
    ONE(__VA_ARGS__, schedule(monotonic : guided, 2))                                              \
    ONE(__VA_ARGS__, schedule(nonmonotonic : guided, 2))                                           \
    ONE(__VA_ARGS__, schedule(nonmonotonic : dynamic, 2))                                          \
    ONE(__VA_ARGS__, schedule(auto))                                                               \
    ONE(__VA_ARGS__, schedule(runtime))                                                            \
    ONE(__VA_ARGS__, ordered)                                                                      \
    ONE(__VA_ARGS__, ordered schedule(static, 2))                                                  \
    ONE(__VA_ARGS__, ordered schedule(dynamic, 2))                                                 \
    ONE(__VA_ARGS__, ordered schedule(guided))

#define BOUNDS(NAME, ...)                                                                          \
    static void NAME(int size) { EACH_SCHEDULE(__VA_ARGS__) }

BOUNDS(signed_up, int, -50, <, 51, 1, 101, 50)
BOUNDS(signed_down, int, 70, >, -31, -1, 101, -30)
BOUNDS(signed_steps, int, -50, <=, 51, 7, 15, 48)
BOUNDS(one_iteration, int, 5, <, 6, 1, 1, 5)
BOUNDS(no_iteration, int, 6, <, 6, 1, 0, 0)
BOUNDS(signed_at_start, int, INT_MIN, <, INT_MIN + 37, 1, 37, INT_MIN + 36)
BOUNDS(signed_at_end, int, INT_MAX - 37, <, INT_MAX, 1, 37, INT_MAX - 1)
BOUNDS(signed_far, int, INT_MIN, <, INT_MAX - (1 << 24), 1 << 24, 255, INT_MIN + 254L * (1 << 24))
BOUNDS(signed_far_down, int, INT_MAX, >, INT_MIN + (1 << 24), -(1 << 24), 255,
       INT_MAX - 254L * (1 << 24))
BOUNDS(unsigned_at_end, unsigned, UINT_MAX - 40, <, UINT_MAX, 1, 40, UINT_MAX - 1)
BOUNDS(unsigned_far, unsigned, 0, <, UINT_MAX - (1u << 24), 1u << 24, 255, 254u << 24)
BOUNDS(unsigned_down, unsigned, 100, >, 0, -1, 100, 1)
BOUNDS(long_at_start, long, LONG_MIN, <, LONG_MIN + 37, 1, 37, LONG_MIN + 36)
BOUNDS(long_at_end, long, LONG_MAX - 37, <, LONG_MAX, 1, 37, LONG_MAX - 1)
BOUNDS(long_far, long, LONG_MIN, <, LONG_MAX - (1L << 56), 1L << 56, 255, LONG_MIN + (254ul << 56))
BOUNDS(long_far_down, long, LONG_MAX, >, LONG_MIN + (1L << 56), -(1L << 56), 255,
       LONG_MAX - (254ul << 56))
BOUNDS(unsigned_long_far, unsigned long, 0, <, ULONG_MAX - (1ul << 56), 1ul << 56, 255, 254ul << 56)
BOUNDS(narrow, signed char, -100, <, 100, 1, 200, 99)
BOUNDS(narrow_unsigned, unsigned short, 65000, <, 65500, 1, 500, 65499)

/* What is ordered happens in the loop's order, one at a time. */
static void ordered(int size) {
    int next = 0, count = 0;
#pragma omp parallel num_threads(size)
    {
#define ORDERED(...)                                                                               \
    DO_PRAGMA(omp barrier)                                                                         \
    DO_PRAGMA(omp single)                                                                          \
    next = count = 0;                                                                              \
    DO_PRAGMA(omp for ordered __VA_ARGS__)                                                         \
    for (int i = 0; i < 100; ++i) {                                                                \
        if (i % 3) {                                                                               \
            DO_PRAGMA(omp ordered) {                                                               \
                expect(next <= i);                                                                 \
                next = i + 1;                                                                      \
                ++count;                                                                           \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    expect(next == 99 && count == 66);
        ORDERED(schedule(static))
        ORDERED(schedule(static, 1))
        ORDERED(schedule(static, 4))
        ORDERED(schedule(dynamic))
        ORDERED(schedule(dynamic, 4))
        ORDERED(schedule(guided))
        ORDERED(schedule(runtime))
        ORDERED(schedule(auto))
    }
    /* Those who are done go on to the next loop, in which others' turns are still to come. */
    int positions[20] = {0};
#pragma omp parallel num_threads(size)
    for (int loop = 0; loop < 20; ++loop) {
#pragma omp for ordered schedule(dynamic) nowait
        for (int i = 0; i < 30; ++i) {
#pragma omp ordered
            {
                expect(positions[loop] == i);
                ++positions[loop];
            }
        }
    }
    for (int loop = 0; loop < 20; ++loop)
        expect(positions[loop] == 30);
}

/* Some threads are a hundred loops ahead of others, of every kind. */
static void run_ahead(int size) {
    enum { loops = 150, iterations = 13 };
    static int counts[loops][iterations];
    memset(counts, 0, sizeof counts);
    int late = size > 1;
#pragma omp parallel num_threads(size)
    {
        const int number = omp_get_thread_num();
        for (int loop = 0; loop < loops; ++loop) {
#define AHEAD(...)                                                                                 \
    DO_PRAGMA(omp for nowait __VA_ARGS__)                                                          \
    for (int i = 0; i < iterations; ++i) {                                                         \
        DO_PRAGMA(omp atomic)                                                                      \
        ++counts[loop][i];                                                                         \
    }
            if (number == 0 && loop == 0) /* static loops wait for nobody, nor do the other ones */
                while (__atomic_load_n(&late, __ATOMIC_ACQUIRE))
                    ;
            switch (loop % 6) {
            case 0:
                AHEAD(schedule(dynamic))
                break;
            case 1:
                AHEAD(schedule(guided))
                break;
            case 2:
                AHEAD(schedule(static, 2))
                break;
            case 3:
                AHEAD(schedule(monotonic : dynamic, 3))
                break;
            case 4:
                AHEAD(schedule(runtime))
                break;
            case 5:
#pragma omp single nowait
                for (int i = 0; i < iterations; ++i)
                    counts[loop][i] = 1;
                break;
            }
        }
        if (number == size - 1)
            __atomic_store_n(&late, 0, __ATOMIC_RELEASE);
    }
    for (int loop = 0; loop < loops; ++loop)
        for (int i = 0; i < iterations; ++i)
            expect(counts[loop][i] == 1);
}

enum { rows = 12, columns = 9 };
static int table[rows + 1][columns + 2];

/* What the loops below are to compute, without any directive. */
static long in_a_grid(void) {
    int expected[rows + 1][columns + 2] = {{0}};
    long sum = 0;
    for (int i = rows; i >= 1; --i) {
        for (int j = 1; j <= columns; ++j)
            expected[i - 1][j] = (i == rows ? 0 : expected[i][j]) + expected[i - 1][j - 1] + 1;
        sum += expected[i - 1][columns];
    }
    return sum;
}

static void doacross(int size) {
    static int chain[200];
#define CHAIN(...)                                                                                 \
    memset(chain, 0, sizeof chain);                                                                \
    DO_PRAGMA(omp parallel for num_threads(size) ordered(1) __VA_ARGS__)                           \
    for (int i = 1; i < 200; ++i) {                                                                \
        DO_PRAGMA(omp ordered depend(sink : i - 1) depend(sink : i - 3))                           \
        chain[i] = chain[i - 1] + 1;                                                               \
        DO_PRAGMA(omp ordered depend(source))                                                      \
    }                                                                                              \
    expect(chain[199] == 199);
    CHAIN(schedule(static))
    CHAIN(schedule(static, 1))
    CHAIN(schedule(dynamic))
    CHAIN(schedule(dynamic, 3))
    CHAIN(schedule(guided))
    CHAIN(schedule(runtime))
#define GRID(...)                                                                                  \
    memset(table, 0, sizeof table);                                                                \
    DO_PRAGMA(omp parallel for num_threads(size) ordered(2) __VA_ARGS__)                           \
    for (int i = rows; i >= 1; --i)                                                                \
        for (long j = 1; j <= columns; ++j) {                                                      \
            DO_PRAGMA(omp ordered depend(sink : i + 1, j) depend(sink : i, j - 1)                  \
                          depend(sink : i + 1, j + 1))                                             \
            const int above = i == rows ? 0 : table[i][j];                                         \
            table[i - 1][j] = above + table[i - 1][j - 1] + 1;                                     \
            DO_PRAGMA(omp ordered depend(source))                                                  \
        }                                                                                          \
    {                                                                                              \
        long sum = 0;                                                                              \
        for (int i = 0; i < rows; ++i)                                                             \
            sum += table[i][columns];                                                              \
        expect(sum == in_a_grid());                                                                \
    }
    GRID(schedule(static))
    GRID(schedule(static, 1))
    GRID(schedule(dynamic))
    GRID(collapse(2) schedule(dynamic))
    GRID(collapse(2) schedule(static))
#pragma omp parallel num_threads(size)
    for (int loop = 0; loop < 20; ++loop) {
#pragma omp for ordered(1) schedule(dynamic) nowait
        for (int i = 0; i < 20; i += 2) {
#pragma omp ordered depend(sink : i - 2)
#pragma omp ordered depend(source)
        }
    }
}

static void clauses(int size) {
    int n = 100, x = 5, last = 0, values[100];
#pragma omp parallel for num_threads(size) linear(x : 3) lastprivate(last) schedule(dynamic, 4)
    for (int i = 0; i < n; ++i) {
        values[i] = x;
        x += 3;
        last = i;
    }
    for (int i = 0; i < n; ++i)
        expect(values[i] == 5 + 3 * i);
    expect(x == 5 + 300 && last == 99);
    int one = 0, two = 0;
    long sum = 0;
#pragma omp parallel for num_threads(size) collapse(3) lastprivate(one, two) reduction(+ : sum)    \
    schedule(dynamic, 3)
    for (int i = 0; i < 5; ++i)
        for (long j = 10; j > 3; j -= 2)
            for (unsigned char k = 0; k < 6; k += 5) {
                one = i;
                two = (int)j;
                sum += i + j + k;
            }
    expect(one == 4 && two == 4 && sum == 5 * 4 * 2 * 2 + 10 * 28 + 100);
    int triangle = 0;
#pragma omp parallel for num_threads(size) collapse(2) reduction(+ : triangle) schedule(dynamic)
    for (int i = 0; i < 20; ++i)
        for (int j = i; j < 20; ++j)
            triangle += 1;
    expect(triangle == 210);
    triangle = 0;
#pragma omp parallel for simd num_threads(size) schedule(simd : static, 5) reduction(+ : triangle)
    for (int i = 0; i < 103; ++i)
        triangle += i;
    expect(triangle == 103 * 51);
    triangle = 0;
#pragma omp parallel for simd num_threads(size) schedule(simd : dynamic, 5)                        \
    reduction(+ : triangle) safelen(8) simdlen(8)
    for (int i = 0; i < 103; ++i)
        triangle += i;
    expect(triangle == 103 * 51);
    triangle = 0;
#pragma omp parallel for simd num_threads(size) schedule(simd, nonmonotonic : runtime)             \
    reduction(+ : triangle)
    for (int i = 0; i < 103; ++i)
        triangle += i;
    expect(triangle == 103 * 51);
    int kept;
#pragma omp parallel num_threads(size)
    {
#pragma omp loop bind(parallel) lastprivate(kept)
        for (kept = 0; kept < 50; ++kept)
            values[kept] = kept;
    }
#pragma omp parallel loop num_threads(size) reduction(+ : triangle) collapse(2)
    for (int i = 0; i < 10; ++i)
        for (int j = 0; j < 10; ++j)
            triangle += i * j;
    expect(values[49] == 49 && triangle == 103 * 51 + 45 * 45);
}

/* Nests without an iteration: clang asks for one less than none. */
#define EMPTY_NESTS(...)                                                                           \
    clear();                                                                                       \
    DO_PRAGMA(omp parallel for num_threads(size) collapse(2) __VA_ARGS__)                          \
    for (size_t i = 0; i < one; ++i)                                                               \
        for (size_t j = i + 1; j < one; ++j)                                                       \
            mark(0);                                                                               \
    DO_PRAGMA(omp parallel for num_threads(size) collapse(2) __VA_ARGS__)                          \
    for (long i = 0; i < (long)one; ++i)                                                           \
        for (long j = 0; j < i; ++j)                                                               \
            mark(0);                                                                               \
    DO_PRAGMA(omp teams distribute parallel for num_teams(2) collapse(2) __VA_ARGS__)              \
    for (size_t i = 0; i < one; ++i)                                                               \
        for (size_t j = 0; j < i; ++j)                                                             \
            mark(0);                                                                               \
    expect(each_once(0));

static void empty_nests(int size) {
    volatile size_t unknown = 1;
    const size_t one = unknown;
    EMPTY_NESTS()
    EMPTY_NESTS(schedule(static))
    EMPTY_NESTS(schedule(static, 1))
    EMPTY_NESTS(schedule(static, 3))
    EMPTY_NESTS(schedule(dynamic))
    EMPTY_NESTS(schedule(guided))
    EMPTY_NESTS(schedule(runtime))
    EMPTY_NESTS(schedule(auto))
    EMPTY_NESTS(schedule(monotonic : dynamic, 4))
}

int main(void) {
    FOR_TEAM_SIZES(size) {
        signed_up(size);
        signed_down(size);
        signed_steps(size);
        one_iteration(size);
        no_iteration(size);
        signed_at_start(size);
        signed_at_end(size);
        signed_far(size);
        signed_far_down(size);
        unsigned_at_end(size);
        unsigned_far(size);
        unsigned_down(size);
        long_at_start(size);
        long_at_end(size);
        long_far(size);
        long_far_down(size);
        unsigned_long_far(size);
        narrow(size);
        narrow_unsigned(size);
        ordered(size);
        run_ahead(size);
        doacross(size);
        clauses(size);
        empty_nests(size);
    }
    return failures != 0;
}
