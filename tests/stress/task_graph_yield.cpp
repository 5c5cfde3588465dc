// SPDX-License-Identifier: Apache-2.0
// While a task waits, an untied child yields to an older task, which empties the deque below the
// index from which the wait takes its tasks; then the child's successor comes to lie below it. A
// team of one once waited for ever.
#include "rerun.hpp"
#include "stress.hpp"

namespace {

void wait_for_a_successor() {
    int order = 0, older = 0;
#pragma omp task shared(older)
    older = 1;
#pragma omp task untied if (0) shared(order)
    {
        [[maybe_unused]] int place;
#pragma omp task untied depend(out : place) shared(order)
        {
#pragma omp taskyield
            order = 1;
        }
#pragma omp task depend(in : place) shared(order)
        order = order * 10 + 2;
#pragma omp taskwait
        stress::expect(order == 12, "the successor has not run");
    }
#pragma omp taskwait
    stress::expect(older == 1, "the older task has not run");
}

void wait_for_a_grandchild() {
    int done = 0, older = 0;
#pragma omp task shared(older)
    older = 1;
#pragma omp task untied if (0) shared(done)
    {
#pragma omp taskgroup
        {
#pragma omp task untied shared(done)
            {
#pragma omp taskyield
#pragma omp task shared(done)
                done = 1;
            }
        }
        stress::expect(done == 1, "the grandchild has not run");
    }
#pragma omp taskwait
    stress::expect(older == 1, "the older task has not run");
}

} // namespace

int main(int, char** argv) {
    stress::rerun_with("OMP_MAX_TASK_PRIORITY", "1",
                       argv); // tasks are deferred, though nobody asks
    const int rounds = stress::scaled(200);
    for (int i = 0; i < rounds; ++i) {
#pragma omp parallel
        {
            wait_for_a_successor();
            wait_for_a_grandchild();
        }
    }
    return stress::result("task_graph_yield");
}
