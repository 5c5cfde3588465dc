// SPDX-License-Identifier: Apache-2.0
// Detachable tasks that cancellation discards: the taskgroup ends though nobody fulfills their
// events, and fulfilling these later, or those of tasks that were not even created, does no harm.
// A hang was the first version's answer.
#include "rerun.hpp"
#include "stress.hpp"

#include <omp.h>

namespace {

constexpr int tasks = 40;

struct Group {
    omp_event_handle_t events[tasks];
    int executed[tasks];
    int chain;
    char large[6000];
};

/// The tasks wait for each other when `ordered`. Number `last` cancels the group.
void cancel_after(Group& group, int last, bool ordered) {
    int places[tasks];
#pragma omp taskgroup
    for (int i = 0; i < tasks; ++i) {
        group.executed[i] = 0;
        omp_event_handle_t event;
        int* const place = ordered ? &group.chain : &places[i];
        char large[6000];
        large[0] = static_cast<char>(i);
        if (i % 3 == 0) {
#pragma omp task detach(event) depend(inout : *place) firstprivate(i, large) shared(group)
            {
                stress::expect(large[0] == i, "captured data");
                group.executed[i] = 1;
                omp_fulfill_event(event);
                if (i == last) {
#pragma omp cancel taskgroup
                }
            }
        } else {
#pragma omp task detach(event) depend(inout : *place) firstprivate(i) shared(group)
            {
                group.executed[i] = 1;
                omp_fulfill_event(event);
                if (i == last) {
#pragma omp cancel taskgroup
                }
            }
        }
        group.events[i] = event;
    }
    for (int i = 0; i < tasks; ++i)
        if (!group.executed[i])
            omp_fulfill_event(group.events[i]);
    stress::expect(group.executed[last] == 1, "who cancelled did not run");
    for (int i = 0; i < tasks && ordered; ++i) // with captured arrays it may run all the same
        if (i <= last || i % 3 != 0)
            stress::expect(group.executed[i] == (i <= last), "task %d of a cancelled chain", i);
}

} // namespace

int main(int, char** argv) {
    stress::rerun_with("OMP_CANCELLATION", "true", argv);
    const int rounds = stress::scaled(300);
    stress::Random random(stress::seed());
    Group group;
#pragma omp parallel shared(group)
#pragma omp single
    for (int i = 0; i < rounds; ++i) {
        const int last = static_cast<int>(random.below(tasks));
        cancel_after(group, last, true);
        // Without an order number 0 only: others may be discarded before they cancel anything.
        cancel_after(group, 0, false);
    }
    return stress::result("detach_cancelled");
}
