// SPDX-License-Identifier: Apache-2.0
// The forms of UTS that the OpenMP program has beside the serial one, each a whole parallel region.
// Of each there are several kinds, compiled apart, so that the bare one pays for no option.
#ifndef HEDDLE_BENCH_UTS_TASKS_H
#define HEDDLE_BENCH_UTS_TASKS_H

#include "tree.h"

typedef enum {
    UTS_BARE,    // one hash a node, a task for every node
    UTS_VARIED,  // --hashes and --if-percent
    UTS_REPORTED // these, and tallies
} uts_kind;

// The share of nodes, in percent, that are explored in place: their tasks' if clause is false.
// They are drawn by their parents' states. To be called before the region; 0 without.
void uts_explore_in_place(double percent);

// Paper, 3.1.1 and 3.1.2; untied or tied tasks. Both return the number of nodes.
long uts_run_taskwait(const uts_node *root, uts_kind kind, int untied);
long uts_run_threadprivate(const uts_node *root, uts_kind kind, int untied);

// Paper, 3.1.3: no tasks; threads steal chunks of so many nodes from each other's stacks.
long uts_run_stealing(const uts_node *root, uts_kind kind, long chunk);

// Paper, 4.3: `hashes` independent evaluations of SHA-1, so many per task; what they add up to.
// The serial one makes no tasks.
long uts_run_flat(long hashes, long per_task);
long uts_run_flat_serial(long hashes);

#endif
