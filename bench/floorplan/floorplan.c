// SPDX-License-Identifier: Apache-2.0
// A floorplan search: cells with alternative shapes go on a grid one after another, each beside
// or below one already placed; find the least enclosing area. Branch and bound, one task per
// placement, the best area shared. Our own problem, in the spirit of the floorplan kernel of the
// Barcelona OpenMP Tasks Suite.
// Usage: floorplan [--cells 12] [--variant tied|untied|serial] [--cutoff KIND] [--depth 4]
#include <stddef.h>
#include <stdint.h>

#include "../common/bench.h"
#include "../common/cutoff.h"

enum { MAX_CELLS = 14, MAX_SHAPES = 4, MIN_CELLS = 3 };
enum variant { TIED, UNTIED, SERIAL };
static const char *const variant_names[] = {"tied", "untied", "serial"};

static bench_cutoff cutoff = {CUTOFF_NONE, 4};

typedef struct {
    uint8_t width, height;
} shape;

// The cells of the stored problem; a shape of width 0 ends a list of alternatives.
static const shape cells[MAX_CELLS][MAX_SHAPES] = {
    {{2, 3}, {3, 2}, {6, 1}, {1, 6}}, {{5, 2}, {2, 5}},         {{3, 3}},
    {{4, 2}, {2, 4}},                 {{1, 5}, {5, 1}},         {{3, 4}, {4, 3}, {2, 6}, {6, 2}},
    {{1, 3}, {3, 1}},                 {{2, 2}, {4, 1}, {1, 4}}, {{7, 1}, {1, 7}},
    {{3, 5}, {5, 3}},                 {{2, 2}},                 {{3, 2}, {2, 3}},
    {{4, 2}, {2, 4}, {8, 1}},         {{3, 3}},
};

// The least area for the first n cells, as the serial search finds it.
static const long known_areas[MAX_CELLS + 1] = {0,  0,  0,  25, 35, 40, 50, 54,
                                                 57, 64, 80, 84, 90, 98, 108};

typedef struct {
    uint8_t x, y, width, height;
} rectangle;

// A partial floorplan, small enough to travel by value in a task.
typedef struct {
    uint8_t placed, width, height; // cells placed; the rectangle that encloses them
    rectangle cell[MAX_CELLS];
} floorplan;

typedef struct {
    long area;
    floorplan plan;
} solution;

static int cell_count;
static solution best;

static long area_of(const floorplan *plan) {
    return (long)plan->width * plan->height;
}

static int overlaps(const rectangle *a, const rectangle *b) {
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

// next := plan with one more cell; 0 if there is no room, or no hope of beating `bound`.
static int place(floorplan *next, const floorplan *plan, const rectangle *cell, long bound) {
    uint8_t right = (uint8_t)(cell->x + cell->width), bottom = (uint8_t)(cell->y + cell->height);
    uint8_t width = right > plan->width ? right : plan->width;
    uint8_t height = bottom > plan->height ? bottom : plan->height;
    if ((long)width * height >= bound)
        return 0;
    for (int i = 0; i < plan->placed; i++)
        if (overlaps(cell, &plan->cell[i]))
            return 0;
    *next = *plan;
    next->cell[next->placed++] = *cell;
    next->width = width;
    next->height = height;
    return 1;
}

// Candidate corner number c of a plan: right of, or below, one of the cells placed.
static rectangle candidate(const floorplan *plan, int c, shape size) {
    if (plan->placed == 0)
        return (rectangle){0, 0, size.width, size.height};
    const rectangle *beside = &plan->cell[c / 2];
    if (c % 2 == 0)
        return (rectangle){(uint8_t)(beside->x + beside->width), beside->y, size.width,
                           size.height};
    return (rectangle){beside->x, (uint8_t)(beside->y + beside->height), size.width, size.height};
}

static int candidates(const floorplan *plan) {
    return plan->placed == 0 ? 1 : 2 * plan->placed;
}

static long bound_now(void) {
    long bound;
#pragma omp atomic read
    bound = best.area;
    return bound;
}

// All writers hold the critical section; readers of the area alone need only the atomic.
static void offer(const floorplan *plan) {
    if (area_of(plan) >= bound_now())
        return;
#pragma omp critical(floorplan_best)
    if (area_of(plan) < best.area) {
        best.plan = *plan;
#pragma omp atomic write
        best.area = area_of(plan);
    }
}

// Returns the number of partial plans looked at; it varies with the order of the search.
static long search_serial(const floorplan *plan) {
    long visited = 1;
    if (plan->placed == cell_count) {
        if (area_of(plan) < best.area)
            best = (solution){area_of(plan), *plan};
        return visited;
    }
    const shape *shapes = cells[plan->placed];
    for (int s = 0; s < MAX_SHAPES && shapes[s].width != 0; s++) {
        for (int c = 0; c < candidates(plan); c++) {
            rectangle cell = candidate(plan, c, shapes[s]);
            floorplan next;
            if (place(&next, plan, &cell, best.area))
                visited += search_serial(&next);
        }
    }
    return visited;
}

// What a task below a manual cut-off runs: no tasks, but the best area is still shared.
static long search_alone(const floorplan *plan) {
    long visited = 1;
    if (plan->placed == cell_count) {
        offer(plan);
        return visited;
    }
    const shape *shapes = cells[plan->placed];
    for (int s = 0; s < MAX_SHAPES && shapes[s].width != 0; s++) {
        for (int c = 0; c < candidates(plan); c++) {
            rectangle cell = candidate(plan, c, shapes[s]);
            floorplan next;
            if (place(&next, plan, &cell, bound_now()))
                visited += search_alone(&next);
        }
    }
    return visited;
}

// A cut-off's depth is the number of cells placed.
#define SEARCH(NAME, tying, kind)                                                                  \
    static long search_##NAME(const floorplan *plan) {                                             \
        if (plan->placed == cell_count) {                                                          \
            offer(plan);                                                                           \
            return 1;                                                                              \
        }                                                                                          \
        if (cutoff_serial(kind, cutoff.depth, plan->placed))                                       \
            return search_alone(plan);                                                             \
        long visited[MAX_SHAPES * 2 * MAX_CELLS], total = 1;                                       \
        int tasks = 0;                                                                             \
        const shape *shapes = cells[plan->placed];                                                 \
        for (int s = 0; s < MAX_SHAPES && shapes[s].width != 0; s++) {                             \
            for (int c = 0; c < candidates(plan); c++) {                                           \
                rectangle cell = candidate(plan, c, shapes[s]);                                    \
                floorplan next;                                                                    \
                if (!place(&next, plan, &cell, bound_now()))                                       \
                    continue;                                                                      \
                long *mine = &visited[tasks++];                                                    \
                BENCH_TASK(tying firstprivate(next, mine)                                          \
                               CUTOFF_CLAUSES(kind, cutoff.depth, plan->placed))                   \
                *mine = search_##NAME(&next);                                                      \
            }                                                                                      \
        }                                                                                          \
        BENCH_PRAGMA(omp taskwait)                                                                 \
        for (int i = 0; i < tasks; i++)                                                            \
            total += visited[i];                                                                   \
        return total;                                                                              \
    }

