// SPDX-License-Identifier: Apache-2.0
// The initial task of a target region has all places for its partition (OpenMP 5.2 section 2.4).
// It had the one of the last region of one thread that had begun there before.
#include "rerun.hpp"
#include "stress.hpp"

#include <omp.h>

int main(int, char** argv) {
    setenv("OMP_PROC_BIND", "spread", 1);
    stress::rerun_with("OMP_PLACES", "threads", argv);
    const int all = omp_get_num_places(); // with one CPU nothing can be wrong
    int before[2] = {all, all}, after[2] = {all, all};
#pragma omp parallel num_threads(2)
    {
        const int thread = omp_get_thread_num();
        int first = 0, second = 0;
#pragma omp target map(tofrom : first)
        first = omp_get_partition_num_places();
        int inside = 0;
#pragma omp parallel num_threads(1)
        inside = omp_get_partition_num_places();
        stress::expect(inside <= all, "%d of %d places inside", inside, all);
#pragma omp target map(tofrom : second)
        second = omp_get_partition_num_places();
        before[thread] = first;
        after[thread] = second;
    }
    for (int thread = 0; thread < 2; ++thread) {
        stress::expect(before[thread] == all, "%d of %d places", before[thread], all);
        stress::expect(after[thread] == all, "%d of %d places later", after[thread], all);
    }
    return stress::result("regression_target_places");
}
