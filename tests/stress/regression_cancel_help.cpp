// SPDX-License-Identifier: Apache-2.0
// More threads than CPUs at barriers that may be left, while tasks wait for each other: those whose
// parts had been left there were not called for the tasks, which waited for ever.
#include "rerun.hpp"
#include "stress.hpp"

#include <atomic>
#include <omp.h>
#include <sched.h>

namespace {

constexpr int threads = 8, meeting = threads - 1;

/// The thread `creator` creates `tasks` tasks that wait until all have begun. Returns how many had
/// when the barrier opened.
int meet_at_barrier(int tasks, int creator) {
    std::atomic<int> begun{0};
    const bool never = tasks < 0;
    int at_barrier = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp cancel parallel if (never)
#pragma omp barrier
        if (omp_get_thread_num() == creator)
            for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(begun)
                {
                    ++begun;
                    while (begun < tasks)
                        sched_yield();
                }
            }
#pragma omp barrier
#pragma omp single
        at_barrier = begun;
    }
    return at_barrier;
}

} // namespace

int main(int, char** argv) {
    stress::rerun_with("OMP_CANCELLATION", "true", argv);
    for (int creator = 0; creator < 2; ++creator)
        for (int region = 1; region <= 640; ++region) { // mostly without tasks: it is on offer
            const int tasks = region % 64 == 0 ? meeting : 0;
            const int begun = meet_at_barrier(tasks, creator);
            stress::expect(begun == tasks, "%d of %d tasks at the barrier", begun, tasks);
        }
    return stress::result("regression_cancel_help");
}
