/* SPDX-License-Identifier: Apache-2.0
 * Parallel regions as clang compiles them: what is captured, and how it gets to the outlined
 * function; the clauses, each for one region only; nesting; regions that are serialized. */
#include "check.h"

#include <string.h>
#include <xmmintrin.h>

#define REPEAT_40(DO)                                                                              \
    DO(0)                                                                                          \
    DO(1)                                                                                          \
    DO(2)                                                                                          \
    DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15) DO(16)     \
        DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23) DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) \
            DO(30) DO(31) DO(32) DO(33) DO(34) DO(35) DO(36) DO(37) DO(38) DO(39)

/* The address of a variable that an aligned vector instruction reads and writes. */
static int is_aligned(const void* address, size_t alignment) {
    return (size_t)address % alignment == 0;
}

static void check_vector(void) {
    __m128 vector = _mm_set1_ps(3);
    volatile __m128* spilled = &vector;
    expect(is_aligned((const void*)spilled, 16));
    const __m128 sum = *spilled + *spilled;
    expect(sum[0] == 6 && sum[3] == 6);
}

/* One captured variable more each time: on the registers' side of the fourth and beyond. */
#define CAPTURED(n)                                                                                \
    int by_reference_##n = n;                                                                      \
    (void)by_reference_##n;
#define USED(n) expect(by_reference_##n == n);
static void count_captured(void) {
    int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
    int calls = 0, size = 0;
#pragma omp parallel
    {
        check_vector();
#pragma omp single
        size = omp_get_num_threads();
    }
#pragma omp parallel shared(a)
    {
        check_vector();
        expect(a == 1);
    }
#pragma omp parallel shared(a, b)
    expect(a == 1 && b == 2);
#pragma omp parallel shared(a, b, c)
    expect(a == 1 && b == 2 && c == 3);
#pragma omp parallel shared(a, b, c, d)
    {
        check_vector();
        expect(a == 1 && b == 2 && c == 3 && d == 4);
    }
#pragma omp parallel shared(a, b, c, d, e)
    {
        check_vector();
        expect(a == 1 && b == 2 && c == 3 && d == 4 && e == 5);
    }
#pragma omp parallel shared(a, b, c, d, e, f)
    {
        check_vector();
        expect(a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6);
    }
#pragma omp parallel shared(a, b, c, d, e, f, g)
    {
        check_vector();
        expect(a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6 && g == 7);
    }
#pragma omp parallel shared(a, b, c, d, e, f, g, h, calls)
    {
        check_vector();
        expect(a + b + c + d + e + f + g + h == 36);
#pragma omp atomic
        ++calls;
    }
    expect(calls == size);
    REPEAT_40(CAPTURED)
#pragma omp parallel
    {
        check_vector();
        REPEAT_40(USED)
    }
}

/* Values go to the outlined function in the bits of words. */
#define VALUE(n) double value_##n = n + 0.25;
#define SAME_VALUE(n) expect(value_##n == n + 0.25);
#define NAMES(n) value_##n,
static void values(void) {
    double last = -1;
    char small = -7;
    unsigned char byte = 200;
    short half = -30000;
    float single = 1.5f;
    long long wide = -(1LL << 60);
    _Bool truth = 1;
    const char* text = "text";
    struct {
        int numbers[7];
        double real;
    } record = {{1, 2, 3, 4, 5, 6, 7}, 8.5};
    REPEAT_40(VALUE)
#pragma omp parallel firstprivate(REPEAT_40(NAMES) last)
    {
        check_vector();
        REPEAT_40(SAME_VALUE)
        expect(last == -1);
        value_7 = last = 9;
    }
    expect(last == -1 && value_7 == 7.25);
#pragma omp parallel firstprivate(small, byte, half, single, wide, truth, text, record)
    {
        expect(small == -7 && byte == 200 && half == -30000 && single == 1.5f);
        expect(wide == -(1LL << 60) && truth && strcmp(text, "text") == 0);
        expect(record.numbers[6] == 7 && record.real == 8.5);
        record.numbers[6] = omp_get_thread_num();
        small = 1;
    }
    expect(record.numbers[6] == 7 && small == -7);
}

static int size_of_region(void) {
    int size = 0;
#pragma omp parallel
#pragma omp single
    size = omp_get_num_threads();
    return size;
}

/* A clause is for one region, whether that is serialized or not. */
static void clauses(void) {
    const int usual = size_of_region();
    FOR_TEAM_SIZES(wanted) {
        int size = 0;
#pragma omp parallel num_threads(wanted)
#pragma omp single
        size = omp_get_num_threads();
        expect(size == wanted);
        expect(size_of_region() == usual);
        volatile int no = 0, yes = 1;
#pragma omp parallel num_threads(wanted) if (no)
        {
            expect(omp_get_num_threads() == 1 && omp_get_level() == 1);
            expect(omp_get_active_level() == 0 && omp_get_thread_num() == 0);
            ++size;
        }
        expect(size == wanted + 1);
        expect(size_of_region() == usual);
#pragma omp parallel num_threads(wanted) if (yes) proc_bind(close)
#pragma omp single
        size = omp_get_num_threads();
        expect(size == wanted);
#pragma omp parallel if (0) num_threads(wanted) proc_bind(spread)
        expect(omp_get_num_threads() == 1);
        expect(size_of_region() == usual);
    }
    expect(omp_get_level() == 0);
}

/* Each region of three levels has its own numbers. */
static void nested(void) {
    omp_set_max_active_levels(3);
    int calls = 0;
#pragma omp parallel num_threads(2) reduction(+ : calls)
    {
        const int outer = omp_get_thread_num();
        omp_set_num_threads(3 + outer);
#pragma omp parallel reduction(+ : calls)
        {
            expect(omp_get_num_threads() == 3 + outer);
            expect(omp_get_ancestor_thread_num(1) == outer);
            const int middle = omp_get_thread_num();
            int inner_calls = 0;
#pragma omp parallel num_threads(2) firstprivate(outer, middle) reduction(+ : inner_calls)
            {
                expect(omp_get_level() == 3 && omp_get_active_level() == 3);
                expect(omp_get_ancestor_thread_num(1) == outer);
                expect(omp_get_ancestor_thread_num(2) == middle);
                expect(omp_get_team_size(2) == 3 + outer);
#pragma omp parallel num_threads(4)
                expect(omp_get_num_threads() == 1);
                ++inner_calls;
            }
            expect(inner_calls == 2);
            calls += inner_calls;
        }
#pragma omp parallel if (0)
        {
#pragma omp parallel num_threads(2)
            {
                expect(omp_get_level() == 3 && omp_get_active_level() == 2);
                expect(omp_get_num_threads() == 2);
            }
        }
    }
    expect(calls == 14);
    omp_set_max_active_levels(1);
}

/* Recursion as deep as some stacks of numbers, and thousands of regions after each other. */
static int depth_reached(int depth) {
    int result = 0;
    if (depth == 0)
        return omp_get_level();
#pragma omp parallel num_threads(2) firstprivate(depth) shared(result)
#pragma omp masked
    result = depth_reached(depth - 1);
    return result;
}

static void many(void) {
    long sum = 0;
    for (int i = 0; i < 2000; ++i) {
#pragma omp parallel num_threads(1 + i % 3) reduction(+ : sum)
        sum += omp_get_thread_num() + 1;
    }
    expect(sum == 667 * 1 + 667 * 3 + 666 * 6);
    expect(depth_reached(50) == 50);
}

int main(void) {
    count_captured();
    values();
    clauses();
    nested();
    many();
    return failures != 0;
}
