// SPDX-License-Identifier: Apache-2.0
// Regions of other kinds than one after another by the same team.
#include <omp.h>
#include <pthread.h>

#include "../common/bench.h"
#include "patterns.h"

// A library asks for fewer threads than its caller.
static void two_sizes(long turns) {
    const int half = team_size > 1 ? team_size / 2 : 1;
    for (long i = 0; i < turns; i++) {
#pragma omp parallel
        count_one();
#pragma omp parallel num_threads(half)
        if (omp_get_thread_num() == half - 1)
            count_one();
    }
}

static void sections(long turns) {
    for (long i = 0; i < turns; i++) {
#pragma omp parallel sections
        {
#pragma omp section
            count_one();
#pragma omp section
            count_one();
#pragma omp section
            count_one();
#pragma omp section
            count_one();
        }
    }
}

// 5 us of the program's own between regions: threads wait longer than between two regions.
static void serial_part(long turns) {
    for (long i = 0; i < turns; i++) {
#pragma omp parallel for
        for (int j = 0; j < ELEMENTS; j++)
            elements[j] += 1;
        work(5);
    }
}

// Each thread of a region calls a function that has one too; only the outer is active.
static void serialized_inside(long turns) {
#pragma omp parallel
    {
        const int number = omp_get_thread_num();
        for (long i = 0; i < turns; i++) {
#pragma omp parallel
            count_one_of(number);
        }
    }
}

// Two teams of two, whatever the size of the team.
static void nested(long turns) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        const int first = 2 * omp_get_thread_num();
        for (long i = 0; i < turns; i++) {
#pragma omp parallel num_threads(2)
            count_one_of(first + omp_get_thread_num());
        }
    }
    omp_set_max_active_levels(1);
}

static void *host(void *unused) {
#pragma omp parallel num_threads(team_size)
    count_one();
    return unused;
}

// A thread of the program that opens one region and ends.
static void new_host(long turns) {
    for (long i = 0; i < turns; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, host, NULL) != 0 || pthread_join(thread, NULL) != 0)
            bench_fail("cannot make a thread");
    }
}

static void ten_tasks(long turns) {
    for (long i = 0; i < turns; i++) {
#pragma omp parallel
#pragma omp single
        for (int j = 0; j < 10; j++) {
#pragma omp task
            count_one();
        }
    }
}

static void taskloop(long turns) {
    for (long i = 0; i < turns; i++) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(100)
        for (int j = 0; j < ELEMENTS; j++)
            elements[j] += 1;
    }
}

// On the host, as there is no device.
static void target(long turns) {
    for (long i = 0; i < turns; i++) {
#pragma omp target map(tofrom : elements)
        elements[0] += 1;
    }
}

static void target_teams(long turns) {
    for (long i = 0; i < turns; i++) {
#pragma omp target teams distribute parallel for map(tofrom : elements)
        for (int j = 0; j < ELEMENTS; j++)
            elements[j] += 1;
    }
}

const pattern region_patterns[] = {
    {"two_sizes", two_sizes, 1, 1},
    {"sections", sections, 4, 0},
    {"serial_part", serial_part, ELEMENTS, 0},
    {"serialized_inside", serialized_inside, 0, 1},
    {"nested", nested, 4, 0},
    {"new_host", new_host, 0, 1},
    {"ten_tasks", ten_tasks, 10, 0},
    {"one_taskloop", taskloop, ELEMENTS, 0},
    {"target", target, 1, 0},
    {"target_teams", target_teams, ELEMENTS, 0},
};
const size_t region_count = sizeof region_patterns / sizeof region_patterns[0];
