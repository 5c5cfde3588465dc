// SPDX-License-Identifier: Apache-2.0
// Fibonacci without cut-off, two tasks per call: the cost of a task when tasks do nothing.
// From the Barcelona OpenMP Tasks Suite (Duran et al., ICPP 2009), as the OMPi tasking paper
// runs it. Also prints what a task costs over the serial program, timed in the same process.
// Usage: fib [--n 32] [--variant tied|untied|serial] [--threads N]
#include <stddef.h>

#include "../common/bench.h"

enum variant { TIED, UNTIED, SERIAL };
static const char *const variant_names[] = {"tied", "untied", "serial"};

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
    result = variant == TIED ? fib_tied(n) : fib_untied(n);
    return result;
}

int main(int argc, char **argv) {
    long n = 32, variant = TIED;
    const bench_option options[] = {
        {"n", 'n', BENCH_INTEGER, &n, 2, 60, "N", "which Fibonacci number (32)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "tied|untied|serial", "which program (tied)"},
    };
    bench_parse(argc, argv, "Fibonacci with two tasks per call and no cut-off.", options,
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

    // The recursion makes 2 fib(n+1) - 1 calls; all but the first are tasks.
    long tasks = 2 * fib_by_addition((int)n + 1) - 2;
    bench_json_begin("fib", variant_names[variant], threads, seconds);
    bench_json_integer("answer", result);
    bench_json_integer("n", n);
    if (variant != SERIAL) {
        bench_json_integer("tasks", tasks);
        bench_json_real("ns_per_task", 1e9 * (seconds - serial_seconds) / (double)tasks);
        bench_json_real("ns_per_task_effective", 1e9 * seconds / (double)tasks);
        bench_json_serial(serial_seconds, seconds);
    }
    bench_json_end();
    return 0;
}
