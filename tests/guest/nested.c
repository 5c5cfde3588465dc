// SPDX-License-Identifier: Apache-2.0
// `nested OUTER LIST...`: a region of OUTER threads, in each of which a nested one, and the lists
// of CPUs that all inner threads may use, those of outer thread 0 first.
#define _GNU_SOURCE
#include "masks.h"

#include <omp.h>

int main(int argc, char** argv) {
    const int outer = argc > 1 ? atoi(argv[1]) : 0;
    if (outer < 1 || (argc - 2) % outer != 0)
        return 2;
    const int inner = (argc - 2) / outer;
    const cpu_set_t original = mask_now();
#pragma omp parallel num_threads(outer)
    {
        const int first = omp_get_thread_num() * inner;
#pragma omp parallel num_threads(inner)
        {
            char where[32];
            const int number = first + omp_get_thread_num();
            snprintf(where, sizeof where, "thread %d", number);
            expect_mask(where, mask_of(argv[2 + number]));
            expect(omp_get_num_threads() == inner, "%d threads", omp_get_num_threads());
        }
    }
    expect_mask("afterwards", original);
    return failures != 0;
}
