// SPDX-License-Identifier: Apache-2.0
// The 0/1 knapsack problem by branch and bound: take an item or leave it, unless filling up with
// what remains, the last item in part (Dantzig, Operations Research 5, 1957), cannot beat the best
// value found, which all tasks share. Two tiny tasks per node. A kernel of the Barcelona OpenMP
// Tasks Suite's kind, our own code; the optimum is checked by dynamic programming.
// Usage: knapsack [--items 24] [--seed 1] [--variant tied|untied|serial] [--cutoff KIND]
//                 [--depth 10] [--threads N]
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "../common/bench.h"
#include "../common/cutoff.h"

enum { MAX_ITEMS = 60, LEAST_WEIGHT = 1000, WEIGHTS = 100 };
enum variant { TIED, UNTIED, SERIAL };
static const char *const variant_names[] = {"tied", "untied", "serial"};

typedef struct {
    long weight, value;
} item;

static long item_count;
static long capacity;
static item items[MAX_ITEMS]; // the most valuable by weight first
static bench_cutoff cutoff = {CUTOFF_NONE, 10};

// What is decided: all items before `next`.
typedef struct {
    long next, room, value;
    uint64_t taken; // a bit per item
} selection;

static struct {
    long value;
    uint64_t taken;
} best;

static uint64_t scramble(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static int by_density(const void *a, const void *b) {
    const item *x = a, *y = b;
    long difference = y->value * x->weight - x->value * y->weight;
    return difference != 0 ? (difference > 0) - (difference < 0) : (int)(x->weight - y->weight);
}

// Items of nearly the same weight, and a knapsack that holds half of them and half an item more.
// What does not fit is most of the distance between a bound and the optimum, so that much of the
// tree must be searched in any order; instances that are hard in this way are Chvatal's
// (Operations Research 28, 1980).
static void generate(long seed) {
    for (long i = 0; i < item_count; i++) {
        uint64_t bits = scramble((uint64_t)(seed * MAX_ITEMS + i + 1) * 0x9e3779b97f4a7c15u);
        items[i].weight = LEAST_WEIGHT + (long)(bits % WEIGHTS);
        items[i].value = items[i].weight + (long)(bits / WEIGHTS % WEIGHTS);
    }
    qsort(items, (size_t)item_count, sizeof items[0], by_density);
    capacity = (item_count | 1) * (2 * LEAST_WEIGHT + WEIGHTS) / 4;
}

// No completion of this selection is worth more.
static long bound_of(const selection *s) {
    long room = s->room, value = s->value;
    for (long i = s->next; i < item_count; i++) {
        if (items[i].weight > room)
            return value + items[i].value * room / items[i].weight;
        room -= items[i].weight;
        value += items[i].value;
    }
    return value;
}

static selection with_next(const selection *s) {
    const item *next = &items[s->next];
    return (selection){s->next + 1, s->room - next->weight, s->value + next->value,
                       s->taken | (uint64_t)1 << s->next};
}

static selection without_next(const selection *s) {
    return (selection){s->next + 1, s->room, s->value, s->taken};
}

// Returns the number of nodes looked at; with tasks it varies with the order of the search.
static long search_serial(const selection *s) {
    if (s->value > best.value) {
        best.value = s->value;
        best.taken = s->taken;
    }
    if (s->next == item_count || bound_of(s) <= best.value)
        return 1;
    long visited = 1;
    if (items[s->next].weight <= s->room) {
        selection taking = with_next(s);
        visited += search_serial(&taking);
    }
    selection leaving = without_next(s);
    return visited + search_serial(&leaving);
}

static long best_now(void) {
    long value;
#pragma omp atomic read
    value = best.value;
    return value;
}

// All writers hold the critical section; readers of the value alone need only the atomic.
static void offer(const selection *s) {
    if (s->value <= best_now())
        return;
#pragma omp critical(knapsack_best)
    if (s->value > best.value) {
        best.taken = s->taken;
#pragma omp atomic write
        best.value = s->value;
    }
}

// What a task below a manual cut-off runs: no tasks, but the best value is still shared.
static long search_alone(const selection *s) {
    offer(s);
    if (s->next == item_count || bound_of(s) <= best_now())
        return 1;
    long visited = 1;
    if (items[s->next].weight <= s->room) {
        selection taking = with_next(s);
        visited += search_alone(&taking);
    }
    selection leaving = without_next(s);
    return visited + search_alone(&leaving);
}

// A cut-off's depth is the number of items decided.
#define SEARCH(NAME, tying, kind)                                                                  \
    static long search_##NAME(const selection *s) {                                                \
        if (cutoff_serial(kind, cutoff.depth, s->next))                                            \
            return search_alone(s);                                                                \
        offer(s);                                                                                  \
        if (s->next == item_count || bound_of(s) <= best_now())                                    \
            return 1;                                                                              \
        long with = 0, without;                                                                    \
        if (items[s->next].weight <= s->room) {                                                    \
            selection taking = with_next(s);                                                       \
            BENCH_TASK(tying firstprivate(taking) shared(with)                                     \
                           CUTOFF_CLAUSES(kind, cutoff.depth, s->next))                            \
            with = search_##NAME(&taking);                                                         \
        }                                                                                          \
        selection leaving = without_next(s);                                                       \
        BENCH_TASK(tying firstprivate(leaving) shared(without)                                     \
                       CUTOFF_CLAUSES(kind, cutoff.depth, s->next))                                \
        without = search_##NAME(&leaving);                                                         \
        BENCH_PRAGMA(omp taskwait)                                                                 \
        return 1 + with + without;                                                                 \
    }

