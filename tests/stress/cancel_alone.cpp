// SPDX-License-Identifier: Apache-2.0
// A cancelled worksharing region of a team of one thread: the barriers of such a team do not count,
// and the next loop was once taken for the cancelled one.
#include "rerun.hpp"
#include "stress.hpp"

namespace {

/// `never` keeps the loop one that may be cancelled.
int count_to(int last, bool cancels, bool never) {
    int count = 0;
#pragma omp for
    for (int i = 0; i < 10; ++i) {
        ++count;
        if (cancels && count == last) {
#pragma omp cancel for
        }
#pragma omp cancel for if (never)
    }
    return count;
}

} // namespace

int main(int argc, char** argv) {
    stress::rerun_with("OMP_CANCELLATION", "true", argv);
    for (int regions = 0; regions < 3; ++regions) {
#pragma omp parallel num_threads(1)
        {
            const int cancelled = count_to(3, true, argc == 99);
            stress::expect(cancelled == 3, "%d iterations of the cancelled loop", cancelled);
            const int next = count_to(0, false, argc == 99);
            stress::expect(next == 10, "%d of 10 iterations of the next loop", next);
        }
    }
    return stress::result("cancel_alone");
}
