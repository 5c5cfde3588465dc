// SPDX-License-Identifier: Apache-2.0
// Fibonacci by spawn and sync, on heddle.hpp: what a task costs whose code is inlined where it is
// spawned. As fib.c, with two tasks per call, or one, as programs for Cilk have it.
// Usage: fib_spawn [--n 32] [--variant two|one] [--threads N]
#include <heddle.hpp>

#include "../fib/measure.hpp"

const char* const bench_runtime_symbol = "heddle_spawn";
static int threads_asked; // 0: what the environment says

void bench_set_threads(int threads) { threads_asked = threads; }

namespace {

long two(int n) {
    if (n < 2)
        return n;
    long x, y;
    heddle::spawn([&x, n] { x = two(n - 1); });
    heddle::spawn([&y, n] { y = two(n - 2); });
    heddle::sync();
    return x + y;
}

long one(int n) {
    if (n < 2)
        return n;
    long x;
    heddle::spawn([&x, n] { x = one(n - 1); });
    long y = one(n - 2);
    heddle::sync();
    return x + y;
}

// The threads stay for the next run. They are all that the process has, so they can be counted.
int begin() {
    heddle::run(threads_asked, [] {});
    int threads = heddle_worker_count();
    if (threads_asked != 0 && threads != threads_asked)
        bench_fail("asked for %d threads, the runtime gave %d", threads_asked, threads);
    return threads;
}

} // namespace

int main(int argc, char** argv) {
    fib::measure("fib_spawn", argc, argv, begin, [](bool single, int n) {
        return heddle::run(threads_asked, [=] { return single ? one(n) : two(n); });
    });
    return 0;
}
