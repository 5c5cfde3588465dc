// SPDX-License-Identifier: Apache-2.0
// Unbalanced Tree Search with OpenMP: Olivier & Prins, "Comparison of OpenMP 3.0 and Other Task
// Parallel Frameworks on Unbalanced Task Graphs" (2010). The node count must equal the published
// one. The forms are in tasks.c, stealing.c and flat.c; those for other runtimes are in uts_tbb and
// uts_spawn.
// Usage: uts [--tree T3] [--variant taskwait|threadprivate|...] [--untied] [--threads N]
#include <stdio.h>

#include "problem.h"
#include "tally.h"
#include "tasks.h"

enum variant { SERIAL, TASKWAIT, THREADPRIVATE, STEALING, FLAT, SURVEY };
static const char *const variant_names[] = {"serial",   "taskwait", "threadprivate",
                                            "stealing", "flat",     "survey"};

// One level of the forms with tasks. With libgomp's frames in between it takes more than 470 and
// less than 710 bytes (T3L overflows 8 MiB and fits 12 MiB); other runtimes get a little more.
enum { TASK_LEVEL = 1024 };

static struct {
    long variant, chunk, per_task;
    double in_place; // percent
    int untied;
} asked = {TASKWAIT, 0, 0, 0, 0}; // 0: not given

enum { DEFAULT_CHUNK = 64, DEFAULT_PER_TASK = 1 };

static int makes_tasks(long variant) { return variant == TASKWAIT || variant == THREADPRIVATE; }

// Options that a variant has no use for are refused, not ignored. Fills in the defaults.
static void check_options(void) {
    long variant = asked.variant;
    if (asked.untied && !makes_tasks(variant))
        bench_usage("--untied goes with --variant taskwait and threadprivate");
    if (asked.in_place > 0 && !makes_tasks(variant))
        bench_usage("--if-percent goes with --variant taskwait and threadprivate");
    if (asked.chunk != 0 && variant != STEALING)
        bench_usage("--chunk goes with --variant stealing");
    if (asked.per_task != 0 && variant != FLAT)
        bench_usage("--aggregate goes with --variant flat");
    if (variant == FLAT && (uts_asked.hashes != 1 || uts_asked.no_reference))
        bench_usage("--hashes and --no-reference do not go with --variant flat");
    if (variant == SURVEY && uts_asked.hashes != 1)
        bench_usage("--hashes does not go with --variant survey");
    if (uts_asked.report && !makes_tasks(variant) && variant != STEALING)
        bench_usage("--report goes with --variant taskwait, threadprivate and stealing");
    if (asked.chunk == 0)
        asked.chunk = DEFAULT_CHUNK;
    if (asked.per_task == 0)
        asked.per_task = DEFAULT_PER_TASK;
}

// Nodes, leaves and greatest depth, serially: proves the tree itself, not the runtime.
typedef struct {
    long nodes, leaves, depth;
} census;

static void survey(const uts_node *node, census *seen) {
    int children = uts_children(node);
    seen->nodes++;
    seen->leaves += children == 0;
    if (node->depth > seen->depth)
        seen->depth = node->depth;
    for (int i = 0; i < children; i++) {
        uts_node child = uts_child(node, i);
        survey(&child, seen);
    }
}

static long run(const uts_problem *problem, census *seen) {
    uts_kind kind = uts_asked.report                             ? UTS_REPORTED
                    : uts_asked.hashes > 1 || asked.in_place > 0 ? UTS_VARIED
                                                                 : UTS_BARE;
    switch (asked.variant) {
    case TASKWAIT:
        return uts_run_taskwait(&problem->root, kind, asked.untied);
    case THREADPRIVATE:
        return uts_run_threadprivate(&problem->root, kind, asked.untied);
    case STEALING:
        return uts_run_stealing(&problem->root, kind, asked.chunk);
    case SURVEY:
        survey(&problem->root, seen);
        return seen->nodes;
    default:
        return uts_count_serial(&problem->root, uts_asked.hashes);
    }
}

static void count_nodes(void) {
    int makes = makes_tasks(asked.variant), parallel = makes || asked.variant == STEALING;
    uts_problem problem = uts_prepare(parallel, makes ? TASK_LEVEL : UTS_SERIAL_LEVEL);
    uts_explore_in_place(asked.in_place);
    int threads = parallel ? bench_team() : 1;
    census seen = {0, 0, 0};
    double start = bench_seconds();
    long nodes = run(&problem, &seen);
    double seconds = bench_seconds() - start;
    uts_expect("nodes", nodes, problem.tree.nodes);

    char label[32];
    snprintf(label, sizeof label, "%s%s", variant_names[asked.variant],
             asked.untied ? "-untied" : "");
    uts_json_begin("uts", label, &problem, threads, seconds, parallel);
    if (asked.variant == SURVEY) {
        uts_expect("leaves", seen.leaves, problem.tree.leaves);
        uts_expect("levels", seen.depth, problem.tree.depth);
        bench_json_integer("leaves", seen.leaves);
        bench_json_integer("depth", seen.depth);
    }
    if (makes)
        bench_json_real("if_percent", asked.in_place);
    if (asked.variant == STEALING)
        bench_json_integer("chunk", asked.chunk);
    if (uts_asked.report)
        uts_json_tally(threads, seconds, nodes, !makes ? 0 : asked.in_place > 0 ? -1 : nodes - 1);
    bench_json_end();
}

// As many hashes as the tree has nodes; the answer is what all their digests add up to.
static void add_hashes(void) {
    uts_problem problem = uts_prepare(0, UTS_SERIAL_LEVEL);
    long hashes = problem.tree.nodes;
    double start = bench_seconds();
    long sum = uts_run_flat_serial(hashes);
    double serial_seconds = bench_seconds() - start;
    int threads = bench_team();
    start = bench_seconds();
    long found = uts_run_flat(hashes, asked.per_task);
    double seconds = bench_seconds() - start;
    uts_expect("as the sum of all digests", found, sum);

    bench_json_begin("uts", "flat", threads, seconds);
    bench_json_integer("answer", found);
    bench_json_integer("evaluations", hashes);
    bench_json_integer("aggregate", asked.per_task);
    bench_json_real("ns_per_hash", 1e9 * seconds / (double)hashes);
    bench_json_serial(serial_seconds, seconds);
    bench_json_end();
}

int main(int argc, char **argv) {
    const bench_option options[] = {
        {"variant", 0, BENCH_CHOICE, &asked.variant, 0, 0,
         "serial|taskwait|threadprivate|stealing|flat|survey",
         "which program (taskwait); flat: hashes without a tree; survey: serial, leaves and depth"},
        {"untied", 0, BENCH_FLAG, &asked.untied, 0, 0, NULL, "untied tasks"},
        {"if-percent", 0, BENCH_REAL, &asked.in_place, 0, 100, "X",
         "share of nodes explored in place, by an if clause (0)"},
        {"chunk", 0, BENCH_INTEGER, &asked.chunk, 1, 65536, "N",
         "stealing: nodes taken at a time (64)"},
        {"aggregate", 0, BENCH_INTEGER, &asked.per_task, 1, 1000000000, "N",
         "flat: hashes per task (1)"},
    };
    uts_parse(argc, argv, options, sizeof options / sizeof options[0]);
    check_options();
    if (asked.variant == FLAT)
        add_hashes();
    else
        count_nodes();
    return 0;
}
