// SPDX-License-Identifier: Apache-2.0
// Mergesort by tasks, for what places of tasks and memory do to it: halves are sorted and merges
// are divided by two tasks each, in a taskgroup that may have an affinity policy, as in Terboven et
// al., "Approaches for Task Affinity in OpenMP" (IWOMP 2016), section 6.3. There the three programs
// are: all memory touched by one thread; touched by all; and hints for the tasks as well.
// Usage: mergesort [--n 8388608] [--base 2048] [--touch T] [--memory M] [--affinity HINT]
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../common/bench.h"
#include "../common/placement.h"
#include "../common/sorting.h"

enum { MAX_REPETITIONS = 1000 };
enum variant { TASKS, SERIAL };
static const char *const variant_names[] = {"tasks", "serial"};

static size_t base = 2048; // as many elements are sorted or merged without further tasks
static int with_clause;

// The threads that a hinted part of the recursion is for.
typedef struct {
    int first, count;
} share;

static share half_of(share all, int second) {
    int left = all.count / 2;
    if (left == 0)
        return all;
    return second ? (share){all.first + left, all.count - left} : (share){all.first, left};
}

// OpenMP 5.0's affinity clause; gcc knows it from 12 on.
#define DO_PRAGMA(text) _Pragma(#text)
#if defined __clang__ || __GNUC__ >= 12
#define TASK_WITH_AFFINITY(array, count) DO_PRAGMA(omp task affinity(array [0:count]))
#else
#define TASK_WITH_AFFINITY(array, count) DO_PRAGMA(omp task)
#endif

// A task that makes `call`, works on `count` elements from `array` on and is for `threads`.
#define HINTED_TASK(threads, array, count, call)                                                   \
    bench_hint_task((threads).first, array, (count) * sizeof(element));                            \
    if (with_clause) {                                                                             \
        TASK_WITH_AFFINITY(array, count)                                                           \
        call;                                                                                      \
    } else {                                                                                       \
        DO_PRAGMA(omp task)                                                                        \
        call;                                                                                      \
    }

static void merge_tasks(const element *a, size_t na, const element *b, size_t nb, element *out,
                        share threads) {
    if (na + nb <= base) {
        merge_leaf(a, na, b, nb, out);
        return;
    }
    if (na < nb) {
        merge_tasks(b, nb, a, na, out, threads);
        return;
    }
    size_t half = na / 2, less = count_less(b, nb, a[half]);
    share first = half_of(threads, 0), second = half_of(threads, 1);
    element *rest = out + half + less;
    bench_hint_group(2);
#pragma omp taskgroup
    {
        HINTED_TASK(first, out, half + less, merge_tasks(a, half, b, less, out, first))
        HINTED_TASK(second, rest, na + nb - half - less,
                    merge_tasks(a + half, na - half, b + less, nb - less, rest, second))
    }
}

// Sorts data[0..n) in place, or into out[0..n); the other array is scratch.
static void sort_serial(element *data, element *out, size_t n, int in_place) {
    if (n <= base) {
        sort_leaf(data, n);
        if (!in_place)
            memcpy(out, data, n * sizeof *data);
        return;
    }
    size_t half = n / 2;
    sort_serial(data, out, half, !in_place);
    sort_serial(data + half, out + half, n - half, !in_place);
    if (in_place)
        merge_leaf(out, half, out + half, n - half, data);
    else
        merge_leaf(data, half, data + half, n - half, out);
}

static void sort_tasks(element *data, element *out, size_t n, int in_place, share threads) {
    if (n <= base) {
        sort_leaf(data, n);
        if (!in_place)
            memcpy(out, data, n * sizeof *data);
        return;
    }
    size_t half = n / 2;
    share first = half_of(threads, 0), second = half_of(threads, 1);
    element *rest = data + half, *rest_out = out + half;
    bench_hint_group(2);
#pragma omp taskgroup
    {
        HINTED_TASK(first, data, half, sort_tasks(data, out, half, !in_place, first))
        HINTED_TASK(second, rest, n - half, sort_tasks(rest, rest_out, n - half, !in_place, second))
    }
    if (in_place)
        merge_tasks(out, half, rest_out, n - half, data, threads);
    else
        merge_tasks(data, half, rest, n - half, out, threads);
}

static void run(enum variant variant, element *data, element *scratch, size_t n, int threads) {
    if (variant == SERIAL) {
        sort_serial(data, scratch, n, 1);
        return;
    }
#pragma omp parallel
#pragma omp single
    sort_tasks(data, scratch, n, 1, (share){0, threads});
}

