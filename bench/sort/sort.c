// SPDX-License-Identifier: Apache-2.0
// Mergesort of random integers: quarters are sorted, then merged in pairs, and merges are divided
// too (the longer run is cut in the middle, the other where the element there belongs); every
// recursive call is a task. The sort kernel of the Barcelona OpenMP Tasks Suite (Duran et al., ICPP
// 2009), after the multithreaded mergesort of Cormen, Leiserson, Rivest & Stein, Introduction to
// Algorithms, 3rd edition, section 27.3; our own code.
// Usage: sort [--n 8388608] [--base 64] [--variant tied|untied|serial] [--cutoff none|...]
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../common/bench.h"
#include "../common/cutoff.h"
#include "../common/sorting.h"

enum variant { TIED, UNTIED, SERIAL };
static const char *const variant_names[] = {"tied", "untied", "serial"};

static size_t base = 64; // as many elements are sorted or merged without further recursion
static bench_cutoff cutoff = {CUTOFF_NONE, 5};

static void merge_serial(const element *a, size_t na, const element *b, size_t nb, element *out) {
    if (na + nb <= base) {
        merge_leaf(a, na, b, nb, out);
        return;
    }
    if (na < nb) {
        merge_serial(b, nb, a, na, out);
        return;
    }
    size_t half = na / 2, less = count_less(b, nb, a[half]);
    merge_serial(a, half, b, less, out);
    merge_serial(a + half, na - half, b + less, nb - less, out + half + less);
}

static void sort_serial(element *data, element *scratch, size_t n) {
    if (n <= base) {
        sort_leaf(data, n);
        return;
    }
    size_t q = n / 4, rest = n - 3 * q;
    sort_serial(data, scratch, q);
    sort_serial(data + q, scratch + q, q);
    sort_serial(data + 2 * q, scratch + 2 * q, q);
    sort_serial(data + 3 * q, scratch + 3 * q, rest);
    merge_serial(data, q, data + q, q, scratch);
    merge_serial(data + 2 * q, q, data + 3 * q, rest, scratch + 2 * q);
    merge_serial(scratch, 2 * q, scratch + 2 * q, q + rest, data);
}

#define SORT_TASK(TYING, KIND) BENCH_TASK(TYING CUTOFF_CLAUSES(KIND, cutoff.depth, depth))

// The same with tasks: merge_NAME and sort_NAME, at `depth` of the recursion.
#define DEFINE_SORT(NAME, TYING, KIND)                                                             \
    static void merge_##NAME(const element *a, size_t na, const element *b, size_t nb,             \
                             element *out, long depth) {                                           \
        if (cutoff_serial(KIND, cutoff.depth, depth)) {                                            \
            merge_serial(a, na, b, nb, out);                                                       \
            return;                                                                                \
        }                                                                                          \
        if (na + nb <= base) {                                                                     \
            merge_leaf(a, na, b, nb, out);                                                         \
            return;                                                                                \
        }                                                                                          \
        if (na < nb) {                                                                             \
            merge_##NAME(b, nb, a, na, out, depth);                                                \
            return;                                                                                \
        }                                                                                          \
        size_t half = na / 2, less = count_less(b, nb, a[half]);                                   \
        SORT_TASK(TYING, KIND)                                                                     \
        merge_##NAME(a, half, b, less, out, depth + 1);                                            \
        SORT_TASK(TYING, KIND)                                                                     \
        merge_##NAME(a + half, na - half, b + less, nb - less, out + half + less, depth + 1);      \
        BENCH_PRAGMA(omp taskwait)                                                                 \
    }                                                                                              \
                                                                                                   \
    static void sort_##NAME(element *data, element *scratch, size_t n, long depth) {               \
        if (cutoff_serial(KIND, cutoff.depth, depth)) {                                            \
            sort_serial(data, scratch, n);                                                         \
            return;                                                                                \
        }                                                                                          \
        if (n <= base) {                                                                           \
            sort_leaf(data, n);                                                                    \
            return;                                                                                \
        }                                                                                          \
        size_t q = n / 4, rest = n - 3 * q;                                                        \
        SORT_TASK(TYING, KIND)                                                                     \
        sort_##NAME(data, scratch, q, depth + 1);                                                  \
        SORT_TASK(TYING, KIND)                                                                     \
        sort_##NAME(data + q, scratch + q, q, depth + 1);                                          \
        SORT_TASK(TYING, KIND)                                                                     \
        sort_##NAME(data + 2 * q, scratch + 2 * q, q, depth + 1);                                  \
        SORT_TASK(TYING, KIND)                                                                     \
        sort_##NAME(data + 3 * q, scratch + 3 * q, rest, depth + 1);                               \
        BENCH_PRAGMA(omp taskwait)                                                                 \
        SORT_TASK(TYING, KIND)                                                                     \
        merge_##NAME(data, q, data + q, q, scratch, depth + 1);                                    \
        SORT_TASK(TYING, KIND)                                                                     \
        merge_##NAME(data + 2 * q, q, data + 3 * q, rest, scratch + 2 * q, depth + 1);             \
        BENCH_PRAGMA(omp taskwait)                                                                 \
        merge_##NAME(scratch, 2 * q, scratch + 2 * q, q + rest, data, depth);                      \
    }

