// SPDX-License-Identifier: Apache-2.0
// Particles that move are kept in order in a Packed Memory Array (array.h): every step, a loop over
// its segments moves the particles and copies those that came to another cell into a dense array;
// then they are sorted and put back. Only the loop is measured: it is the one of Durand et al.,
// IWOMP 2013, section 5.4. Few segments have nearly all the work, other ones as the whirl wanders.
// In the end each particle is simulated by itself: it has to be where it is in the array, once.
// Usage: pma [--particles 500000] [--steps 16] [--memory M] [--variant runtime|serial]
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../common/bench.h"
#include "../common/placement.h"
#include "array.h"

enum { MAX_STEPS = 10000 };
enum variant { RUNTIME, SERIAL };
static const char *const variant_names[] = {"runtime", "serial"};

typedef struct {
    double loop_seconds, update_seconds, worst_seconds; // worst: the longest loop
    long moved;
} times;

static particle *movers; // the dense array

static int in_order(const void *a, const void *b) {
    uint64_t x = particle_order(a), y = particle_order(b);
    return (x > y) - (x < y);
}

// Moves the particles of a segment; those that leave their cell leave the segment.
static void move_segment(pma *array, long s, whirl middle, long *moved) {
    particle *slots = array->slots + s * SEGMENT, leaving[SEGMENT];
    int kept = 0, left = 0;
    for (int i = 0; i < array->used[s]; i++) {
        particle p = slots[i];
        if (particle_move(&p, middle))
            leaving[left++] = p;
        else
            slots[kept++] = p;
    }
    array->used[s] = kept;
    if (left > 0) {
        long from;
#pragma omp atomic capture
        {
            from = *moved;
            *moved += left;
        }
        memcpy(movers + from, leaving, (size_t)left * sizeof *leaving);
    }
}

static long move_all(enum variant variant, pma *array, long step) {
    whirl middle = whirl_at(step);
    long moved = 0;
    if (variant == SERIAL) {
        for (long s = 0; s < array->segments; s++)
            move_segment(array, s, middle, &moved);
        return moved;
    }
#pragma omp parallel for schedule(runtime)
    for (long s = 0; s < array->segments; s++)
        move_segment(array, s, middle, &moved);
    return moved;
}

static times run(enum variant variant, pma *array, const particle *first, long particles,
                 long steps) {
    times found = {0.0, 0.0, 0.0, 0};
    pma_fill(array, first, particles);
    for (long step = 0; step < steps; step++) {
        double start = bench_seconds();
        long moved = move_all(variant, array, step);
        double middle = bench_seconds();
        qsort(movers, (size_t)moved, sizeof *movers, in_order);
        pma_insert(array, movers, moved);
        pma_even_out(array);
        double taken = middle - start;
        found.loop_seconds += taken;
        found.worst_seconds = taken > found.worst_seconds ? taken : found.worst_seconds;
        found.update_seconds += bench_seconds() - middle;
        found.moved += moved;
    }
    return found;
}

// Simulates each particle by itself. The array has all of them, in order.
static void check(const char *which, const pma *array, long particles, long steps) {
    static whirl whirls[MAX_STEPS];
    for (long step = 0; step < steps; step++)
        whirls[step] = whirl_at(step);
    char *seen = calloc((size_t)particles, 1);
    if (seen == NULL)
        bench_fail("out of memory");
    long count = 0;
    uint64_t last = 0;
    for (long s = 0; s < array->segments; s++) {
        for (int i = 0; i < array->used[s]; i++, count++) {
            const particle *p = &array->slots[s * SEGMENT + i];
            if (count > 0 && particle_order(p) <= last)
                bench_fail("wrong %s answer: segment %ld is not in order", which, s);
            last = particle_order(p);
            if (p->id >= particles || seen[p->id]++)
                bench_fail("wrong %s answer: particle %u is there twice", which, p->id);
            particle alone = particle_first(p->id);
            for (long step = 0; step < steps; step++)
                particle_move(&alone, whirls[step]);
            if (memcmp(&alone, p, sizeof alone) != 0)
                bench_fail("wrong %s answer: particle %u is not where it should be", which, p->id);
        }
    }
    if (count != particles)
        bench_fail("wrong %s answer: %ld particles, should be %ld", which, count, particles);
    free(seen);
}

