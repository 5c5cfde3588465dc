// SPDX-License-Identifier: Apache-2.0
// What the instrumented forms of UTS count (--report), as in Olivier & Prins 2010, section 4.2:
// tasks created, tasks started elsewhere, each thread's nodes, and the time spent on hashes. It
// knows threads, but no runtime: each thread that counts has a tally, and writes to no other. They
// are read when all work is done. Forms that are not instrumented contain none of this.
#ifndef HEDDLE_BENCH_UTS_TALLY_H
#define HEDDLE_BENCH_UTS_TALLY_H

#include "tree.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct uts_tally {
    long created;           // tasks that might run on another thread
    long started_elsewhere; // tasks or nodes begun here that another thread created
    long migrated;          // tasks that this thread resumed and another one had suspended
    long nodes;
    long steals;    // of chunks, by the form that steals them itself
    double hashing; // seconds, if a node has more than one hash
    struct uts_tally *next;
} uts_tally;

// The calling thread's; made by its first call. Its address is never to be kept across a point
// where a task may be resumed by another thread: compilers take omp_get_thread_num and
// threadprivate addresses for constants of a task, but not this.
uts_tally *uts_tally_here(void);

// The child, with its hashing timed where a node has more than one hash: the two readings of the
// clock take as long as a hash.
uts_node uts_tally_child(const uts_node *parent, int index);

// A task begins here that the thread of `creator` created.
void uts_tally_start(const uts_tally *creator);

// Writes, with the program's JSON line open, tasks_created, started_elsewhere, migrated,
// nodes_per_thread, fewest_nodes, most_nodes, lost_efficiency (1 - mean / most of the nodes per
// thread: what imbalance alone costs, section 4.2.2), and with many hashes unhashed_share (1 -
// time hashing / (threads * seconds), section 4.2.1). Ends the program if the nodes do not add up
// to `nodes`, or the tasks not to `tasks` (-1: not known).
void uts_json_tally(int threads, double seconds, long nodes, long tasks);

#ifdef __cplusplus
}
#endif

#endif
