// SPDX-License-Identifier: Apache-2.0
// The Packed Memory Array (array.h). A window is 2^h segments, aligned to that. It may be filled to
// FULL_LEAF if it is one segment and to FULL_ROOT if it is the whole array, in between to what lies
// in between, and no less than THIN_LEAF and THIN_ROOT. Whatever breaks that widens the window
// until it holds, and what is in there is spread evenly.
#include "array.h"

#include <string.h>

static const double FULL_LEAF = 1.0, FULL_ROOT = 0.75, THIN_LEAF = 0.05, THIN_ROOT = 0.2;

static double between(double leaf, double root, int h, int height) {
    return height == 0 ? root : leaf + (root - leaf) * h / height;
}

long pma_segments(long particles) {
    long segments = 1;
    while (segments * SEGMENT < 2 * particles)
        segments *= 2;
    return segments;
}

// Spreads sorted[0..count), which is something, over the segments from `first` on.
static void spread(pma *array, const particle *sorted, long count, long first, long segments) {
    for (long s = 0; s < segments; s++) {
        long from = count * s / segments, to = count * (s + 1) / segments;
        particle *slots = array->slots + (first + s) * SEGMENT;
        memcpy(slots, sorted + from, (size_t)(to - from) * sizeof *slots);
        array->used[first + s] = (int)(to - from);
        if (s > 0) // an empty one has the fence of what comes after
            array->fence[first + s] = particle_order(&sorted[from]);
    }
}

void pma_fill(pma *array, const particle *sorted, long count) {
    array->fence[0] = 0;
    spread(array, sorted, count, 0, array->segments);
}

static long used_in(const pma *array, long first, long segments) {
    long used = 0;
    for (long s = first; s < first + segments; s++)
        used += array->used[s];
    return used;
}

// Spreads evenly what is in the window, and `added` if there is one.
static void rebalance(pma *array, long first, long segments, const particle *added) {
    long count = 0;
    for (long s = first; s < first + segments; s++) {
        const particle *slots = array->slots + s * SEGMENT;
        for (int i = 0; i < array->used[s]; i++) {
            if (added != NULL && particle_order(added) < particle_order(&slots[i])) {
                array->window[count++] = *added;
                added = NULL;
            }
            array->window[count++] = slots[i];
        }
    }
    if (added != NULL)
        array->window[count++] = *added;
    spread(array, array->window, count, first, segments);
}

// The segment whose fences a particle lies between: the last one that does not begin after it.
static long segment_of(const pma *array, uint64_t order) {
    long from = 0, count = array->segments;
    while (count > 1) {
        long half = count / 2;
        if (array->fence[from + half] <= order)
            from += half;
        count -= half;
    }
    return from;
}

static void insert(pma *array, const particle *p) {
    long s = segment_of(array, particle_order(p));
    if (array->used[s] < SEGMENT) {
        particle *slots = array->slots + s * SEGMENT;
        int hole = array->used[s]++;
        for (; hole > 0 && particle_order(&slots[hole - 1]) > particle_order(p); hole--)
            slots[hole] = slots[hole - 1];
        slots[hole] = *p;
        return;
    }
    for (int h = 1; h <= array->height; h++) {
        long segments = 1l << h, first = s & -segments;
        double most = between(FULL_LEAF, FULL_ROOT, h, array->height) * (double)segments * SEGMENT;
        if ((double)used_in(array, first, segments) + 1.0 <= most) {
            rebalance(array, first, segments, p);
            return;
        }
    }
}

void pma_insert(pma *array, const particle *sorted, long count) {
    for (long i = 0; i < count; i++)
        insert(array, &sorted[i]);
}

void pma_even_out(pma *array) {
    for (long s = 0; s < array->segments; s++) {
        long segments = 1, first = s;
        for (int h = 0; h < array->height; h++, segments *= 2, first = s & -segments) {
            double least = between(THIN_LEAF, THIN_ROOT, h, array->height);
            if ((double)used_in(array, first, segments) >= least * (double)segments * SEGMENT)
                break;
        }
        if (segments > 1)
            rebalance(array, first, segments, NULL);
    }
}
