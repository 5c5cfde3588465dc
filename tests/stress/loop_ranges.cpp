// SPDX-License-Identifier: Apache-2.0
// Loops in ranges: chains of loops without barriers between them, each with a random schedule of
// both compilers' interfaces, random bounds and teams of 1 to 8 threads, where some threads are
// slow, so that the others steal. Every iteration must run once, or in loops that are cancelled at
// most once, and a loop after a cancelled one must be whole.
#include "../../include/heddle.h"
#include "rerun.hpp"
#include "stress.hpp"

#include <omp.h>
#include <vector>

extern "C" {
bool GOMP_loop_nonmonotonic_dynamic_start(long, long, long, long, long*, long*);
bool GOMP_loop_nonmonotonic_dynamic_next(long*, long*);
bool GOMP_loop_nonmonotonic_guided_start(long, long, long, long, long*, long*);
bool GOMP_loop_nonmonotonic_guided_next(long*, long*);
bool GOMP_loop_dynamic_start(long, long, long, long, long*, long*);
bool GOMP_loop_dynamic_next(long*, long*);
bool GOMP_loop_maybe_nonmonotonic_runtime_start(long, long, long, long*, long*);
bool GOMP_loop_maybe_nonmonotonic_runtime_next(long*, long*);
void GOMP_loop_end_nowait();
void __kmpc_dispatch_init_4(void*, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t);
int32_t __kmpc_dispatch_next_4(void*, int32_t, int32_t*, int32_t*, int32_t*, int32_t*);
}

