// SPDX-License-Identifier: Apache-2.0
// UTS without tasks: Olivier & Prins 2010, section 3.1.3. The threads of one parallel region search
// depth first, each on its own stack, steal chunks of nodes from each other, and find out by
// themselves that the tree is done. All by OpenMP's locks and atomics: what a user had to write
// before there were tasks. Only the owner pushes; a lock guards what thieves may take.
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"
#include "tally.h"
#include "tasks.h"

// nodes[bottom..split) may be stolen, the oldest first; nodes[split..top) is the owner's alone.
// `nodes`, `bottom` and `split` change under the lock. Only the owner changes `nodes` and `split`,
// so it reads these without.
typedef struct {
    omp_lock_t lock;
    uts_node *nodes;
    long capacity, bottom, split, top;
    long steals, stolen; // by this thread: chunks, nodes
    long shared;         // split - bottom: written under the lock, read by any thread, atomically
} __attribute__((aligned(128))) stack;

// One run. `idle` counts the threads that have no nodes and look for some.
typedef struct {
    stack *stacks;
    long chunk;
    int team, idle;
} search;

static void tell_shared(stack *own) {
#pragma omp atomic write
    own->shared = own->split - own->bottom;
}

// Room for so many more nodes. What was stolen has left a gap at the bottom, which is used first.
static void reserve(stack *own, long more) {
    if (own->top + more <= own->capacity)
        return;
    omp_set_lock(&own->lock);
    long used = own->top - own->bottom;
    if (2 * (used + more) > own->capacity) {
        own->capacity = 2 * (used + more);
        uts_node *larger = malloc((size_t)own->capacity * sizeof *larger);
        if (larger == NULL)
            bench_fail("out of memory");
        if (used > 0)
            memcpy(larger, own->nodes + own->bottom, (size_t)used * sizeof *larger);
        free(own->nodes);
        own->nodes = larger;
    } else {
        memmove(own->nodes, own->nodes + own->bottom, (size_t)used * sizeof *own->nodes);
    }
    own->split -= own->bottom;
    own->top = used;
    own->bottom = 0;
    omp_unset_lock(&own->lock);
}

// The owner keeps its newest chunk or two, and offers the rest in whole chunks.
static void offer(stack *own, long chunk) {
    omp_set_lock(&own->lock);
    own->split += ((own->top - own->split) / chunk - 1) * chunk;
    tell_shared(own);
    omp_unset_lock(&own->lock);
}

// The owner, out of nodes, takes back what it offered last; 0 if thieves have it all.
static int take_back(stack *own, long chunk) {
    omp_set_lock(&own->lock);
    long left = own->split - own->bottom;
    own->split -= left < chunk ? left : chunk;
    tell_shared(own);
    omp_unset_lock(&own->lock);
    return left > 0;
}

static int steal(stack *own, stack *victim, long chunk) {
    reserve(own, chunk); // before the victim's lock: nobody holds two
    omp_set_lock(&victim->lock);
    long left = victim->split - victim->bottom, taken = left < chunk ? left : chunk;
    if (taken > 0)
        memcpy(own->nodes + own->top, victim->nodes + victim->bottom,
               (size_t)taken * sizeof *own->nodes);
    victim->bottom += taken;
    tell_shared(victim);
    omp_unset_lock(&victim->lock);
    own->top += taken;
    own->steals += taken > 0;
    own->stolen += taken;
    return taken > 0;
}

static void count_idle(search *all, int change) {
#pragma omp atomic update
    all->idle += change;
}

// Nodes from another stack, or 0 when there are none anywhere. A thread counts as idle only while
// its stack is empty, and is no longer idle before it touches another's. Who steals from V does so
// before V finds its own stack empty, under V's lock, so the thief's step out of idleness comes
// before V's into it. Hence, when all are idle at once, all stacks are empty for good.
static int find_nodes(search *all, int me) {
    count_idle(all, 1);
    for (;;) {
        for (int next = 1; next < all->team; next++) {
            stack *victim = &all->stacks[(me + next) % all->team];
            long shared;
#pragma omp atomic read
            shared = victim->shared;
            if (shared == 0)
                continue;
            count_idle(all, -1);
            if (steal(&all->stacks[me], victim, all->chunk))
                return 1;
            count_idle(all, 1);
        }
        int idle;
#pragma omp atomic read
        idle = all->idle;
        if (idle == all->team)
            return 0;
        sched_yield(); // who has nodes may lack a CPU
    }
}

static inline uts_node child_of(const uts_node *node, int index, uts_kind kind) {
    if (kind == UTS_BARE)
        return uts_child(node, index);
    if (kind == UTS_VARIED)
        return uts_child_of_hashes(node, index, uts_asked.hashes);
    return uts_tally_child(node, index);
}

// Inlined once for each kind, which is a constant there.
static inline __attribute__((always_inline)) long explore(search *all, int me, uts_kind kind) {
    stack *own = &all->stacks[me];
    long nodes = 0, chunk = all->chunk;
    do {
        while (own->top > own->split || take_back(own, chunk)) {
            uts_node node = own->nodes[--own->top];
            nodes++;
            int children = uts_children(&node);
            if (children == 0)
                continue;
            reserve(own, children);
            for (int i = 0; i < children; i++)
                own->nodes[own->top++] = child_of(&node, i, kind);
            if (own->top - own->split >= 2 * chunk)
                offer(own, chunk);
        }
    } while (find_nodes(all, me));
    if (kind == UTS_REPORTED) {
        uts_tally *here = uts_tally_here();
        here->nodes = nodes;
        here->steals = own->steals;
        here->started_elsewhere = own->stolen;
    }
    return nodes;
}

static void prepare(stack *own, const uts_node *root) {
    *own = (stack){.nodes = NULL};
    omp_init_lock(&own->lock);
    reserve(own, 1024);
    if (root != NULL)
        own->nodes[own->top++] = *root;
}

static void dispose(stack *own) {
    omp_destroy_lock(&own->lock);
    free(own->nodes);
}

long uts_run_stealing(const uts_node *root, uts_kind kind, long chunk) {
    search all = {NULL, chunk, 0, 0};
    long total = 0;
#pragma omp parallel reduction(+ : total)
    {
        int me = omp_get_thread_num();
#pragma omp single
        {
            all.team = omp_get_num_threads();
            all.stacks = aligned_alloc(_Alignof(stack), (size_t)all.team * sizeof(stack));
            if (all.stacks == NULL)
                bench_fail("out of memory");
        }
        prepare(&all.stacks[me], me == 0 ? root : NULL);
#pragma omp barrier
        total += kind == UTS_BARE     ? explore(&all, me, UTS_BARE)
                 : kind == UTS_VARIED ? explore(&all, me, UTS_VARIED)
                                      : explore(&all, me, UTS_REPORTED);
#pragma omp barrier
        dispose(&all.stacks[me]);
    }
    free(all.stacks);
    return total;
}
