// SPDX-License-Identifier: Apache-2.0
// The serial program of UTS (problem.h): results are passed up as return values, as in the form
// of Olivier & Prins 2010, section 3.1.1, without its pragmas. It exists with one hash per node,
// which is timed against the usual forms, and with many.
#include "problem.h"

static long count(const uts_node *node) {
    int children = uts_children(node);
    if (children == 0)
        return 1;
    long partial[children], total = 1;
    for (int i = 0; i < children; i++) {
        uts_node child = uts_child(node, i);
        partial[i] = count(&child);
    }
    for (int i = 0; i < children; i++)
        total += partial[i];
    return total;
}

static long count_of_hashes(const uts_node *node, long hashes) {
    int children = uts_children(node);
    if (children == 0)
        return 1;
    long partial[children], total = 1;
    for (int i = 0; i < children; i++) {
        uts_node child = uts_child_of_hashes(node, i, hashes);
        partial[i] = count_of_hashes(&child, hashes);
    }
    for (int i = 0; i < children; i++)
        total += partial[i];
    return total;
}

long uts_count_serial(const uts_node *root, long hashes) {
    return hashes == 1 ? count(root) : count_of_hashes(root, hashes);
}