// Writes both arrays, by all threads in blocks of equal size, or by the calling one.
static void fill(element *data, element *scratch, size_t n, bench_touch touch) {
#pragma omp parallel for schedule(static) if (touch == TOUCH_SAME)
    for (size_t i = 0; i < n; i++) {
        data[i] = random_element(i);
        scratch[i] = 0;
    }
}

int main(int argc, char **argv) {
    long n = 8l << 20, base_asked = 2048, variant = TASKS, repetitions = 5;
    long touch = TOUCH_SAME, memory = MEMORY_MALLOC, hint = HINT_NONE, cyclic = 65536;
    int no_reference = 0;
    const bench_option options[] = {
        {"n", 'n', BENCH_INTEGER, &n, 1, 1l << 34, "N", "elements (8388608)"},
        {"base", 0, BENCH_INTEGER, &base_asked, 4, 1l << 30, "N",
         "elements that are sorted or merged without further tasks (2048)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "tasks|serial", "which program (tasks)"},
        {"repetitions", 0, BENCH_INTEGER, &repetitions, 1, MAX_REPETITIONS, "N",
         "how often it is timed, after once that is not (5)"},
        {"touch", 0, BENCH_CHOICE, &touch, 0, 0, BENCH_TOUCHES,
         "who writes the arrays first: all threads in equal parts, or the primary one (same)"},
        {"memory", 0, BENCH_CHOICE, &memory, 0, 0, BENCH_MEMORIES,
         "how the arrays are allocated: by the runtime's locality domains (malloc)"},
        {"cyclic", 0, BENCH_INTEGER, &cyclic, 4096, 1l << 40, "BYTES",
         "blocks of --memory cyclic (65536)"},
        {"affinity", 0, BENCH_CHOICE, &hint, 0, 0, BENCH_HINTS,
         "hints for the tasks: OpenMP's clause, or the runtime's own (none)"},
        {"no-reference", 0, BENCH_FLAG, &no_reference, 0, 0, NULL,
         "do not time the serial program as well"},
    };
    bench_parse(argc, argv, "Mergesort by tasks with places for tasks and memory.", options,
                sizeof options / sizeof options[0]);
    base = (size_t)base_asked;
    bench_use_hint((bench_hint)hint);
    with_clause = hint == HINT_CLAUSE;

    int threads = variant == SERIAL ? 1 : bench_team();
    size_t count = (size_t)n, bytes = count * sizeof(element);
    element *data = bench_allocate((bench_memory)memory, bytes, (size_t)cyclic);
    element *scratch = bench_allocate((bench_memory)memory, bytes, (size_t)cyclic);
    fill(data, scratch, count, variant == SERIAL ? TOUCH_PRIMARY : (bench_touch)touch);
    uint64_t expected = multiset_digest(data, count);
    int reference = variant != SERIAL && !no_reference;
    double serial_seconds = 0.0, seconds[MAX_REPETITIONS];
    if (reference) {
        double start = bench_seconds();
        run(SERIAL, data, scratch, count, 1);
        serial_seconds = bench_seconds() - start;
        check_sorted("serial", data, count, expected);
    }
    double sum = 0.0, squares = 0.0;
    for (long r = -1; r < repetitions; r++) {
        fill(data, scratch, count, variant == SERIAL ? TOUCH_PRIMARY : TOUCH_SAME);
        double start = bench_seconds();
        run((enum variant)variant, data, scratch, count, threads);
        double taken = bench_seconds() - start;
        check_sorted(variant_names[variant], data, count, expected);
        if (r < 0)
            continue; // warms up
        seconds[r] = taken;
        sum += taken;
        squares += taken * taken;
    }
    bench_hints_taken();
    double mean = sum / (double)repetitions, typical = bench_median(seconds, (size_t)repetitions);

    bench_json_begin("mergesort", variant_names[variant], threads, typical);
    bench_json_integer("answer", (long long)(expected >> 11));
    bench_json_text("touch", bench_touch_names[touch]);
    bench_json_text("memory", bench_memory_names[memory]);
    bench_json_text("affinity", bench_hint_names[hint]);
    bench_json_integer("n", n);
    bench_json_integer("base", base_asked);
    bench_json_integer("repetitions", repetitions);
    bench_json_real("mean_seconds", mean);
    bench_json_real("least_seconds", seconds[0]);
    bench_json_real("most_seconds", seconds[repetitions - 1]);
    bench_json_real("deviation_seconds",
                    sqrt(fmax(0.0, squares / (double)repetitions - mean * mean)));
    if (reference)
        bench_json_serial(serial_seconds, typical);
    bench_json_end();
    bench_release((bench_memory)memory, data);
    bench_release((bench_memory)memory, scratch);
    return 0;
}
