// SPDX-License-Identifier: Apache-2.0
// The team of an OpenMP program, the schedule of its loops, and the symbol that tells which OpenMP
// runtime serves it (bench.h). Programs for other runtimes are linked without this file.
#define _GNU_SOURCE
#include <omp.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench.h"

static int threads_asked; // 0: what the environment says

#ifdef __clang__
const char *const bench_runtime_symbol = "__kmpc_fork_call";
#else
const char *const bench_runtime_symbol = "GOMP_parallel";
#endif

void bench_set_threads(int threads) {
    threads_asked = threads;
    omp_set_num_threads(threads);
}

int bench_team(void) {
    int size = 0;
#pragma omp parallel
#pragma omp single
    size = omp_get_num_threads();
    if (threads_asked != 0 && size != threads_asked)
        bench_fail("asked for %d threads, the runtime gave %d", threads_asked, size);
    return size;
}

// The kinds of omp_sched_t from 1 on; adaptive is none of them.
static const char *const schedule_kinds[] = {"static", "dynamic", "guided", "auto"};
enum { SCHEDULE_KINDS = sizeof schedule_kinds / sizeof schedule_kinds[0] };
static const unsigned MONOTONIC = 0x80000000u; // omp_sched_monotonic, younger than some omp.h

// What OMP_SCHEDULE asks for: "[modifier:]kind[,chunk]".
static void split_schedule(const char *text, char kind[16], long *chunk) {
    const char *colon = strchr(text, ':'), *comma = strchr(text, ',');
    const char *from = colon != NULL ? colon + 1 : text;
    size_t length = 0;
    for (; *from != '\0' && *from != ',' && length < 15; from++)
        if (!isspace((unsigned char)*from))
            kind[length++] = *from;
    kind[length] = '\0';
    *chunk = comma != NULL ? strtol(comma + 1, NULL, 10) : 0;
}

const char *bench_schedule(void) {
    static char told[40];
    char asked[16] = "";
    long asked_chunk = 0;
    const char *text = getenv("OMP_SCHEDULE");
    omp_sched_t set;
    int chunk;
    omp_get_schedule(&set, &chunk);
    unsigned found = (unsigned)set & ~MONOTONIC;
    int known = found >= 1 && found <= SCHEDULE_KINDS;
    if (text != NULL) {
        int standard = 0;
        split_schedule(text, asked, &asked_chunk);
        for (unsigned i = 0; i < SCHEDULE_KINDS; i++)
            standard |= strcasecmp(asked, schedule_kinds[i]) == 0;
        int same = standard ? known && strcasecmp(asked, schedule_kinds[found - 1]) == 0 : !known;
        if (!same || (asked_chunk != 0 && asked_chunk != chunk))
            bench_lacks("the runtime lacks OMP_SCHEDULE=%s: it has %s,%d", text,
                        known ? schedule_kinds[found - 1] : "another kind", chunk);
    }
    int length = snprintf(told, sizeof told, "%s", known ? schedule_kinds[found - 1] : asked);
    if (chunk > 0 && (asked_chunk != 0 || text == NULL))
        snprintf(told + length, sizeof told - (size_t)length, ",%d", chunk);
    return told;
}