CUTOFF_FORMS(DEFINE_SORT)

typedef void sorter(element *data, element *scratch, size_t n, long depth);
static sorter *const sorters[2][CUTOFF_KINDS] = CUTOFF_TABLE(sort);

static void run(enum variant variant, element *data, element *scratch, size_t n) {
    if (variant == SERIAL) {
        sort_serial(data, scratch, n);
        return;
    }
    sorter *sort = sorters[variant][cutoff.kind];
#pragma omp parallel
#pragma omp single
    sort(data, scratch, n, 0);
}

static void fill(element *data, size_t n) {
    for (size_t i = 0; i < n; i++)
        data[i] = random_element(i);
}

static void *allocated(size_t bytes) {
    void *memory = malloc(bytes);
    if (memory == NULL)
        bench_fail("out of memory");
    memset(memory, 0, bytes); // the pages are there before the clock starts
    return memory;
}

int main(int argc, char **argv) {
    long n = 8l << 20, base_asked = 64, variant = TIED;
    int no_reference = 0;
    const bench_option options[] = {
        {"n", 'n', BENCH_INTEGER, &n, 1, 1l << 30, "N", "elements (8388608)"},
        {"base", 0, BENCH_INTEGER, &base_asked, 4, 1l << 30, "N",
         "elements that are sorted or merged without further recursion (64)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "tied|untied|serial", "which program (tied)"},
        BENCH_CUTOFF_OPTIONS(cutoff),
        {"no-reference", 0, BENCH_FLAG, &no_reference, 0, 0, NULL,
         "do not time the serial program as well"},
    };
    bench_parse(argc, argv, "Mergesort, a task per recursive call of sorting and merging.", options,
                sizeof options / sizeof options[0]);
    base = (size_t)base_asked;

    size_t count = (size_t)n;
    element *data = allocated(count * sizeof *data), *scratch = allocated(count * sizeof *scratch);
    fill(data, count);
    uint64_t expected = multiset_digest(data, count);

    int reference = variant != SERIAL && !no_reference;
    double serial_seconds = 0.0;
    if (reference) {
        double start = bench_seconds();
        run(SERIAL, data, scratch, count);
        serial_seconds = bench_seconds() - start;
        check_sorted("serial", data, count, expected);
        fill(data, count);
    }
    int threads = variant == SERIAL ? 1 : bench_team();
    double start = bench_seconds();
    run((enum variant)variant, data, scratch, count);
    double seconds = bench_seconds() - start;
    check_sorted(variant_names[variant], data, count, expected);

    bench_json_begin("sort", variant_names[variant], threads, seconds);
    bench_json_integer("answer", (long long)(expected >> 11));
    bench_json_integer("n", n);
    bench_json_integer("base", base_asked);
    if (variant != SERIAL)
        bench_json_cutoff(cutoff);
    if (reference)
        bench_json_serial(serial_seconds, seconds);
    bench_json_end();
    free(data);
    free(scratch);
    return 0;
}
