// SPDX-License-Identifier: Apache-2.0
// A region is cancelled while the other threads come to `single copyprivate`. The thread that
// executed it left the region before they had copied what lies on its stack. (With clang's code,
// which goes on behind it, threads hung: tests/clang/cancel.c.)
#include "rerun.hpp"
#include "stress.hpp"

#include <atomic>
#include <omp.h>
#include <unistd.h>

namespace {

std::atomic<int> copies{0}, of_the_dead{0};

/// Takes a while to be copied, and knows whether it still exists.
struct Slow {
    volatile bool exists = true;

    Slow() = default;
    Slow(const Slow&) = delete;
    ~Slow() { exists = false; }
    Slow& operator=(const Slow& from) {
        ++copies;
        for (int i = 0; i < 10; ++i) {
            usleep(10);
            if (!from.exists)
                ++of_the_dead;
        }
        return *this;
    }
};

void cancelled_region(int threads) {
#pragma omp parallel num_threads(threads)
    {
        Slow slow;
        const bool cancels = omp_get_thread_num() == 1;
        if (cancels) // the others may be at their copies by then
            usleep(100);
#pragma omp cancel parallel if (cancels)
#pragma omp single copyprivate(slow)
        slow.exists = true;
        stress::expect(!cancels, "a thread goes on that has cancelled");
    }
}

} // namespace

int main(int, char** argv) {
    stress::rerun_with("OMP_CANCELLATION", "true", argv);
    stress::rerun_with("HEDDLE_STAND_IN", "false", argv); // each thread copies for itself
    for (int i = 0; i < 2000 && (i < 100 || copies < 100); ++i)
        cancelled_region(3 + i % 3);
    stress::expect(of_the_dead == 0, "%d looks at a value that is not there any more",
                   of_the_dead.load());
    stress::expect(copies != 0, "nothing was copied in any region");
    return stress::result("regression_cancel_copies");
}
