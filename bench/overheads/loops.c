// SPDX-License-Identifier: Apache-2.0
// The schedule rows: a loop of LOOP_ITERATIONS pieces of work per thread, once for each schedule
// and chunk size. The overhead is that of the whole loop, its closing barrier included.
// Each row is its own function because the schedule is chosen by the compiler.
#include "overheads.h"

#define ITERATIONS ((long)LOOP_ITERATIONS * team_size)
#define DO_PRAGMA(text) _Pragma(#text)

#define SCHEDULE_ROW(function, clause)                                                         \
    static void function(long reps) {                                                          \
        DO_PRAGMA(omp parallel)                                                                \
        for (long j = 0; j < reps; j++) {                                                      \
            DO_PRAGMA(omp for schedule(clause))                                                \
            for (long i = 0; i < ITERATIONS; i++)                                              \
                work();                                                                        \
        }                                                                                      \
    }

#define COMMA ,
SCHEDULE_ROW(run_static, static)
SCHEDULE_ROW(run_static_1, static COMMA 1)
SCHEDULE_ROW(run_static_16, static COMMA 16)
SCHEDULE_ROW(run_static_128, static COMMA 128)
SCHEDULE_ROW(run_dynamic_1, dynamic COMMA 1)
SCHEDULE_ROW(run_dynamic_16, dynamic COMMA 16)
SCHEDULE_ROW(run_dynamic_128, dynamic COMMA 128)
SCHEDULE_ROW(run_monotonic_1, monotonic : dynamic COMMA 1)
SCHEDULE_ROW(run_guided_1, guided COMMA 1)
SCHEDULE_ROW(run_guided_16, guided COMMA 16)
SCHEDULE_ROW(run_guided_128, guided COMMA 128)

#define ROW(name, function) {name, function, LOOP_ITERATIONS, 1, EVERY_THREAD, PLAIN_WORK}

const construct loop_constructs[] = {
    ROW("static", run_static),
    ROW("static,1", run_static_1),
    ROW("static,16", run_static_16),
    ROW("static,128", run_static_128),
    ROW("dynamic,1", run_dynamic_1),
    ROW("dynamic,16", run_dynamic_16),
    ROW("dynamic,128", run_dynamic_128),
    ROW("monotonic:dynamic,1", run_monotonic_1),
    ROW("guided,1", run_guided_1),
    ROW("guided,16", run_guided_16),
    ROW("guided,128", run_guided_128),
};
const size_t loop_count = sizeof loop_constructs / sizeof loop_constructs[0];
