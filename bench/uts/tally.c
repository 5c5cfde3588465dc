// SPDX-License-Identifier: Apache-2.0
// The tallies of the instrumented forms (tally.h). Each lies alone on its cache lines. All are in
// one list: pushed with release by the thread itself, and read with acquire by the main one.
#include "tally.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

enum { ALONE = 128 }; // bytes: a pair of cache lines

static _Atomic(uts_tally *) all;
static _Thread_local uts_tally *mine;

uts_tally *uts_tally_here(void) {
    if (mine != NULL)
        return mine;
    mine = aligned_alloc(ALONE, ALONE);
    _Static_assert(sizeof(uts_tally) <= ALONE, "a tally fits its lines");
    if (mine == NULL)
        bench_fail("out of memory");
    memset(mine, 0, sizeof *mine);
    mine->next = atomic_load_explicit(&all, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&all, &mine->next, mine, memory_order_release,
                                                  memory_order_relaxed))
        continue;
    return mine;
}

uts_node uts_tally_child(const uts_node *parent, int index) {
    if (uts_asked.hashes == 1)
        return uts_child(parent, index);
    double start = bench_seconds();
    uts_node child = uts_child_of_hashes(parent, index, uts_asked.hashes);
    uts_tally_here()->hashing += bench_seconds() - start;
    return child;
}

void uts_tally_start(const uts_tally *creator) {
    uts_tally *here = uts_tally_here();
    here->started_elsewhere += here != creator;
}

typedef struct {
    uts_tally sum;
    long fewest, most;
    int threads;
} totals;

// Also writes nodes_per_thread. Threads of the team that never counted have a share of none.
static totals add_up(int team) {
    totals t = {{0, 0, 0, 0, 0, 0.0, NULL}, -1, 0, 0};
    uts_tally *first = atomic_load_explicit(&all, memory_order_acquire);
    bench_json_open_array("nodes_per_thread");
    for (const uts_tally *one = first; one != NULL || t.threads < team; t.threads++) {
        long nodes = one != NULL ? one->nodes : 0;
        bench_json_integer(NULL, nodes);
        t.most = nodes > t.most ? nodes : t.most;
        t.fewest = t.fewest < 0 || nodes < t.fewest ? nodes : t.fewest;
        if (one == NULL)
            continue;
        t.sum.created += one->created;
        t.sum.started_elsewhere += one->started_elsewhere;
        t.sum.migrated += one->migrated;
        t.sum.nodes += one->nodes;
        t.sum.steals += one->steals;
        t.sum.hashing += one->hashing;
        one = one->next;
    }
    bench_json_close_array();
    return t;
}

void uts_json_tally(int threads, double seconds, long nodes, long tasks) {
    totals t = add_up(threads);
    uts_expect("nodes in the tallies", t.sum.nodes, nodes);
    if (tasks >= 0 && t.sum.created != tasks)
        bench_fail("wrong tally: %ld tasks, should be %ld", t.sum.created, tasks);
    bench_json_integer("tasks_created", t.sum.created);
    bench_json_integer("started_elsewhere", t.sum.started_elsewhere);
    bench_json_integer("migrated", t.sum.migrated);
    bench_json_integer("steals", t.sum.steals);
    bench_json_integer("fewest_nodes", t.fewest);
    bench_json_integer("most_nodes", t.most);
    bench_json_real("lost_efficiency", 1.0 - (double)nodes / t.threads / (double)t.most);
    if (uts_asked.hashes > 1)
        bench_json_real("unhashed_share", 1.0 - t.sum.hashing / (threads * seconds));
}
