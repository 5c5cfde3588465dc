// SPDX-License-Identifier: Apache-2.0
// A task that has begun goes on to its next cancellation point when its taskgroup is cancelled. The
// target regions in it were left out, as if they were tasks that had not begun. And a target region
// found itself cancelled if its initial team had been that of a cancelled region of one thread.
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

/// Returns how many of the four tasks of a target region after a cancelled region were executed.
int run_tasks_on_target() {
    int done = 0;
#pragma omp parallel num_threads(1)
    {
#pragma omp cancel parallel
    }
#pragma omp target map(tofrom : done)
#pragma omp taskloop num_tasks(4) shared(done)
    for (int i = 0; i < 4; ++i)
#pragma omp atomic
        ++done;
    return done;
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
    executed = run_tasks_on_target();
    stress::expect(executed == 4, "%d of 4 tasks of a target region after a cancelled one",
                   executed);
    return stress::result("regression_cancel_target");
}
