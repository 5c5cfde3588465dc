// SPDX-License-Identifier: Apache-2.0
// The trees of the UTS benchmark: Olivier et al., "UTS: An Unbalanced Tree Search Benchmark"
// (LCPC 2006). A node is a 20-byte SHA-1 state; everything below it follows from the state.
#ifndef HEDDLE_BENCH_UTS_TREE_H
#define HEDDLE_BENCH_UTS_TREE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint32_t state[5];
    int32_t depth;
} uts_node;

enum uts_type { UTS_BINOMIAL, UTS_GEOMETRIC, UTS_HYBRID };
enum uts_shape { UTS_LINEAR, UTS_EXPONENTIAL, UTS_CYCLIC, UTS_FIXED };

// The published parameters, in the letters of the published command lines.
typedef struct {
    long type;          // -t
    long shape;         // -a: how a geometric tree's branching changes with depth
    long depth;         // -d: depth of a geometric tree
    double branching;   // -b: expected (binomial: exact) children of the root
    double probability; // -q: chance that a binomial node has children
    long arity;         // -m: children of a binomial node that has some
    long seed;          // -r
    double shift;       // -f: hybrid trees turn binomial at this fraction of the depth
} uts_parameters;

// A tree with a name and its known answer; depth and leaves are -1 where not published.
typedef struct {
    const char *name;
    uts_parameters parameters;
    long long nodes, depth, leaves;
} uts_named_tree;

// Every parameter negative. uts_complete replaces what is still negative by the published
// default and tells whether anything had been set.
extern const uts_parameters uts_unset;
int uts_complete(uts_parameters *parameters);

// The named tree, or NULL; uts_tree_names lists all names.
const uts_named_tree *uts_find_tree(const char *name);
const char *uts_tree_names(void);

// Chooses the tree. Called once, before any node is made; only read afterwards.
void uts_grow(const uts_parameters *parameters);

uts_node uts_root(void);
int uts_children(const uts_node *node);
uts_node uts_child(const uts_node *parent, int index);

// The same child from `hashes` evaluations of SHA-1, all but one for the time they take: work per
// node as in Olivier & Prins 2010, section 4.2.1.
uts_node uts_child_of_hashes(const uts_node *parent, int index, long hashes);

#ifdef __cplusplus
}
#endif

#endif
