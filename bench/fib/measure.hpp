// SPDX-License-Identifier: Apache-2.0
// What fib's programs for other interfaces than OpenMP share: their options, the serial program,
// the check and the JSON line. The tasks are those of fib.c, or one for each call, the rest called.
#pragma once

#include "../common/bench.h"

namespace fib {

// Neither inlined nor cloned, as in fib.c.
#if defined(__clang__)
[[gnu::noinline]]
#else
[[gnu::noinline, gnu::noclone]]
#endif
inline long serial(int n) {
    if (n < 2)
        return n;
    long x = serial(n - 1);
    long y = serial(n - 2);
    return x + y;
}

inline long by_addition(int n) {
    long before = 1, value = 0;
    for (int i = 0; i < n; i++) {
        long next = before + value;
        before = value;
        value = next;
    }
    return value;
}

/// begin() starts the threads and returns how many; run(one, n) computes with one task for each
/// call that recurses, or with two.
template <class Begin, class Run>
void measure(const char* name, int argc, char** argv, Begin begin, Run run) {
    enum { TWO, ONE };
    long n = 32, variant = TWO;
    const bench_option options[] = {
        {"n", 'n', BENCH_INTEGER, &n, 2, 60, "N", "which Fibonacci number (32)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "two|one",
         "both recursions are tasks, or the first (two)"},
    };
    bench_parse(argc, argv, "Fibonacci with one or two tasks per call.", options,
                sizeof options / sizeof options[0]);
    const int number = static_cast<int>(n);
    const long expected = by_addition(number);
    double start = bench_seconds();
    long result = serial(number);
    const double serial_seconds = bench_seconds() - start;
    if (result != expected)
        bench_fail("wrong serial answer: fib(%ld) = %ld, should be %ld", n, result, expected);

    const int threads = begin();
    start = bench_seconds();
    result = run(variant == ONE, number);
    const double seconds = bench_seconds() - start;
    if (result != expected)
        bench_fail("wrong answer: fib(%ld) = %ld, should be %ld", n, result, expected);

    // The recursion makes 2 fib(n+1) - 1 calls; all but the first are tasks, or half of them.
    const long tasks = (variant == ONE ? 1 : 2) * (by_addition(number + 1) - 1);
    bench_json_begin(name, variant == ONE ? "one" : "two", threads, seconds);
    bench_json_integer("answer", result);
    bench_json_integer("n", n);
    bench_json_integer("tasks", tasks);
    bench_json_real("ns_per_task", 1e9 * (seconds - serial_seconds) / (double)tasks);
    bench_json_real("ns_per_task_effective", 1e9 * seconds / (double)tasks);
    bench_json_serial(serial_seconds, seconds);
    bench_json_end();
}

} // namespace fib
