// SPDX-License-Identifier: Apache-2.0
// Cut-offs of the recursive benchmarks, as a user would write them: `--cutoff none|if|final|manual`
// and `--depth N`. The first call has depth 0, a task the depth of the call that creates it plus
// one. Tasks may be deferred down to depth N; below it, the if clause of a task is false, or the
// task of depth N was final, or the call of depth N is the plain serial function (manual).
#ifndef HEDDLE_BENCH_CUTOFF_H
#define HEDDLE_BENCH_CUTOFF_H

#include "bench.h"

typedef enum { CUTOFF_NONE, CUTOFF_IF, CUTOFF_FINAL, CUTOFF_MANUAL, CUTOFF_KINDS } cutoff_kind;

typedef struct {
    long kind, depth;
} bench_cutoff;

// Two rows of a program's table of options, for the bench_cutoff `cutoff`.
#define BENCH_CUTOFF_OPTIONS(cutoff)                                                               \
    {"cutoff", 0, BENCH_CHOICE,           &(cutoff).kind,                                          \
     0,        0, "none|if|final|manual", "what ends the creation of tasks (none)"},               \
        {"depth",                                                                                  \
         'd',                                                                                      \
         BENCH_INTEGER,                                                                            \
         &(cutoff).depth,                                                                          \
         1,                                                                                        \
         1000,                                                                                     \
         "N",                                                                                      \
         "recursion depth down to which a cut-off lets tasks be deferred"}

// The clauses of a task created by a call at `depth`. Where `kind` is a constant, only those
// that it needs are left in the code.
#define CUTOFF_CLAUSES(kind, limit, depth)                                                         \
    if (cutoff_if(kind, limit, depth))                                                             \
    final(cutoff_final(kind, limit, depth))

static inline int cutoff_if(cutoff_kind kind, long limit, long depth) {
    return kind != CUTOFF_IF || depth < limit;
}

static inline int cutoff_final(cutoff_kind kind, long limit, long depth) {
    return kind == CUTOFF_FINAL && depth + 1 >= limit;
}

// Whether a call at `depth` is the serial function instead.
static inline int cutoff_serial(cutoff_kind kind, long limit, long depth) {
    return kind == CUTOFF_MANUAL && depth >= limit;
}

// `#pragma omp task CLAUSES` inside a macro that defines one function per kind of task.
#define BENCH_TASK(...) BENCH_PRAGMA(omp task __VA_ARGS__)
#define BENCH_PRAGMA(...) BENCH_PRAGMA_TEXT(__VA_ARGS__)
#define BENCH_PRAGMA_TEXT(...) _Pragma(#__VA_ARGS__)

// DEFINE(NAME, TYING, KIND) for each kind of cut-off, tied and untied: each is a function of its
// own, so that what a user did not write is not in the code.
#define CUTOFF_FORMS(DEFINE)                                                                       \
    DEFINE(tied_none, , CUTOFF_NONE)                                                               \
    DEFINE(tied_if, , CUTOFF_IF)                                                                   \
    DEFINE(tied_final, , CUTOFF_FINAL)                                                             \
    DEFINE(tied_manual, , CUTOFF_MANUAL)                                                           \
    DEFINE(untied_none, untied, CUTOFF_NONE)                                                       \
    DEFINE(untied_if, untied, CUTOFF_IF)                                                           \
    DEFINE(untied_final, untied, CUTOFF_FINAL)                                                     \
    DEFINE(untied_manual, untied, CUTOFF_MANUAL)

// The functions `name`_NAME that they defined, as an array [untied][kind].
#define CUTOFF_TABLE(name)                                                                         \
    {{name##_tied_none, name##_tied_if, name##_tied_final, name##_tied_manual},                    \
     {name##_untied_none, name##_untied_if, name##_untied_final, name##_untied_manual}}

// Writes cutoff and, if there is one, its depth.
static inline void bench_json_cutoff(bench_cutoff cutoff) {
    static const char *const names[CUTOFF_KINDS] = {"none", "if", "final", "manual"};
    bench_json_text("cutoff", names[cutoff.kind]);
    if (cutoff.kind != CUTOFF_NONE)
        bench_json_integer("depth", cutoff.depth);
}

#endif