static void *allocated(size_t count, size_t size) {
    void *memory = malloc(count * size);
    if (memory == NULL)
        bench_fail("out of memory");
    return memory;
}

int main(int argc, char **argv) {
    long particles = 500000, steps = 16, variant = RUNTIME;
    long touch = TOUCH_PRIMARY, memory = MEMORY_MALLOC, cyclic = 65536;
    int no_reference = 0, loop_data = 0;
    const bench_option options[] = {
        {"particles", 'n', BENCH_INTEGER, &particles, 1, 1l << 28, "N", "particles (500000)"},
        {"steps", 0, BENCH_INTEGER, &steps, 1, MAX_STEPS, "N", "steps of the simulation (16)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "runtime|serial",
         "schedule(runtime), or no OpenMP (runtime)"},
        {"touch", 0, BENCH_CHOICE, &touch, 0, 0, BENCH_TOUCHES,
         "who writes the array first: all threads in equal parts, or the primary one (primary)"},
        {"memory", 0, BENCH_CHOICE, &memory, 0, 0, BENCH_MEMORIES,
         "how the array is allocated: by the runtime's locality domains (malloc)"},
        {"cyclic", 0, BENCH_INTEGER, &cyclic, 4096, 1l << 40, "BYTES",
         "blocks of --memory cyclic (65536)"},
        {"loop-data", 0, BENCH_FLAG, &loop_data, 0, 0, NULL,
         "tell the runtime which data the iterations of the loop work on"},
        {"no-reference", 0, BENCH_FLAG, &no_reference, 0, 0, NULL,
         "do not time the serial program as well"},
    };
    bench_parse(argc, argv, "Moving particles in a Packed Memory Array.", options,
                sizeof options / sizeof options[0]);

    int threads = variant == SERIAL ? 1 : bench_team();
    const char *schedule = variant == RUNTIME ? bench_schedule() : variant_names[variant];
    pma array = {.segments = pma_segments(particles)};
    size_t segments = (size_t)array.segments, slots = segments * SEGMENT;
    for (long s = array.segments; s > 1; s /= 2)
        array.height++;
    array.slots = bench_allocate((bench_memory)memory, slots * sizeof(particle), (size_t)cyclic);
    array.used = allocated(segments, sizeof *array.used);
    array.fence = allocated(segments, sizeof *array.fence);
    array.window = allocated(slots, sizeof *array.window);
    movers = allocated((size_t)particles, sizeof *movers);
    particle *first = allocated((size_t)particles, sizeof *first);
    for (long id = 0; id < particles; id++)
        first[id] = particle_first((uint32_t)id);
    qsort(first, (size_t)particles, sizeof *first, in_order);
#pragma omp parallel for schedule(static) if (touch == TOUCH_SAME && variant != SERIAL)
    for (size_t s = 0; s < segments; s++)
        memset(array.slots + s * SEGMENT, 0, SEGMENT * sizeof *array.slots);

    if (loop_data)
        bench_loop_data(array.slots, SEGMENT * sizeof *array.slots);
    int reference = variant != SERIAL && !no_reference;
    times serial = {0.0, 0.0, 0.0, 0};
    if (reference) {
        serial = run(SERIAL, &array, first, particles, steps);
        check("serial", &array, particles, steps);
    }
    times found = run((enum variant)variant, &array, first, particles, steps);
    check(variant_names[variant], &array, particles, steps);

    bench_json_begin("pma", variant_names[variant], threads, found.loop_seconds);
    bench_json_integer("answer", found.moved);
    bench_json_text("schedule", schedule);
    bench_json_text("touch", bench_touch_names[touch]);
    bench_json_text("memory", bench_memory_names[memory]);
    bench_json_integer("particles", particles);
    bench_json_integer("segments", array.segments);
    bench_json_integer("steps", steps);
    bench_json_real("worst_seconds", found.worst_seconds);
    bench_json_real("update_seconds", found.update_seconds);
    bench_json_real("ns_per_particle",
                    1e9 * found.loop_seconds / ((double)particles * (double)steps));
    if (reference)
        bench_json_serial(serial.loop_seconds, found.loop_seconds);
    bench_json_end();
    bench_release((bench_memory)memory, array.slots);
    free(array.used);
    free(array.fence);
    free(array.window);
    free(movers);
    free(first);
    return 0;
}
