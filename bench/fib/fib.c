// SPDX-License-Identifier: Apache-2.0
// Fibonacci, two tasks per call, usually without cut-off: the cost of a task when tasks do
// nothing. From the Barcelona OpenMP Tasks Suite (Duran et al., ICPP 2009), as the OMPi tasking
// paper runs it. Also prints what a task costs over the serial program, timed in the same process.
// Usage: fib [--n 32] [--variant tied|untied|serial] [--cutoff KIND] [--depth 10] [--threads N]
#include <stddef.h>

#include "../common/bench.h"
#include "../common/cutoff.h"

enum variant { TIED, UNTIED, SERIAL };
static const char *const variant_names[] = {"tied", "untied", "serial"};

static bench_cutoff cutoff = {CUTOFF_NONE, 10};

// Neither inlined nor cloned: a call stays a call (gcc still loops over the second one).
static __attribute__((noinline, noclone)) long fib_serial(int n) {
    if (n < 2)
        return n;
    long x = fib_serial(n - 1);
    long y = fib_serial(n - 2);
    return x + y;
}

static long fib_tied(int n) {
    long x, y;
    if (n < 2)
        return n;
#pragma omp task shared(x)
    x = fib_tied(n - 1);
#pragma omp task shared(y)
    y = fib_tied(n - 2);
#pragma omp taskwait
    return x + y;
}

static long fib_untied(int n) {
    long x, y;
    if (n < 2)
        return n;
#pragma omp task untied shared(x)
    x = fib_untied(n - 1);
#pragma omp task untied shared(y)
    y = fib_untied(n - 2);
#pragma omp taskwait
    return x + y;
}

// The same with a cut-off of a constant kind.
#define FIB(name, kind, tying)                                                                     \
    static long name(int n, int depth) {                                                           \
        long x, y;                                                                                 \
        if (n < 2)                                                                                 \
            return n;                                                                              \
        if (cutoff_serial(kind, cutoff.depth, depth))                                              \
            return fib_serial(n);                                                                  \
        BENCH_TASK(tying shared(x) CUTOFF_CLAUSES(kind, cutoff.depth, depth))                      \
        x = name(n - 1, depth + 1);                                                                \
        BENCH_TASK(tying shared(y) CUTOFF_CLAUSES(kind, cutoff.depth, depth))                      \
        y = name(n - 2, depth + 1);                                                                \
        BENCH_PRAGMA(omp taskwait)                                                                 \
        return x + y;                                                                              \
    }

FIB(fib_if_tied, CUTOFF_IF, )
FIB(fib_if_untied, CUTOFF_IF, untied)
FIB(fib_final_tied, CUTOFF_FINAL, )
FIB(fib_final_untied, CUTOFF_FINAL, untied)
FIB(fib_manual_tied, CUTOFF_MANUAL, )
FIB(fib_manual_untied, CUTOFF_MANUAL, untied)

static long (*const with_cutoff[CUTOFF_KINDS][2])(int n, int depth) = {
    [CUTOFF_IF] = {fib_if_tied, fib_if_untied},
    [CUTOFF_FINAL] = {fib_final_tied, fib_final_untied},
    [CUTOFF_MANUAL] = {fib_manual_tied, fib_manual_untied},
};

static long fib_by_addition(int n) {
    long before = 1, value = 0;
    for (int i = 0; i < n; i++) {
        long next = before + value;
        before = value;
        value = next;
    }
    return value;
}

static long run(enum variant variant, int n) {
    long result = 0;
    if (variant == SERIAL)
        return fib_serial(n);
#pragma omp parallel
#pragma omp single
    if (cutoff.kind != CUTOFF_NONE)
        result = with_cutoff[cutoff.kind][variant](n, 0);
    else
        result = variant == TIED ? fib_tied(n) : fib_untied(n);
    return result;
}

// The recursion makes 2 fib(n+1) - 1 calls; all but the first are tasks.
static long tasks_below(int n, int depth) {
    if (cutoff.kind != CUTOFF_MANUAL)
        return 2 * fib_by_addition(n + 1) - 2;
    if (n < 2 || depth >= cutoff.depth)
        return 0;
    return 2 + tasks_below(n - 1, depth + 1) + tasks_below(n - 2, depth + 1);
}

int main(int argc, char **argv) {
    long n = 32, variant = TIED;
    const bench_option options[] = {
        {"n", 'n', BENCH_INTEGER, &n, 2, 60, "N", "which Fibonacci number (32)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "tied|untied|serial", "which program (tied)"},
        BENCH_CUTOFF_OPTIONS(cutoff),
    };
    bench_parse(argc, argv, "Fibonacci with two tasks per call.", options,
                sizeof options / sizeof options[0]);

    long expected = fib_by_addition((int)n);
    double start = bench_seconds();
    long result = fib_serial((int)n);
    double serial_seconds = bench_seconds() - start;
    if (result != expected)
        bench_fail("wrong serial answer: fib(%ld) = %ld, should be %ld", n, result, expected);

    int threads = variant == SERIAL ? 1 : bench_team();
    start = bench_seconds();
    result = run((enum variant)variant, (int)n);
    double seconds = bench_seconds() - start;
    if (result != expected)
        bench_fail("wrong answer: fib(%ld) = %ld, should be %ld", n, result, expected);

    long tasks = tasks_below((int)n, 0);
    bench_json_begin("fib", variant_names[variant], threads, seconds);
    bench_json_integer("answer", result);
    bench_json_integer("n", n);
    if (variant != SERIAL) {
        bench_json_cutoff(cutoff);
        bench_json_integer("tasks", tasks);
        bench_json_real("ns_per_task", 1e9 * (seconds - serial_seconds) / (double)tasks);
        bench_json_real("ns_per_task_effective", 1e9 * seconds / (double)tasks);
        bench_json_serial(serial_seconds, seconds);
    }
    bench_json_end();
    return 0;
}
