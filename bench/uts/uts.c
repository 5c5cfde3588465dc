// SPDX-License-Identifier: Apache-2.0
// Unbalanced Tree Search with OpenMP tasks: Olivier & Prins, "Comparison of OpenMP 3.0 and
// Other Task Parallel Frameworks on Unbalanced Task Graphs" (2010), sections 3.1.1 and 3.1.2.
// One task per node, no cut-off; the node count must equal the published one.
// Usage: uts [--tree T3] [--variant taskwait|threadprivate|...] [--untied] [--threads N]
#include <stdio.h>
#include <sys/resource.h>

#include "../common/bench.h"
#include "tree.h"

enum variant { SERIAL, TASKWAIT, THREADPRIVATE, SURVEY };
static const char *const variant_names[] = {"serial", "taskwait", "threadprivate", "survey"};

// The program without OpenMP: what every speed-up is measured against.
static long count_serial(const uts_node *node) {
    int children = uts_children(node);
    if (children == 0)
        return 1;
    long partial[children], total = 1;
    for (int i = 0; i < children; i++) {
        uts_node child = uts_child(node, i);
        partial[i] = count_serial(&child);
    }
    for (int i = 0; i < children; i++)
        total += partial[i];
    return total;
}

// Paper, 3.1.1: a task returns its subtree's count, and the parent adds up after taskwait.
static long count_tied(const uts_node *node) {
    int children = uts_children(node);
    if (children == 0)
        return 1;
    long partial[children], total = 1;
    for (int i = 0; i < children; i++) {
#pragma omp task firstprivate(node, i) shared(partial)
        {
            uts_node child = uts_child(node, i);
            partial[i] = count_tied(&child);
        }
    }
#pragma omp taskwait
    for (int i = 0; i < children; i++)
        total += partial[i];
    return total;
}

// The same with untied tasks: another code path in the compiler, so it is spelled out.
static long count_untied(const uts_node *node) {
    int children = uts_children(node);
    if (children == 0)
        return 1;
    long partial[children], total = 1;
    for (int i = 0; i < children; i++) {
#pragma omp task untied firstprivate(node, i) shared(partial)
        {
            uts_node child = uts_child(node, i);
            partial[i] = count_untied(&child);
        }
    }
#pragma omp taskwait
    for (int i = 0; i < children; i++)
        total += partial[i];
    return total;
}

// Paper, 3.1.2: nobody waits; a task carries its parent node by value and counts for its thread.
static long nodes_here;
#pragma omp threadprivate(nodes_here)

static void visit(uts_node node) {
    int children = uts_children(&node);
    nodes_here++;
    for (int i = 0; i < children; i++) {
#pragma omp task firstprivate(node, i)
        visit(uts_child(&node, i));
    }
}

static long run_taskwait(const uts_node *root, int untied) {
    long total = 0;
#pragma omp parallel
#pragma omp single
    total = untied ? count_untied(root) : count_tied(root);
    return total;
}

static long run_threadprivate(const uts_node *root) {
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

static void expect(const char *what, long long found, long long published) {
    if (published > 0 && found != published)
        bench_fail("wrong answer: %lld %s, should be %lld", found, what, published);
}

static long run(enum variant variant, const uts_node *root, int untied, census *seen) {
    switch (variant) {
    case TASKWAIT:
        return run_taskwait(root, untied);
    case THREADPRIVATE:
        return run_threadprivate(root);
    case SURVEY:
        survey(root, seen);
        return seen->nodes;
    default:
        return count_serial(root);
    }
}

// The tree asked for: a named one with its known answer, or one spelled out letter by letter.
static uts_named_tree choose_tree(const char *name, uts_parameters given) {
    int spelled = uts_complete(&given);
    if (name != NULL && spelled)
        bench_usage("--tree names a whole tree: give it, or -t -a -d -b -q -m -r -f");
    if (spelled) {
        if (given.type != UTS_GEOMETRIC && given.probability * (double)given.arity >= 1.0)
            bench_usage("a tree with -q times -m of 1 or more never ends");
        return (uts_named_tree){"custom", given, -1, -1, -1};
    }
    const uts_named_tree *found = uts_find_tree(name != NULL ? name : "T3");
    if (found == NULL)
        bench_usage("no tree is called '%s'; there are %s", name, uts_tree_names());
    return *found;
}

// Deep trees overflow usual stacks: say so instead of crashing. A level of recursion takes some
// 300 bytes; with libgomp's frames in between more than 470 and less than 710 (T3L overflows
// 8 MiB and fits 12 MiB), and other runtimes get room for a little more.
static void require_stack(const uts_named_tree *tree, int parallel) {
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY &&
        tree->depth * (parallel ? 1024 : 300) > (long long)stack.rlim_cur)
        bench_usage("%s is %lld levels deep: raise the stacks (ulimit -s and OMP_STACKSIZE)",
                    tree->name, tree->depth);
}