CUTOFF_FORMS(SEARCH)

static long (*const search[2][CUTOFF_KINDS])(const floorplan *plan) = CUTOFF_TABLE(search);

static long run(enum variant variant) {
    const floorplan empty = {0};
    long visited = 0;
    best.area = 256 * 256; // more than any plan's
    if (variant == SERIAL)
        return search_serial(&empty);
#pragma omp parallel
#pragma omp single
    visited = search[variant][cutoff.kind](&empty);
    return visited;
}

// The best plan really holds every cell, in one of its shapes, apart, within the area claimed.
static void check(const char *which) {
    const floorplan *plan = &best.plan;
    if (plan->placed != cell_count || area_of(plan) != best.area)
        bench_fail("wrong %s answer: the best plan does not match its area", which);
    for (int i = 0; i < cell_count; i++) {
        const rectangle *cell = &plan->cell[i];
        int known_shape = 0;
        for (int s = 0; s < MAX_SHAPES; s++)
            known_shape |= cells[i][s].width == cell->width && cells[i][s].height == cell->height;
        int inside = cell->x + cell->width <= plan->width && cell->y + cell->height <= plan->height;
        if (!known_shape || !inside)
            bench_fail("wrong %s answer: cell %d is misplaced", which, i);
        for (int j = 0; j < i; j++)
            if (overlaps(cell, &plan->cell[j]))
                bench_fail("wrong %s answer: cells %d and %d overlap", which, i, j);
    }
    if (best.area != known_areas[cell_count])
        bench_fail("wrong %s answer: area %ld, should be %ld", which, best.area,
                   known_areas[cell_count]);
}

int main(int argc, char **argv) {
    long asked = 12, variant = TIED;
    int no_reference = 0;
    const bench_option options[] = {
        {"cells", 0, BENCH_INTEGER, &asked, MIN_CELLS, MAX_CELLS, "N", "cells to place (12)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "tied|untied|serial", "which program (tied)"},
        BENCH_CUTOFF_OPTIONS(cutoff),
        {"no-reference", 0, BENCH_FLAG, &no_reference, 0, 0, NULL,
         "do not time the serial program as well"},
    };
    bench_parse(argc, argv, "Least area for cells with alternative shapes, by branch and bound.",
                options, sizeof options / sizeof options[0]);
    cell_count = (int)asked;

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

    bench_json_begin("floorplan", variant_names[variant], threads, seconds);
    bench_json_integer("answer", best.area);
    bench_json_integer("cells", cell_count);
    bench_json_cutoff(cutoff);
    bench_json_integer("plans_visited", visited);
    bench_json_real("ns_per_plan", 1e9 * seconds / (double)visited);
    if (reference)
        bench_json_serial(serial_seconds, seconds);
    bench_json_end();
    return 0;
}
