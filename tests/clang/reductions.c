/* SPDX-License-Identifier: Apache-2.0
 * Reductions as clang compiles them: every operator, arrays and their sections, combiners of the
 * program, scans, several variables at once; in loops, regions, teams, simd loops and tasks. */
#include "check.h"

#include <complex.h>
#include <string.h>

struct extremes {
    int least, most;
};

static void include(struct extremes* into, const struct extremes* from) {
    into->least = from->least < into->least ? from->least : into->least;
    into->most = from->most > into->most ? from->most : into->most;
}
#pragma omp declare reduction(both : struct extremes : include(&omp_out, &omp_in))                 \
    initializer(omp_priv = (struct extremes){1 << 30, -(1 << 30)})

/* A combiner in which another region reduces. */
static long added_in_parallel(long a, long b) {
    long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += omp_get_thread_num() == 0 ? a : omp_get_num_threads() == 1 ? a + b : b;
    return omp_get_max_active_levels() > omp_get_active_level() ? sum : a + b;
}
#pragma omp declare reduction(nested:long : omp_out = added_in_parallel(omp_out, omp_in))

static void operators(int size) {
    int sum = 5, product = 1, least = 1 << 30, most = -(1 << 30), bits = 0, all = -1, odd = 0;
    _Bool every = 1, any = 0;
    char small = 0;
    float single = 0;
    double real = 0;
    long double wide = 0;
    double complex both = 0;
#pragma omp parallel for num_threads(size) reduction(+ : sum, small, single, real, wide, both)     \
    reduction(* : product) reduction(min : least) reduction(max : most) reduction(| : bits)        \
    reduction(& : all) reduction(^ : odd) reduction(&& : every) reduction(|| : any)
    for (int i = 0; i < 100; ++i) {
        sum += i;
        small += 1;
        single += 0.5f;
        real += 0.25;
        wide += 1;
        both += 1 + 2 * I;
        product = i % 10 == 3 ? product * 2 : product;
        least = i < least ? i : least;
        most = i > most ? i : most;
        bits |= i;
        all &= ~(i & 8);
        odd ^= i;
        every = every && i < 100;
        any = any || i == 57;
    }
    expect(sum == 5 + 4950 && small == 100 && single == 50 && real == 25 && wide == 100);
    expect(creal(both) == 100 && cimag(both) == 200 && product == 1024);
    expect(least == 0 && most == 99 && bits == 127 && all == ~8 && odd == 0 && every && any);
}

static void arrays(int size) {
    static int whole[1000];
    int few[4] = {1, 2, 3, 4}, matrix[3][5] = {{0}};
    memset(whole, 0, sizeof whole);
    int* part = whole + 100;
    int length = 50;
#pragma omp parallel num_threads(size)
    {
#pragma omp for reduction(+ : few, part[10 : length]) reduction(+ : matrix[1 : 2][ : 5])
        for (int i = 0; i < 200; ++i) {
            few[i % 4] += 1;
            part[10 + i % 50] += i;
            matrix[1 + i % 2][i % 5] += 1;
        }
        expect(few[0] == 51 && few[3] == 54);
#pragma omp for reduction(+ : whole) schedule(dynamic)
        for (int i = 0; i < 200; ++i)
            whole[i] += 1;
    }
    expect(whole[0] == 1 && whole[109] == 1 && whole[110] == 1 + 0 + 50 + 100 + 150);
    expect(whole[159] == 1 + 49 + 99 + 149 + 199 && whole[160] == 1 && whole[200] == 0);
    expect(matrix[0][0] == 0 && matrix[1][0] == 20 && matrix[2][4] == 20);
}

static void of_the_program(int size) {
    struct extremes found = {7, 8};
    long sum = 0;
#pragma omp parallel num_threads(size)
    {
#pragma omp for reduction(both : found) nowait
        for (int i = -50; i < 51; ++i) {
            const struct extremes one = {i, i};
            include(&found, &one);
        }
#pragma omp for reduction(nested : sum)
        for (int i = 0; i < 20; ++i)
            sum += i;
        expect(sum == 190);
    }
    expect(found.least == -50 && found.most == 50);
}

/* One after the other, with and without barriers, so that threads are in different ones. */
static void many(int size) {
    enum { rounds = 60 };
    long sums[rounds] = {0}, steps = 0;
#pragma omp parallel num_threads(size) reduction(+ : steps)
    for (int round = 0; round < rounds; ++round) {
        long sum = 0;
        if (round % 3) {
#pragma omp for reduction(+ : sums[round : 1]) nowait schedule(dynamic)
            for (int i = 0; i < 10; ++i)
                sums[round] += i;
        } else {
#pragma omp for reduction(+ : sums[round : 1])
            for (int i = 0; i < 10; ++i)
                sums[round] += i;
            expect(sums[round] == 45);
        }
#pragma omp parallel num_threads(3) reduction(+ : sum) if (round % 5 == 0)
        sum += 1;
        expect(sum == (round % 5 == 0 && omp_get_max_active_levels() > 1 ? 3 : 1) ||
               omp_get_active_level() == 0);
        ++steps;
    }
    for (int round = 0; round < rounds; ++round)
        expect(sums[round] == 45);
    expect(steps == (long)rounds * size);
}

