// SPDX-License-Identifier: Apache-2.0
// Sorting and merging without tasks, random elements, and the check of a sorted array: what the
// sorting programs share.
#ifndef HEDDLE_BENCH_SORTING_H
#define HEDDLE_BENCH_SORTING_H

#include <stddef.h>
#include <stdint.h>

#include "bench.h"

enum { INSERTION_BASE = 16 };

typedef int element;

static inline void swap(element *a, element *b) {
    element kept = *a;
    *a = *b;
    *b = kept;
}

static inline void insertion_sort(element *data, size_t n) {
    for (size_t i = 1; i < n; i++) {
        element moving = data[i];
        size_t hole = i;
        for (; hole > 0 && data[hole - 1] > moving; hole--)
            data[hole] = data[hole - 1];
        data[hole] = moving;
    }
}

// Hoare's partition around the median of three: no element of the lower part, whose size is
// returned, is above one of the upper part, and neither part is empty.
static inline size_t partition(element *data, size_t n) {
    element *middle = &data[n / 2], *last = &data[n - 1];
    if (*middle < *data)
        swap(middle, data);
    if (*last < *middle)
        swap(last, middle);
    if (*middle < *data)
        swap(middle, data);
    element pivot = *middle;
    size_t i = 0, j = n - 1; // data[0] <= pivot <= data[n - 1] already
    for (;;) {
        while (data[++i] < pivot) {
        }
        while (data[--j] > pivot) {
        }
        if (i >= j)
            return j + 1;
        swap(&data[i], &data[j]);
    }
}

static inline void sort_leaf(element *data, size_t n) {
    while (n > INSERTION_BASE) {
        size_t lower = partition(data, n);
        sort_leaf(data + lower, n - lower);
        n = lower;
    }
    insertion_sort(data, n);
}

// Without branches that depend on the elements: those would be mispredicted half of the time.
static inline void merge_leaf(const element *a, size_t na, const element *b, size_t nb,
                              element *out) {
    const element *a_end = a + na, *b_end = b + nb;
    while (a < a_end && b < b_end) {
        element from_a = *a, from_b = *b;
        size_t b_first = from_b < from_a;
        *out++ = b_first ? from_b : from_a;
        b += b_first;
        a += 1 - b_first;
    }
    while (a < a_end)
        *out++ = *a++;
    while (b < b_end)
        *out++ = *b++;
}

// How many of the n sorted elements are less than `bound`.
static inline size_t count_less(const element *data, size_t n, element bound) {
    size_t from = 0;
    while (n > 0) {
        size_t half = n / 2;
        from = data[from + half] < bound ? from + n - half : from;
        n = half;
    }
    return from;
}

// Mixes the bits of one number (the finalizer of splitmix64).
static inline uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

// What element i of the array to sort is.
static inline element random_element(size_t i) {
    return (element)mixed((i + 1) * 0x9e3779b97f4a7c15u);
}

// The same for every order of the same elements.
static inline uint64_t multiset_digest(const element *data, size_t n) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += mixed((uint32_t)data[i] + 0x9e3779b97f4a7c15u);
    return sum;
}

static inline void check_sorted(const char *which, const element *data, size_t n,
                                uint64_t expected) {
    for (size_t i = 1; i < n; i++)
        if (data[i] < data[i - 1])
            bench_fail("wrong %s answer: element %zu is %d, the one before it is %d", which, i,
                       data[i], data[i - 1]);
    if (multiset_digest(data, n) != expected)
        bench_fail("wrong %s answer: sorted, but not the elements there were", which);
}

#endif
