// SPDX-License-Identifier: Apache-2.0
// Tree shapes and published trees of UTS (Olivier et al., LCPC 2006, section 2 and the
// benchmark's list of sample trees). The random value of a node is the low 31 bits of its state.
// What depends only on the depth is computed once, so a node costs little more than its hash.
#include "tree.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "sha1.h"

enum { MAX_CHILDREN = 100, TABLED_DEPTHS = 1024 };
static const double RANDOM_RANGE = 2147483648.0;

static uts_parameters tree;
static uint32_t binomial_bound;               // random values below it have children
static double geometric_scale[TABLED_DEPTHS]; // scale_at(depth)

// The parameters that a kind of tree ignores keep the published defaults.
#define GEOMETRIC(shape, d, b, r) {UTS_GEOMETRIC, shape, d, b, 15.0 / 64.0, 4, r, 0.5}
#define BINOMIAL(b, q, m, r) {UTS_BINOMIAL, UTS_LINEAR, 6, b, q, m, r, 0.5}

const uts_parameters uts_unset = {-1, -1, -1, -1, -1, -1, -1, -1};
static const uts_parameters defaults = GEOMETRIC(UTS_LINEAR, 6, 4, 0);

// Parameters and answers as published with the benchmark; "tiny", of T1's kind, "tiny3" and
// "small3", of T3's, are ours, for quick checks and for many hashes per node.
static const uts_named_tree named_trees[] = {
    {"tiny", GEOMETRIC(UTS_FIXED, 7, 4, 19), 63914, 7, 51124},
    {"tiny3", BINOMIAL(300, 0.124, 8, 7), 36669, 133, 32122},
    {"small3", BINOMIAL(300, 0.124, 8, 42), 258381, 333, 226120},
    {"T1", GEOMETRIC(UTS_FIXED, 10, 4, 19), 4130071, 10, 3305118},
    {"T2", GEOMETRIC(UTS_CYCLIC, 16, 6, 502), 4117769, 81, 2342762},
    {"T3", BINOMIAL(2000, 0.124875, 8, 42), 4112897, 1572, 3599034},
    {"T4", {UTS_HYBRID, UTS_LINEAR, 16, 6, 0.234375, 4, 1, 0.5}, 4132453, 134, 3108986},
    {"T5", GEOMETRIC(UTS_LINEAR, 20, 4, 34), 4147582, 20, 2181318},
    {"T1L", GEOMETRIC(UTS_FIXED, 13, 4, 29), 102181082, 13, 81746377},
    {"T2L", GEOMETRIC(UTS_CYCLIC, 23, 7, 220), 96793510, 67, 53791152},
    {"T3L", BINOMIAL(2000, 0.200014, 5, 7), 111345631, 17844, 89076904},
    {"T1XL", GEOMETRIC(UTS_FIXED, 15, 4, 29), 1635119272, 15, 1308100063},
    {"T1XXL", GEOMETRIC(UTS_FIXED, 15, 4, 19), 4230646601, 15, -1},
    {"T2XXL", BINOMIAL(2000, 0.499999995, 2, 0), 10612052303, 216370, 5306027151},
    {"T3XXL", BINOMIAL(2000, 0.499995, 2, 316), 2793220501, -1, -1},
    {"T1WL", GEOMETRIC(UTS_FIXED, 18, 4, 19), 270751679750, 18, 216601257283},
    {"T2WL", BINOMIAL(2000, 0.4999999995, 2, 559), 295393891003, 1021239, 147696946501},
    {"T3WL", BINOMIAL(2000, 0.4999995, 2, 559), 157063495159, 758577, 78531748579},
};
enum { NAMED_TREES = sizeof named_trees / sizeof named_trees[0] };

const uts_named_tree *uts_find_tree(const char *name) {
    for (size_t i = 0; i < NAMED_TREES; i++)
        if (strcmp(named_trees[i].name, name) == 0)
            return &named_trees[i];
    return NULL;
}

const char *uts_tree_names(void) {
    static char names[256];
    for (size_t i = 0; i < NAMED_TREES && names[sizeof names - 16] == '\0'; i++) {
        if (i != 0)
            strcat(names, " ");
        strcat(names, named_trees[i].name);
    }
    return names;
}

int uts_complete(uts_parameters *p) {
    uts_parameters given = *p;
#define OR_DEFAULT(field) p->field = given.field < 0 ? defaults.field : given.field
    OR_DEFAULT(type);
    OR_DEFAULT(shape);
    OR_DEFAULT(depth);
    OR_DEFAULT(branching);
    OR_DEFAULT(probability);
    OR_DEFAULT(arity);
    OR_DEFAULT(seed);
    OR_DEFAULT(shift);
#undef OR_DEFAULT
    return memcmp(&given, &uts_unset, sizeof given) != 0;
}

// Expected number of children of a geometric node at this depth.
static double branching_at(int depth) {
    double reach = (double)tree.depth;
    if (depth == 0)
        return tree.branching;
    switch (tree.shape) {
    case UTS_EXPONENTIAL:
        return tree.branching * pow(depth, -log(tree.branching) / log(reach));
    case UTS_CYCLIC:
        return depth > 5 * tree.depth
                   ? 0.0
                   : pow(tree.branching, sin(2.0 * 3.141592653589793 * depth / reach));
    case UTS_FIXED:
        return depth < tree.depth ? tree.branching : 0.0;
    default:
        return depth < tree.depth ? tree.branching * (1.0 - depth / reach) : 0.0;
    }
}

// log(1 - p) of the geometric distribution with that expectation; 0 stands for "no children".
static double scale_at(int depth) {
    double expected = branching_at(depth);
    return expected > 0.0 ? log(1.0 - 1.0 / (1.0 + expected)) : 0.0;
}

void uts_grow(const uts_parameters *parameters) {
    tree = *parameters;
    binomial_bound = (uint32_t)ceil(tree.probability * RANDOM_RANGE);
    for (int depth = 0; depth < TABLED_DEPTHS; depth++)
        geometric_scale[depth] = scale_at(depth);
}

static uint32_t random_of(const uts_node *node) { return node->state[4] & 0x7fffffff; }

static int binomial_children(const uts_node *node) {
    return random_of(node) < binomial_bound ? (int)tree.arity : 0;
}

static int geometric_children(const uts_node *node) {
    int depth = node->depth;
    double scale = depth < TABLED_DEPTHS ? geometric_scale[depth] : scale_at(depth);
    if (scale == 0.0)
        return 0;
    double children = floor(log(1.0 - random_of(node) / RANDOM_RANGE) / scale);
    return children < MAX_CHILDREN ? (int)children : MAX_CHILDREN;
}

int uts_children(const uts_node *node) {
    switch (tree.type) {
    case UTS_BINOMIAL: // only a binomial root may have more than MAX_CHILDREN
        return node->depth == 0 ? (int)tree.branching : binomial_children(node);
    case UTS_GEOMETRIC:
        return geometric_children(node);
    default:
        return node->depth < tree.shift * (double)tree.depth ? geometric_children(node)
                                                             : binomial_children(node);
    }
}

uts_node uts_root(void) {
    uts_node root = {.depth = 0};
    sha1_root(root.state, (uint32_t)tree.seed);
    return root;
}

uts_node uts_child(const uts_node *parent, int index) {
    uts_node child;
    sha1_child(child.state, parent->state, (uint32_t)index);
    child.depth = parent->depth + 1;
    return child;
}

uts_node uts_child_of_hashes(const uts_node *parent, int index, long hashes) {
    for (long i = 1; i < hashes; i++)
        (void)uts_child(parent, index);
    return uts_child(parent, index);
}