static void scans(int size) {
    int values[100], before[100], sum = 0;
#pragma omp parallel for num_threads(size) reduction(inscan, + : sum)
    for (int i = 0; i < 100; ++i) {
        sum += i;
#pragma omp scan inclusive(sum)
        values[i] = sum;
    }
    expect(sum == 4950);
    sum = 0;
#pragma omp parallel for num_threads(size) reduction(inscan, + : sum)
    for (int i = 0; i < 100; ++i) {
        before[i] = sum;
#pragma omp scan exclusive(sum)
        sum += i;
    }
    for (int i = 0; i < 100; ++i)
        expect(values[i] == i * (i + 1) / 2 && before[i] == i * (i - 1) / 2);
}

static void in_tasks(int size) {
    int sum = 0, product = 1, tree = 0, from_region = 0, from_loop = 0;
    int array[8] = {0};
#pragma omp parallel num_threads(size)
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : sum, array) task_reduction(* : product)
        {
            for (int i = 0; i < 40; ++i) {
#pragma omp task in_reduction(+ : sum, array) in_reduction(* : product) firstprivate(i)
                {
                    sum += i;
                    array[i % 8] += 1;
                    product *= i % 20 == 0 ? 3 : 1;
#pragma omp task in_reduction(+ : sum)
                    sum += 1;
                    int inside = i;
#pragma omp taskgroup task_reduction(+ : inside)
#pragma omp task in_reduction(+ : inside)
                    inside += 1;
                    expect(inside == i + 1);
                }
            }
#pragma omp taskloop in_reduction(+ : sum) grainsize(3)
            for (int i = 0; i < 10; ++i)
                sum += 1;
        }
        expect(sum == 780 + 40 + 10 && product == 9 && array[0] == 5 && array[7] == 5);
#pragma omp taskloop reduction(+ : tree) num_tasks(7)
        for (int i = 0; i < 30; ++i)
            tree += i;
        expect(tree == 435);
#pragma omp taskloop simd reduction(+ : tree) collapse(2)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 4; ++j)
                tree += 1;
        expect(tree == 447);
    }
#pragma omp parallel num_threads(size) reduction(task, + : from_region)
    {
        from_region += 1;
#pragma omp task in_reduction(+ : from_region)
        from_region += 10;
    }
    expect(from_region == 11 * size);
#pragma omp parallel num_threads(size)
    {
#pragma omp for reduction(task, + : from_loop)
        for (int i = 0; i < 12; ++i) {
#pragma omp task in_reduction(+ : from_loop)
            from_loop += i;
        }
        expect(from_loop == 66);
#pragma omp barrier
#pragma omp sections reduction(task, + : from_loop)
        {
#pragma omp section
#pragma omp task in_reduction(+ : from_loop)
            from_loop += 1;
#pragma omp section
            from_loop += 1;
        }
        expect(from_loop == 68);
    }
}

/* Sections without an element, alone and beside others, also of a task's own copy. What adds copies
   up at the end knows the length from what its thread did in a task of the group, and from nothing
   else: clang 19 leaves it in a variable of the thread. So one task is the thread's own. */
static void empty_sections_in_tasks(int size, int length) {
    long array[4] = {0}, other[4] = {0}, sum = 0, own = 0;
#pragma omp parallel num_threads(size)
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : array[1 : length])
        {
#pragma omp task if (0) in_reduction(+ : array[1 : length])
            ++own;
#pragma omp task in_reduction(+ : array[1 : length])
            {
#pragma omp task in_reduction(+ : array[1 : length])
                for (int i = 1; i <= length; ++i)
                    array[i] += 1;
            }
        }
#pragma omp taskgroup task_reduction(+ : other, array[0 : length], sum)
        {
#pragma omp task if (0) in_reduction(+ : array[0 : length])
            ++own;
            for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(+ : array[0 : length], sum, other)
                {
                    sum += 1;
                    other[3] += 1;
#pragma omp task in_reduction(+ : array[0 : length], sum)
                    sum += 10;
                }
            }
        }
    }
    expect(sum == 110 && other[3] == 10 && own == 2);
    expect(array[0] == 0 && array[1] == (length > 0) && array[2] == (length > 1));
}

static void in_leagues(int size) {
    long sum = 0, teams_sum = 0;
#pragma omp teams distribute parallel for num_teams(3) num_threads(size) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i)
        sum += i;
    expect(sum == 499500);
#pragma omp teams num_teams(3) reduction(+ : teams_sum)
    {
#pragma omp parallel num_threads(size) reduction(+ : teams_sum)
        teams_sum += 1;
    }
    expect(teams_sum == 3 * size);
    sum = 0;
    float least = 1e9f;
#pragma omp target teams distribute parallel for simd reduction(+ : sum) reduction(min : least)    \
    map(tofrom : sum, least)
    for (int i = 0; i < 1000; ++i) {
        sum += i;
        least = i < least ? i : least;
    }
    expect(sum == 499500 && least == 0);
}

int main(void) {
    omp_set_max_active_levels(2);
    FOR_TEAM_SIZES(size) {
        operators(size);
        arrays(size);
        of_the_program(size);
        many(size);
        scans(size);
        in_tasks(size);
        empty_sections_in_tasks(size, 0);
        empty_sections_in_tasks(size, 2);
        in_leagues(size);
    }
    return failures != 0;
}
