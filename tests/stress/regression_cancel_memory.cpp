// SPDX-License-Identifier: Apache-2.0
// Members that `cancel parallel` stops at different worksharing regions: the descriptions of the
// regions that some have entered and others have not were lost, some 500 bytes a region.
#include "rerun.hpp"
#include "stress.hpp"

#include <malloc.h>
#include <omp.h>

namespace {

int entered;

/// Thread 0 enters three loops more than the last thread, which cancels before it gets there.
void cancel_behind() {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            int seen = 0;
            while (seen < 3) {
#pragma omp atomic read acquire
                seen = entered;
            }
#pragma omp cancel parallel
        }
        for (int loop = 0; loop < 3; ++loop) {
#pragma omp for schedule(dynamic) nowait
            for (int i = 0; i < 2; ++i)
                ;
#pragma omp atomic update release
            ++entered;
        }
    }
    entered = 0;
}

size_t bytes_in_use() { return mallinfo2().uordblks; }

} // namespace

int main(int, char** argv) {
    stress::rerun_with("OMP_CANCELLATION", "true", argv);
    for (int i = 0; i < 10; ++i)
        cancel_behind();
    const size_t before = bytes_in_use();
    for (int i = 0; i < 200; ++i)
        cancel_behind();
    const size_t after = bytes_in_use();
    stress::expect(after < before + 10000, "%zu bytes in use after 200 cancelled regions, not %zu",
                   after, before);
    return stress::result("regression_cancel_memory");
}
