/* SPDX-License-Identifier: Apache-2.0
 * Leagues and target regions on the host as clang compiles them without offload targets. */
#include "check.h"

#include <string.h>

enum { most = 500 };
static int seen[most];

static int each_once(void) {
    int all = 1;
    for (int i = 0; i < most; ++i)
        all &= seen[i] == 1;
    memset(seen, 0, sizeof seen);
    return all;
}

#define DO_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define SHARED_OUT(...)                                                                            \
    DO_PRAGMA(omp __VA_ARGS__)                                                                     \
    for (int i = 0; i < most; ++i) {                                                               \
        DO_PRAGMA(omp atomic)                                                                      \
        ++seen[i];                                                                                 \
    }                                                                                              \
    expect(each_once());

static void distribute(int size) {
    SHARED_OUT(teams distribute)
    SHARED_OUT(teams distribute num_teams(size))
    SHARED_OUT(teams distribute num_teams(size) dist_schedule(static, 7))
    SHARED_OUT(teams distribute simd num_teams(size))
    SHARED_OUT(teams distribute parallel for num_teams(size) num_threads(3))
    SHARED_OUT(teams distribute parallel for num_teams(3) num_threads(size) schedule(static, 1))
    SHARED_OUT(teams distribute parallel for num_teams(3) num_threads(size) schedule(dynamic, 3))
    SHARED_OUT(teams distribute parallel for num_teams(3) num_threads(size) schedule(guided))
    SHARED_OUT(teams distribute parallel for num_teams(3) dist_schedule(static, 11) num_threads(size) schedule(static, 2))
    SHARED_OUT(teams distribute parallel for num_teams(3) dist_schedule(static, 11) if (size > 2))
    SHARED_OUT(teams distribute parallel for simd num_teams(3) thread_limit(size) schedule(dynamic))
    SHARED_OUT(teams loop num_teams(size))
    SHARED_OUT(target teams distribute parallel for num_teams(size) thread_limit(3))
    SHARED_OUT(target teams loop)
    SHARED_OUT(target parallel for num_threads(size))
    SHARED_OUT(target parallel for simd)
    SHARED_OUT(target simd)
    int last = 0, private = 3;
#pragma omp teams distribute parallel for num_teams(size) lastprivate(last) firstprivate(private)
    for (int i = 0; i < most; ++i)
        last = i + private;
    expect(last == most + 2);
    long sum = 0;
#pragma omp teams distribute parallel for collapse(2) num_teams(size) reduction(+ : sum)
    for (int i = 0; i < 10; ++i)
        for (long j = 0; j < 20; ++j)
            sum += i * j;
    expect(sum == 45 * 190);
}

static void leagues(int size) {
    int teams = 0, threads = 0;
#pragma omp teams num_teams(size) thread_limit(2)
    {
        expect(omp_get_num_teams() == size && omp_get_team_num() < size);
        expect(omp_get_level() == 0 && omp_get_num_threads() == 1);
        expect(omp_get_thread_limit() == 2);
#pragma omp atomic
        ++teams;
#pragma omp parallel num_threads(2) if (size % 2)
        {
            expect(omp_get_num_teams() == size);
#pragma omp barrier
#pragma omp atomic
            ++threads;
        }
#pragma omp parallel if (0)
        expect(omp_get_num_threads() == 1 && omp_get_level() == 1);
    }
    expect(teams == size && threads == (size % 2 ? 2 * size : size));
    expect(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
    int here = 0;
#pragma omp target teams num_teams(size) map(tofrom : here)
#pragma omp parallel num_threads(3)
#pragma omp atomic
    ++here;
    expect(here == 3 * size);
}

static void targets(void) {
    int x = 1, array[10] = {0}, ordered = 0;
#pragma omp target data map(tofrom : array)
    {
#pragma omp target map(array) firstprivate(x)
        {
            expect(omp_is_initial_device() && x == 1);
            array[3] = 4;
            x = 2;
        }
#pragma omp target update from(array)
    }
    expect(array[3] == 4 && x == 1);
#pragma omp target enter data map(to : array)
#pragma omp target exit data map(from : array)
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        for (int i = 0; i < 20; ++i) {
#pragma omp target nowait depend(inout : ordered) map(tofrom : ordered)
            {
                expect(ordered == i);
                ordered = i + 1;
            }
        }
#pragma omp taskwait
        expect(ordered == 20);
    }
#pragma omp target thread_limit(2)
#pragma omp parallel num_threads(8)
    expect(omp_get_num_threads() <= 2);
}

int main(void) {
    FOR_TEAM_SIZES(size) {
        distribute(size);
        leagues(size);
        targets();
    }
    return failures != 0;
}
