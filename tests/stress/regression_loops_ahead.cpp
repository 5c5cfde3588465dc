// SPDX-License-Identifier: Apache-2.0
// A thread that goes through many loops before another comes to the first: the descriptions of all
// of them stayed with it for good, some 500 bytes a loop.
#include "stress.hpp"

#include <malloc.h>
#include <omp.h>

namespace {

constexpr int loops = 20000;

/// Thread 0 goes through all loops before thread 1 comes to the first. The sum of all iterations.
int run_ahead() {
    int sum = 0, is_through = 0;
#pragma omp parallel num_threads(2)
    {
        const bool ahead = omp_get_thread_num() == 0;
        for (int seen = ahead; seen == 0;) {
#pragma omp atomic read acquire
            seen = is_through;
        }
        for (int loop = 0; loop < loops; ++loop) {
#pragma omp for schedule(dynamic) nowait
            for (int i = 0; i < 2; ++i) {
#pragma omp atomic
                sum += i + 1;
            }
        }
        if (ahead) {
#pragma omp atomic write release
            is_through = 1;
        }
    }
    return sum;
}

size_t bytes_in_use() { return mallinfo2().uordblks; }

} // namespace

int main() {
    const size_t before = bytes_in_use();
    for (int i = 0; i < 2; ++i) {
        const int sum = run_ahead();
        stress::expect(sum == 3 * loops, "the iterations sum up to %d, not %d", sum, 3 * loops);
    }
    const size_t kept = bytes_in_use() - before;
    stress::expect(kept < 1000000, "%zu bytes are kept for loops that are over", kept);
    return stress::result("regression_loops_ahead");
}
