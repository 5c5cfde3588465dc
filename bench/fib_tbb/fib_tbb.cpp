// SPDX-License-Identifier: Apache-2.0
// Fibonacci with oneTBB, a peer that is no OpenMP runtime: a task group per call. As fib.c, with
// two tasks per call, or one. Usage: fib_tbb [--n 32] [--variant two|one] [--threads N]
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <optional>

#include "../fib/measure.hpp"

const char* const bench_runtime_symbol = "TBB_runtime_version";
static int threads_asked; // 0: one for each CPU

void bench_set_threads(int threads) { threads_asked = threads; }

namespace {

// All groups share the one context of the run: none is cancelled by itself.
long two(int n, tbb::task_group_context& context) {
    if (n < 2)
        return n;
    long x, y;
    tbb::task_group group(context);
    group.run([&x, n, &context] { x = two(n - 1, context); });
    group.run([&y, n, &context] { y = two(n - 2, context); });
    group.wait();
    return x + y;
}

long one(int n, tbb::task_group_context& context) {
    if (n < 2)
        return n;
    long x;
    tbb::task_group group(context);
    group.run([&x, n, &context] { x = one(n - 1, context); });
    long y = one(n - 2, context);
    group.wait();
    return x + y;
}

} // namespace

int main(int argc, char** argv) {
    std::optional<tbb::global_control> limit;
    tbb::task_arena arena;
    auto run = [&arena](bool single, int n) {
        tbb::task_group_context context;
        return arena.execute([&] { return single ? one(n, context) : two(n, context); });
    };
    auto begin = [&] {
        int threads = threads_asked > 0 ? threads_asked : tbb::info::default_concurrency();
        limit.emplace(tbb::global_control::max_allowed_parallelism, threads);
        arena.initialize(threads);
        run(false, 20); // wakes the threads
        return threads;
    };
    fib::measure("fib_tbb", argc, argv, begin, run);
    return 0;
}