namespace {

using stress::expect;
using stress::Random;

enum Form { DYNAMIC, GUIDED, MONOTONIC, RUNTIME, CLANG_DYNAMIC, CLANG_GUIDED, CLANG_AUTO, FORMS };

/// One loop of a chain, the same for all threads.
struct Loop {
    Form form;
    long start, step, count, chunk;
    long end() const { return start + step * count; }
};

Loop choose(Random& random) {
    Loop loop;
    loop.form = static_cast<Form>(random.below(FORMS));
    loop.count = static_cast<long>(random.chance(20) ? random.below(4) : random.below(700));
    loop.step = 1 + static_cast<long>(random.below(5));
    if (random.chance(50))
        loop.step = -loop.step;
    loop.start = static_cast<long>(random.below(2000)) - 1000;
    loop.chunk = 1 + static_cast<long>(random.chance(60) ? 0 : random.below(20));
    return loop;
}

/// Calls part(begin, end) for each chunk that the calling thread gets of a loop for gcc's code.
template <class Start, class Next, class Part>
void take_gcc(Start&& start, Next&& next, Part&& part) {
    long begin, end;
    if (start(&begin, &end))
        do
            part(begin, end);
        while (next(&begin, &end));
    GOMP_loop_end_nowait();
}

template <class Part>
void take(const Loop& loop, Part&& part) {
    const auto gcc = [&](auto* start, auto* next) {
        take_gcc(
            [&](long* begin, long* end) {
                return start(loop.start, loop.end(), loop.step, loop.chunk, begin, end);
            },
            next, part);
    };
    switch (loop.form) {
    case DYNAMIC:
        return gcc(GOMP_loop_nonmonotonic_dynamic_start, GOMP_loop_nonmonotonic_dynamic_next);
    case GUIDED:
        return gcc(GOMP_loop_nonmonotonic_guided_start, GOMP_loop_nonmonotonic_guided_next);
    case MONOTONIC:
        return gcc(GOMP_loop_dynamic_start, GOMP_loop_dynamic_next);
    case RUNTIME: // adaptive, as main() has said
        return take_gcc(
            [&](long* begin, long* end) {
                return GOMP_loop_maybe_nonmonotonic_runtime_start(loop.start, loop.end(), loop.step,
                                                                  begin, end);
            },
            GOMP_loop_maybe_nonmonotonic_runtime_next, part);
    default:
        break;
    }
    const auto number = [](long value) { return static_cast<int32_t>(value); };
    constexpr int32_t nonmonotonic = 1 << 30;
    const int32_t kind = loop.form == CLANG_DYNAMIC ? 35 : loop.form == CLANG_GUIDED ? 36 : 38;
    __kmpc_dispatch_init_4(nullptr, 0, kind | nonmonotonic, number(loop.start),
                           number(loop.end() - loop.step), number(loop.step), number(loop.chunk));
    int32_t last, lower, upper, stride;
    while (__kmpc_dispatch_next_4(nullptr, 0, &last, &lower, &upper, &stride))
        part(lower, upper + loop.step);
}

void chain(Random& random, int threads, int length) {
    std::vector<Loop> loops;
    std::vector<std::vector<std::atomic<int>>> ran;
    for (int i = 0; i < length; ++i) {
        loops.push_back(choose(random));
        ran.emplace_back(static_cast<size_t>(loops.back().count));
    }
    std::atomic<int> outside{0}, wrong{0};
#pragma omp parallel num_threads(threads)
    {
        const bool slow = omp_get_thread_num() % 3 == 1;
        for (int i = 0; i < length; ++i) {
            const Loop& loop = loops[static_cast<size_t>(i)];
            take(loop, [&](long begin, long end) {
                const long size = (end - begin) / loop.step;
                const bool exact = loop.form == DYNAMIC || loop.form == CLANG_DYNAMIC;
                const bool is_last = end == loop.end();
                if (omp_get_num_threads() > 1 && !is_last &&
                    (size < loop.chunk || (exact && size != loop.chunk)) && loop.form != RUNTIME &&
                    loop.form != CLANG_AUTO)
                    ++wrong;
                for (long value = begin; value != end; value += loop.step) {
                    const long index = (value - loop.start) / loop.step;
                    if (index < 0 || index >= loop.count)
                        ++outside;
                    else
                        ran[static_cast<size_t>(i)][static_cast<size_t>(index)].fetch_add(
                            1, std::memory_order_relaxed);
                }
                if (slow)
                    stress::work(200);
            });
        }
    }
    expect(outside.load() == 0, "%d iterations outside", outside.load());
    expect(wrong.load() == 0, "%d chunks are not of the size asked for", wrong.load());
    for (size_t i = 0; i < loops.size(); ++i)
        for (size_t k = 0; k < ran[i].size(); ++k)
            expect(ran[i][k].load() == 1, "form %d, %d threads: iteration %zu of %ld ran %d times",
                   loops[i].form, threads, k, loops[i].count, ran[i][k].load());
}

/// A loop that some thread cancels, then one that must be whole; both in one region, or in two.
void cancelled(Random& random, int threads) {
    const int count = 300, at = static_cast<int>(random.below(count));
    std::vector<std::atomic<int>> first(count), second(count), third(count);
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < count; ++i) {
            ++first[static_cast<size_t>(i)];
            if (i == at) {
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
#pragma omp for schedule(dynamic)
        for (int i = 0; i < count; ++i)
            ++second[static_cast<size_t>(i)];
#pragma omp for schedule(guided)
        for (int i = 0; i < count; ++i) {
            ++first[static_cast<size_t>(i)];
            if (i == at) {
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int i = 0; i < count; ++i)
        ++third[static_cast<size_t>(i)];
    for (size_t i = 0; i < count; ++i) {
        expect(first[i].load() <= 2, "a cancelled loop repeats an iteration");
        expect(second[i].load() == 1, "a loop after a cancelled one: iteration %zu ran %d times", i,
               second[i].load());
        expect(third[i].load() == 1, "a region after a cancelled one: iteration %zu ran %d times",
               i, third[i].load());
    }
}

} // namespace

int main(int, char** argv) {
    stress::rerun_with("OMP_CANCELLATION", "true", argv);
    omp_set_schedule(static_cast<omp_sched_t>(heddle_sched_adaptive), 3);
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    expect(static_cast<int>(kind) == heddle_sched_adaptive && chunk == 3, "omp_get_schedule");
    Random random(1);
    for (int threads = 1; threads <= 8; ++threads)
        for (int round = 0; round < 40; ++round) {
            chain(random, threads, 12);
            cancelled(random, threads);
        }
    return stress::result("loop_ranges");
}
