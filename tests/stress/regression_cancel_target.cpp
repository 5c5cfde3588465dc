// SPDX-License-Identifier: Apache-2.0
// A task that has begun goes on to its next cancellation point when its taskgroup is cancelled. The
// target regions in it were left out, as if they were tasks that had not begun.
#include "rerun.hpp"
#include "stress.hpp"

namespace {

/// In a task that is not cancelled itself; returns how many of the three regions were executed.
int run_targets() {
    int first = 0, second = 0, third = 0;
#pragma omp task
    {
#pragma omp cancel taskgroup
    }
#pragma omp taskwait
#pragma omp target map(tofrom : first)
    first = 1;
#pragma omp target depend(inout : second) map(tofrom : second)
    second = first;
#pragma omp target teams map(tofrom : third)
    third = second;
    return first + second + third;
}

} // namespace

int main(int, char** argv) {
    stress::rerun_with("OMP_CANCELLATION", "true", argv);
    int executed = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
    {
#pragma omp task shared(executed)
        executed = run_targets();
    }
    stress::expect(executed == 3, "%d of 3 target regions in a cancelled taskgroup", executed);
    return stress::result("regression_cancel_target");
}
