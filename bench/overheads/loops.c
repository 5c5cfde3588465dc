// SPDX-License-Identifier: Apache-2.0
// The schedule rows: a loop of LOOP_ITERATIONS pieces of work per thread, once for each schedule
// and chunk size of table 1 of Durand et al., IWOMP 2013. The overhead is that of the whole loop,
// its closing barrier included; a chunk's is a thread's time for one, that barrier included too.
// Each row is its own function because the schedule is chosen by the compiler; but for adaptive,
// which is none of OpenMP's: those rows are schedule(runtime), and OMP_SCHEDULE says so beforehand.
#include <omp.h>
#include <string.h>

#include "../common/bench.h"
#include "overheads.h"

#define ITERATIONS ((long)LOOP_ITERATIONS * team_size)
#define DO_PRAGMA(text) _Pragma(#text)

#define SCHEDULE_ROW(function, clause)                                                             \
    static void function(long reps) {                                                              \
        DO_PRAGMA(omp parallel)                                                                    \
        for (long j = 0; j < reps; j++) {                                                          \
            DO_PRAGMA(omp for schedule(clause))                                                    \
            for (long i = 0; i < ITERATIONS; i++)                                                  \
                work();                                                                            \
        }                                                                                          \
    }

// run_KIND_CHUNK for the table's chunk sizes.
#define COMMA ,
#define CHUNKED_ROWS(kind)                                                                         \
    SCHEDULE_ROW(run_##kind##_1, kind COMMA 1)                                                     \
    SCHEDULE_ROW(run_##kind##_2, kind COMMA 2)                                                     \
    SCHEDULE_ROW(run_##kind##_4, kind COMMA 4)                                                     \
    SCHEDULE_ROW(run_##kind##_8, kind COMMA 8)                                                     \
    SCHEDULE_ROW(run_##kind##_16, kind COMMA 16)                                                   \
    SCHEDULE_ROW(run_##kind##_32, kind COMMA 32)                                                   \
    SCHEDULE_ROW(run_##kind##_64, kind COMMA 64)                                                   \
    SCHEDULE_ROW(run_##kind##_128, kind COMMA 128)

SCHEDULE_ROW(run_static, static)
CHUNKED_ROWS(static)
CHUNKED_ROWS(dynamic)
SCHEDULE_ROW(run_monotonic_1, monotonic : dynamic COMMA 1)
CHUNKED_ROWS(guided)
SCHEDULE_ROW(run_runtime, runtime)

// The kind that the runtime has for OMP_SCHEDULE=adaptive, with this chunk size.
static void set_adaptive(int chunk) {
    static omp_sched_t adaptive;
    static int known = 0;
    if (!known) {
        int ignored;
        if (strncmp(bench_schedule(), "adaptive", 8) != 0)
            bench_lacks("these rows need OMP_SCHEDULE=adaptive in the environment");
        omp_get_schedule(&adaptive, &ignored);
        known = 1;
    }
    omp_set_schedule(adaptive, chunk);
}

#define ADAPTIVE(chunk)                                                                            \
    static void adaptive_##chunk(void) { set_adaptive(chunk); }
ADAPTIVE(1)
ADAPTIVE(2)
ADAPTIVE(4)
ADAPTIVE(8)
ADAPTIVE(16)
ADAPTIVE(32)
ADAPTIVE(64)
ADAPTIVE(128)

#define ROW(name, function, chunks)                                                                \
    {name, function, LOOP_ITERATIONS, 1, EVERY_THREAD, PLAIN_WORK, chunks, NULL}
#define SIZED(kind, chunk) ROW(#kind "," #chunk, run_##kind##_##chunk, LOOP_ITERATIONS / chunk)
#define GUIDED(chunk) ROW("guided," #chunk, run_guided_##chunk, 0)
#define ADAPTIVE_ROW(chunk)                                                                        \
    {"adaptive," #chunk, run_runtime, LOOP_ITERATIONS, 1, EVERY_THREAD,                            \
     PLAIN_WORK,         0,           adaptive_##chunk}

const construct loop_constructs[] = {
    ROW("static", run_static, 0),
    SIZED(static, 1),
    SIZED(static, 2),
    SIZED(static, 4),
    SIZED(static, 8),
    SIZED(static, 16),
    SIZED(static, 32),
    SIZED(static, 64),
    SIZED(static, 128),
    SIZED(dynamic, 1),
    SIZED(dynamic, 2),
    SIZED(dynamic, 4),
    SIZED(dynamic, 8),
    SIZED(dynamic, 16),
    SIZED(dynamic, 32),
    SIZED(dynamic, 64),
    SIZED(dynamic, 128),
    ROW("monotonic:dynamic,1", run_monotonic_1, LOOP_ITERATIONS),
    GUIDED(1),
    GUIDED(2),
    GUIDED(4),
    GUIDED(8),
    GUIDED(16),
    GUIDED(32),
    GUIDED(64),
    GUIDED(128),
    ROW("runtime", run_runtime, 0),
};
const size_t loop_count = sizeof loop_constructs / sizeof loop_constructs[0];

const construct adaptive_constructs[] = {
    ADAPTIVE_ROW(1),  ADAPTIVE_ROW(2),  ADAPTIVE_ROW(4),  ADAPTIVE_ROW(8),
    ADAPTIVE_ROW(16), ADAPTIVE_ROW(32), ADAPTIVE_ROW(64), ADAPTIVE_ROW(128),
};
const size_t adaptive_count = sizeof adaptive_constructs / sizeof adaptive_constructs[0];