CUTOFF_FORMS(SEARCH)

static long (*const search[2][CUTOFF_KINDS])(const selection *s) = CUTOFF_TABLE(search);

static long run(enum variant variant) {
    const selection nothing = {0, capacity, 0, 0};
    long visited = 0;
    best.value = -1;
    best.taken = 0;
    if (variant == SERIAL)
        return search_serial(&nothing);
#pragma omp parallel
#pragma omp single
    visited = search[variant][cutoff.kind](&nothing);
    return visited;
}

// The most that fits, by another algorithm: for each capacity the best value of the items so far.
static long optimum(void) {
    long *most = calloc((size_t)capacity + 1, sizeof *most);
    if (most == NULL)
        bench_fail("no memory for the check");
    for (long i = 0; i < item_count; i++)
        for (long room = capacity; room >= items[i].weight; room--) {
            long taking = most[room - items[i].weight] + items[i].value;
            if (taking > most[room])
                most[room] = taking;
        }
    long value = most[capacity];
    free(most);
    return value;
}

// The best selection fits, is worth what is claimed, and nothing is worth more.
static void check(const char *which) {
    long weight = 0, value = 0, most = optimum();
    for (long i = 0; i < item_count; i++)
        if (best.taken >> i & 1) {
            weight += items[i].weight;
            value += items[i].value;
        }
    if (weight > capacity || value != best.value)
        bench_fail("wrong %s answer: %ld of %ld filled, worth %ld, claimed %ld", which, weight,
                   capacity, value, best.value);
    if (value != most)
        bench_fail("wrong %s answer: worth %ld, should be %ld", which, value, most);
}

int main(int argc, char **argv) {
    long seed = 1, variant = TIED;
    int no_reference = 0;
    item_count = 24;
    const bench_option options[] = {
        {"items", 'n', BENCH_INTEGER, &item_count, 1, MAX_ITEMS, "N", "items to choose from (24)"},
        {"seed", 0, BENCH_INTEGER, &seed, 0, 1000000, "N", "which instance (1)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "tied|untied|serial", "which program (tied)"},
        BENCH_CUTOFF_OPTIONS(cutoff),
        {"no-reference", 0, BENCH_FLAG, &no_reference, 0, 0, NULL,
         "do not time the serial program as well"},
    };
    bench_parse(argc, argv, "The 0/1 knapsack problem by branch and bound, a task per node.",
                options, sizeof options / sizeof options[0]);
    generate(seed);

    int reference = variant != SERIAL && !no_reference;
    double serial_seconds = 0.0;
    if (reference) {
        double start = bench_seconds();
        run(SERIAL);
        serial_seconds = bench_seconds() - start;
        check("serial");
    }
    int threads = variant == SERIAL ? 1 : bench_team();
    double start = bench_seconds();
    long visited = run((enum variant)variant);
    double seconds = bench_seconds() - start;
    check(variant_names[variant]);

    bench_json_begin("knapsack", variant_names[variant], threads, seconds);
    bench_json_integer("answer", best.value);
    bench_json_integer("items", item_count);
    bench_json_integer("seed", seed);
    bench_json_cutoff(cutoff);
    bench_json_integer("nodes_visited", visited);
    bench_json_real("ns_per_node", 1e9 * seconds / (double)visited);
    if (reference)
        bench_json_serial(serial_seconds, seconds);
    bench_json_end();
    return 0;
}
