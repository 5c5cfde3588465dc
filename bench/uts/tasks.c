// SPDX-License-Identifier: Apache-2.0
// UTS with OpenMP tasks: the forms of forms.h in three kinds (tasks.h), tied and untied. Tied and
// untied tasks take different paths in the compiler, so they too are compiled apart.
#include "tasks.h"

#include <math.h>

#include "problem.h"
#include "tally.h"

static long nodes_here;
#pragma omp threadprivate(nodes_here)

static uint64_t in_place_below; // of 2^32

void uts_explore_in_place(double percent) {
    in_place_below = (uint64_t)llround(percent / 100 * 4294967296.0);
}

// A node's own state is not known before its task runs, so its parent's is mixed with its index.
static inline int is_deferred(const uts_node *parent, int index) {
    uint32_t draw = parent->state[3] ^ ((uint32_t)index * 0x85ebca6bu);
    draw = (draw ^ (draw >> 15)) * 0x9e3779b1u;
    return (draw ^ (draw >> 16)) >= in_place_below;
}

// The bare kind.
#define CHILD uts_child
#define VISIT
#define CREATE(node, i)
#define CREATOR
#define START
#define RESUME

#define FORM(name) name##_tied
#define CLAUSES(node, i)
#include "forms.h"

#define FORM(name) name##_untied
#define CLAUSES(node, i) untied
#include "forms.h"

// With many hashes a node, and an if clause.
#undef CHILD
#define CHILD(node, i) uts_child_of_hashes(node, i, uts_asked.hashes)

#define FORM(name) name##_tied_varied
#define CLAUSES(node, i) if (is_deferred(node, i))
#include "forms.h"

#define FORM(name) name##_untied_varied
#define CLAUSES(node, i) untied if (is_deferred(node, i))
#include "forms.h"

// Instrumented too.
#undef CHILD
#undef VISIT
#undef CREATE
#undef CREATOR
#undef START
#undef RESUME
#define CHILD uts_tally_child
#define VISIT                                                                                      \
    uts_tally *here = uts_tally_here();                                                            \
    here->nodes++
#define CREATE(node, i)                                                                            \
    const uts_tally *creator = uts_tally_here();                                                   \
    uts_tally_here()->created += is_deferred(node, i)
#define CREATOR , creator
#define START uts_tally_start(creator)
#define RESUME uts_tally_here()->migrated += uts_tally_here() != here

#define FORM(name) name##_tied_reported
#define CLAUSES(node, i) if (is_deferred(node, i))
#include "forms.h"

#define FORM(name) name##_untied_reported
#define CLAUSES(node, i) untied if (is_deferred(node, i))
#include "forms.h"

typedef long count_function(const uts_node *);
typedef void visit_function(uts_node);

long uts_run_taskwait(const uts_node *root, uts_kind kind, int untied) {
    static count_function *const counts[][2] = {{count_tied, count_untied},
                                                {count_tied_varied, count_untied_varied},
                                                {count_tied_reported, count_untied_reported}};
    count_function *count = counts[kind][untied];
    long total = 0;
#pragma omp parallel
#pragma omp single
    total = count(root);
    return total;
}

long uts_run_threadprivate(const uts_node *root, uts_kind kind, int untied) {
    static visit_function *const visits[][2] = {{visit_tied, visit_untied},
                                                {visit_tied_varied, visit_untied_varied},
                                                {visit_tied_reported, visit_untied_reported}};
    visit_function *visit = visits[kind][untied];
    long total = 0;
#pragma omp parallel reduction(+ : total)
    {
        nodes_here = 0;
#pragma omp barrier
#pragma omp single
        visit(*root);
        total += nodes_here; // the barrier of single has finished every task
    }
    return total;
}
