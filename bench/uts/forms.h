// SPDX-License-Identifier: Apache-2.0
// The two forms of UTS with OpenMP tasks: Olivier & Prins 2010, sections 3.1.1 and 3.1.2. One task
// per node. tasks.c includes this once for each kind of form, and says by macros what that adds to
// the bare one: CHILD computes a node, CLAUSES stand on its task, and the others count. For the
// bare kind they are empty, so that what is timed holds nothing else.

// A task returns its subtree's count, and the parent adds up after taskwait.
static long FORM(count)(const uts_node *node) {
    int children = uts_children(node);
    VISIT;
    if (children == 0)
        return 1;
    long partial[children], total = 1;
    for (int i = 0; i < children; i++) {
        CREATE(node, i);
#pragma omp task CLAUSES(node, i) firstprivate(node, i CREATOR) shared(partial)
        {
            START;
            uts_node child = CHILD(node, i);
            partial[i] = FORM(count)(&child);
        }
    }
#pragma omp taskwait
    RESUME;
    for (int i = 0; i < children; i++)
        total += partial[i];
    return total;
}

// Nobody waits; a task carries its parent node by value and counts for its thread.
static void FORM(visit)(uts_node node) {
    int children = uts_children(&node);
    VISIT;
    nodes_here++;
    for (int i = 0; i < children; i++) {
        CREATE(&node, i);
#pragma omp task CLAUSES(&node, i) firstprivate(node, i CREATOR)
        {
            START;
            FORM(visit)(CHILD(&node, i));
        }
    }
}

#undef FORM
#undef CLAUSES
