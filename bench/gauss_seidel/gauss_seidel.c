// SPDX-License-Identifier: Apache-2.0
// Gauss-Seidel sweeps over a square of heat: each point becomes the mean of its four neighbours,
// two of them new and two old. A task per block and sweep; depend clauses on the blocks beside it
// make a wavefront, and the next sweep follows into the blocks that are done. The exercise of the
// task dependence literature. Usage: gauss_seidel [--size 2048] [--block 64] [--sweeps 10]
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../common/bench.h"

enum variant { TASKS, SERIAL };
static const char *const variant_names[] = {"tasks", "serial"};

// size by size points, and around them a border that stays as it is; row by row.
typedef struct {
    long size;
    double *points;
} square;

static long stride(const square *s) {
    return s->size + 2;
}

static size_t point_count(const square *s) {
    return (size_t)(stride(s) * stride(s));
}

// Cold, with a hot upper border and a warm wave on the left one.
static square new_square(long size) {
    square s = {size, NULL};
    s.points = calloc(point_count(&s), sizeof *s.points);
    if (s.points == NULL)
        bench_fail("no memory for a square of %ld points a side", size);
    for (long i = 0; i < stride(&s); i++) {
        s.points[i] = 1.0;
        s.points[i * stride(&s)] = 0.5 + 0.25 * sin((double)i);
    }
    return s;
}

// One sweep over one block. A point needs its left neighbour's new value, so this is a chain of
// additions, the same in every program; blocks in any legal order give the same bits.
static __attribute__((noinline, noclone)) void relax(const square *s, long top, long left,
                                                     long height, long width) {
    for (long row = top; row < top + height; row++) {
        double *here = s->points + row * stride(s);
        const double *above = here - stride(s), *below = here + stride(s);
        for (long i = left; i < left + width; i++)
            here[i] = 0.25 * (here[i - 1] + (above[i] + below[i] + here[i + 1]));
    }
}

// What stands for a block in depend clauses: its first point. Blocks beyond the edge are
// stood for by points of the border, which no task writes.
static double *block_at(const square *s, long block, long row, long column) {
    long blocks = s->size / block;
    long y = row < 0 ? 0 : row == blocks ? s->size + 1 : 1 + row * block;
    long x = column < 0 ? 0 : column == blocks ? s->size + 1 : 1 + column * block;
    return s->points + y * stride(s) + x;
}

static void sweep_serial(const square *s, long block) {
    for (long top = 1; top <= s->size; top += block)
        for (long left = 1; left <= s->size; left += block)
            relax(s, top, left, block, block);
}

static void sweep_tasks(const square *s, long block) {
    long blocks = s->size / block;
    for (long row = 0; row < blocks; row++)
        for (long column = 0; column < blocks; column++) {
#pragma omp task depend(in : block_at(s, block, row - 1, column)[0])                               \
    depend(in : block_at(s, block, row, column - 1)[0])                                            \
    depend(in : block_at(s, block, row, column + 1)[0])                                            \
    depend(in : block_at(s, block, row + 1, column)[0])                                            \
    depend(inout : block_at(s, block, row, column)[0])
            relax(s, 1 + row * block, 1 + column * block, block, block);
        }
}

static double run(enum variant variant, const square *s, long block, long sweeps) {
    double start = bench_seconds();
    if (variant == SERIAL) {
        for (long sweep = 0; sweep < sweeps; sweep++)
            sweep_serial(s, block);
    } else {
#pragma omp parallel
#pragma omp single
        for (long sweep = 0; sweep < sweeps; sweep++)
            sweep_tasks(s, block);
    }
    return bench_seconds() - start;
}

int main(int argc, char **argv) {
    long size = 2048, block = 64, sweeps = 10, variant = TASKS;
    const bench_option options[] = {
        {"size", 'n', BENCH_INTEGER, &size, 4, 16384, "N",
         "points a side, a multiple of the block (2048)"},
        {"block", 'b', BENCH_INTEGER, &block, 4, 16384, "B", "points a side of a block (64)"},
        {"sweeps", 0, BENCH_INTEGER, &sweeps, 1, 100000, "N", "passes over the square (10)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "tasks|serial", "which program (tasks)"},
    };
    bench_parse(argc, argv, "Gauss-Seidel sweeps over a square, a task per block and sweep.",
                options, sizeof options / sizeof options[0]);
    if (size % block != 0)
        bench_usage("--size %ld is no multiple of --block %ld", size, block);

    // The reference knows no blocks: it goes through the whole square row by row.
    square serial = new_square(size), s = new_square(size);
    double serial_seconds = run(SERIAL, &serial, size, sweeps);
    int threads = variant == SERIAL ? 1 : bench_team();
    double seconds = run((enum variant)variant, &s, block, sweeps);
    if (memcmp(s.points, serial.points, point_count(&s) * sizeof *s.points) != 0)
        bench_fail("wrong answer: the heat differs from that of the serial program");

    long tasks = sweeps * (size / block) * (size / block);
    bench_json_begin("gauss_seidel", variant_names[variant], threads, seconds);
    bench_json_integer("answer", bench_digest(s.points, point_count(&s)));
    bench_json_integer("size", size);
    bench_json_integer("block", block);
    bench_json_integer("sweeps", sweeps);
    bench_json_integer("tasks", tasks);
    bench_json_real("ns_per_point", 1e9 * seconds / ((double)sweeps * (double)(size * size)));
    bench_json_real("ns_per_task_effective", 1e9 * seconds / (double)tasks);
    bench_json_serial(serial_seconds, seconds);
    bench_json_end();
    free(serial.points);
    free(s.points);
    return 0;
}
