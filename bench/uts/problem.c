// SPDX-License-Identifier: Apache-2.0
// The problem that all forms of UTS solve (problem.h): which tree, whether stacks hold it, its
// answer, and the common part of the JSON line.
#include "problem.h"

#include <string.h>
#include <sys/resource.h>

uts_request uts_asked = {NULL, {-1, -1, -1, -1, -1, -1, -1, -1}, 1, 0, 0};

static const bench_option options[] = {
    {"tree", 0, BENCH_TEXT, &uts_asked.name, 0, 0, "NAME",
     "a known tree: tiny tiny3 small3 T1-T5 T1L-T3L T1XL T1XXL-T3XXL T1WL-T3WL (T3)"},
    {"hashes", 0, BENCH_INTEGER, &uts_asked.hashes, 1, 1000000, "N",
     "SHA-1 evaluations for each node (1)"},
    {"report", 0, BENCH_FLAG, &uts_asked.report, 0, 0, NULL,
     "instrumented: count tasks, where they ran, and each thread's nodes"},
    {"no-reference", 0, BENCH_FLAG, &uts_asked.no_reference, 0, 0, NULL,
     "do not time the serial program as well"},
    {"type", 't', BENCH_INTEGER, &uts_asked.given.type, 0, 2, "N",
     "0 binomial, 1 geometric, 2 hybrid"},
    {"shape", 'a', BENCH_INTEGER, &uts_asked.given.shape, 0, 3, "N",
     "geometric: 0 linear, 1 exponential, 2 cyclic, 3 fixed"},
    {"depth", 'd', BENCH_INTEGER, &uts_asked.given.depth, 1, 10000, "N",
     "geometric: depth of the tree"},
    {"branching", 'b', BENCH_REAL, &uts_asked.given.branching, 1, 100000, "X",
     "children of the root"},
    {"probability", 'q', BENCH_REAL, &uts_asked.given.probability, 0, 1, "X",
     "binomial: chance of having children"},
    {"arity", 'm', BENCH_INTEGER, &uts_asked.given.arity, 0, 100, "N",
     "binomial: children, if any"},
    {"seed", 'r', BENCH_INTEGER, &uts_asked.given.seed, 0, 2147483647, "N", "seed of the root"},
    {"shift", 'f', BENCH_REAL, &uts_asked.given.shift, 0, 1, "X",
     "hybrid: turn binomial at X * depth"},
};
enum { OPTIONS = sizeof options / sizeof options[0], MAX_OWN = 8 };

void uts_parse(int argc, char **argv, const bench_option *own, size_t count) {
    bench_option all[MAX_OWN + OPTIONS];
    if (count > MAX_OWN)
        bench_usage("internal: more than %d options", MAX_OWN);
    memcpy(all, own, count * sizeof *own);
    memcpy(all + count, options, sizeof options);
    bench_parse(argc, argv, "Counts the nodes of an unbalanced tree.", all, count + OPTIONS);
}

void uts_expect(const char *what, long long found, long long known) {
    if (known > 0 && found != known)
        bench_fail("wrong answer: %lld %s, should be %lld", found, what, known);
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

// Deep trees overflow usual stacks: say so instead of crashing.
static void require_stack(const uts_named_tree *tree, long bytes_per_level) {
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY &&
        tree->depth * bytes_per_level > (long long)stack.rlim_cur)
        bench_usage("%s is %lld levels deep: raise the stacks (ulimit -s and OMP_STACKSIZE)",
                    tree->name, tree->depth);
}

uts_problem uts_prepare(int parallel, long bytes_per_level) {
    uts_problem problem = {choose_tree(uts_asked.name, uts_asked.given), {{0}, 0}, -1.0};
    uts_named_tree *tree = &problem.tree;
    if (uts_asked.no_reference && tree->nodes < 0)
        bench_usage("only a named tree has a known answer to check without the serial program");
    require_stack(tree, bytes_per_level);
    uts_grow(&tree->parameters);
    problem.root = uts_root();
    if (tree->nodes < 0 || (parallel && !uts_asked.no_reference)) {
        double start = bench_seconds();
        long nodes = uts_count_serial(&problem.root, uts_asked.hashes);
        problem.serial_seconds = bench_seconds() - start;
        uts_expect("nodes counted serially", nodes, tree->nodes);
        tree->nodes = nodes;
    }
    return problem;
}

void uts_json_begin(const char *benchmark, const char *variant, const uts_problem *problem,
                    int threads, double seconds, int parallel) {
    double nodes = (double)problem->tree.nodes;
    bench_json_begin(benchmark, variant, threads, seconds);
    bench_json_integer("answer", problem->tree.nodes);
    bench_json_text("tree", problem->tree.name);
    bench_json_integer("hashes", uts_asked.hashes);
    bench_json_real("ns_per_node", 1e9 * seconds / nodes);
    bench_json_real("million_nodes_per_second", 1e-6 * nodes / seconds);
    if (parallel && problem->serial_seconds >= 0) {
        bench_json_serial(problem->serial_seconds, seconds);
        bench_json_real("overhead_share", 1.0 - problem->serial_seconds / (threads * seconds));
    }
}