int main(int argc, char **argv) {
    const char *name = NULL;
    long variant = TASKWAIT;
    int untied = 0, no_reference = 0;
    uts_parameters given = uts_unset;
    const bench_option options[] = {
        {"tree", 0, BENCH_TEXT, &name, 0, 0, "NAME",
         "a known tree: tiny T1-T5 T1L-T3L T1XL T1XXL-T3XXL T1WL-T3WL (T3)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "serial|taskwait|threadprivate|survey",
         "which program (taskwait); survey is serial and checks leaves and depth too"},
        {"untied", 0, BENCH_FLAG, &untied, 0, 0, NULL, "untied tasks (taskwait only)"},
        {"no-reference", 0, BENCH_FLAG, &no_reference, 0, 0, NULL,
         "do not time the serial program as well"},
        {"type", 't', BENCH_INTEGER, &given.type, 0, 2, "N", "0 binomial, 1 geometric, 2 hybrid"},
        {"shape", 'a', BENCH_INTEGER, &given.shape, 0, 3, "N",
         "geometric: 0 linear, 1 exponential, 2 cyclic, 3 fixed"},
        {"depth", 'd', BENCH_INTEGER, &given.depth, 1, 10000, "N", "geometric: depth of the tree"},
        {"branching", 'b', BENCH_REAL, &given.branching, 1, 100000, "X", "children of the root"},
        {"probability", 'q', BENCH_REAL, &given.probability, 0, 1, "X",
         "binomial: chance of having children"},
        {"arity", 'm', BENCH_INTEGER, &given.arity, 0, 100, "N", "binomial: children, if any"},
        {"seed", 'r', BENCH_INTEGER, &given.seed, 0, 2147483647, "N", "seed of the root"},
        {"shift", 'f', BENCH_REAL, &given.shift, 0, 1, "X", "hybrid: turn binomial at X * depth"},
    };
    bench_parse(argc, argv, "Counts the nodes of an unbalanced tree, one task per node.", options,
                sizeof options / sizeof options[0]);
    if (untied && variant != TASKWAIT)
        bench_usage("--untied goes with --variant taskwait only");
    uts_named_tree tree = choose_tree(name, given);
    if (no_reference && tree.nodes < 0)
        bench_usage("only a named tree has a known answer to check without the serial program");
    int parallel = variant == TASKWAIT || variant == THREADPRIVATE;
    require_stack(&tree, parallel);
    uts_grow(&tree.parameters);
    uts_node root = uts_root();

    double serial_seconds = 0.0;
    if (tree.nodes < 0 || (parallel && !no_reference)) {
        double start = bench_seconds();
        long nodes = count_serial(&root);
        serial_seconds = bench_seconds() - start;
        expect("nodes counted serially", nodes, tree.nodes);
        tree.nodes = nodes;
    }
    int threads = parallel ? bench_team() : 1;
    census seen = {0, 0, 0};
    double start = bench_seconds();
    long nodes = run((enum variant)variant, &root, untied, &seen);
    double seconds = bench_seconds() - start;
    expect("nodes", nodes, tree.nodes);
    if (variant == SURVEY) {
        expect("leaves", seen.leaves, tree.leaves);
        expect("levels", seen.depth, tree.depth);
    }

    char label[32];
    snprintf(label, sizeof label, "%s%s", variant_names[variant], untied ? "-untied" : "");
    bench_json_begin("uts", label, threads, seconds);
    bench_json_integer("answer", nodes);
    bench_json_text("tree", tree.name);
    bench_json_real("ns_per_node", 1e9 * seconds / (double)nodes);
    bench_json_real("million_nodes_per_second", 1e-6 * (double)nodes / seconds);
    if (variant == SURVEY) {
        bench_json_integer("leaves", seen.leaves);
        bench_json_integer("depth", seen.depth);
    }
    if (parallel && !no_reference)
        bench_json_serial(serial_seconds, seconds);
    bench_json_end();
    return 0;
}
