// SPDX-License-Identifier: Apache-2.0
// schedule(dynamic) with long chunks: each thread gets its chunks in ascending order, as programs
// that were only run with other runtimes rely on. Loops of random lengths, in gcc's and in clang's
// calls, with 2 to 16 threads; with some brief chunks among the long ones, and with threads that
// come late; and monotonic ones with brief chunks alone. No time is judged: a chunk is long by the
// clock that the runtime reads.
#include "stress.hpp"

#include <algorithm>
#include <atomic>
#include <omp.h>
#include <vector>

extern "C" {
bool GOMP_loop_nonmonotonic_dynamic_start(long, long, long, long, long*, long*);
bool GOMP_loop_nonmonotonic_dynamic_next(long*, long*);
bool GOMP_loop_dynamic_start(long, long, long, long, long*, long*);
bool GOMP_loop_dynamic_next(long*, long*);
void GOMP_loop_end();
void __kmpc_dispatch_init_4(void*, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t);
int32_t __kmpc_dispatch_next_4(void*, int32_t, int32_t*, int32_t*, int32_t*, int32_t*);
}

namespace {

using stress::expect;
using stress::Random;

void last(double seconds) {
    const double until = omp_get_wtime() + seconds;
    while (omp_get_wtime() < until) {
    }
}

/// Part(begin, end) for each chunk of [0, count) that the calling thread gets.
template <class Part>
void take(bool clang, bool monotonic, long count, long chunk, Part&& part) {
    if (clang) {
        constexpr int32_t dynamic = 35;
        const int32_t modifier = 1 << (monotonic ? 29 : 30);
        const auto upper_bound = static_cast<int32_t>(count - 1);
        __kmpc_dispatch_init_4(nullptr, 0, dynamic | modifier, 0, upper_bound, 1,
                               static_cast<int32_t>(chunk));
        int32_t is_last, lower, upper, stride;
        while (__kmpc_dispatch_next_4(nullptr, 0, &is_last, &lower, &upper, &stride))
            part(lower, upper + 1);
#pragma omp barrier
        return;
    }
    long begin, end;
    const auto start = monotonic ? GOMP_loop_dynamic_start : GOMP_loop_nonmonotonic_dynamic_start;
    const auto next = monotonic ? GOMP_loop_dynamic_next : GOMP_loop_nonmonotonic_dynamic_next;
    if (start(0, count, 1, chunk, &begin, &end))
        do
            part(begin, end);
        while (next(&begin, &end));
    GOMP_loop_end();
}

void loop(Random& random, int threads) {
    const bool clang = random.chance(50), some_are_late = random.chance(30);
    const bool monotonic = random.chance(30);
    const long chunk = 1 + random.below(5);
    const long chunks = monotonic ? 2000 : 40;
    const long count = 1 + random.below(static_cast<uint32_t>(chunks * chunk));
    // One of four is brief, but not of the first ones; a thread's first one pays for nine such.
    const double least = 1e-6 * std::min(threads, omp_get_num_procs());
    std::vector<std::atomic<int>> ran(static_cast<size_t>(count));
    std::atomic<int> descents{0};
#pragma omp parallel num_threads(threads)
    {
        if (some_are_late && omp_get_thread_num() % 2 == 1)
            last(30 * least);
        long last_begin = -1;
        take(clang, monotonic, count, chunk, [&](long begin, long end) {
            if (begin <= last_begin)
                ++descents;
            last_begin = begin;
            for (long i = begin; i < end; ++i)
                ++ran[static_cast<size_t>(i)];
            const long index = begin / chunk;
            if (!monotonic && (some_are_late || index < 2 * threads || index % 4 != 3))
                last(21 * least);
        });
    }
    expect(descents.load() == 0, "%d threads, %ld iterations by %ld: %d chunks precede their last",
           threads, count, chunk, descents.load());
    for (size_t i = 0; i < ran.size(); ++i)
        expect(ran[i].load() == 1, "iteration %zu of %ld ran %d times", i, count, ran[i].load());
}

} // namespace

int main() {
    Random random(stress::seed());
    for (int threads : {2, 3, 4, 8, 16})
        for (int round = 0; round < stress::scaled(60); ++round)
            loop(random, threads);
    return stress::result("loop_order");
}
