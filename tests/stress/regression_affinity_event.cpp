// SPDX-License-Identifier: Apache-2.0
// A detached task whose child, with an affinity clause for another thread, fulfills its event. That
// child lay where only its parent, which had ended, would have looked for it, while both threads
// waited for tasks: a hang.
#include "kmp_task_graph.hpp"

#include <chrono>

namespace {

using namespace stress;

char location[64];

struct Round {
    std::atomic<int> began{0};
    void* event = nullptr;
};

Round& round_of(KmpTask* task) { return *static_cast<Round*>(Private::of(task).owner); }

int32_t fulfill(int32_t, KmpTask* task) {
    omp_fulfill_event(
        static_cast<omp_event_handle_t>(reinterpret_cast<uintptr_t>(round_of(task).event)));
    return 0;
}

/// A task that the thread should execute that executed the last one with the location.
void create_there(KmpRoutine routine, Round& round, Random& random) {
    KmpTask* task = allocate(kmp_task::tied, 1, &round, routine, random);
    KmpAffinity item{reinterpret_cast<intptr_t>(location), sizeof location, 0};
    __kmpc_omp_reg_task_with_affinity(&ident, thread(), task, 1, &item);
    __kmpc_omp_task(&ident, thread(), task);
}

int32_t detached(int32_t, KmpTask* task) {
    Random random(1);
    create_there(fulfill, round_of(task), random);
    return 0;
}

int32_t waiting(int32_t, KmpTask* task) {
    Random random(2);
    round_of(task).began = 1;
    KmpTask* child =
        allocate(kmp_task::tied | kmp_task::detachable, 1, &round_of(task), detached, random);
    round_of(task).event = __kmpc_task_allow_completion_event(&ident, thread(), child);
    __kmpc_omp_task(&ident, thread(), child);
    return __kmpc_omp_taskwait(&ident, thread());
}

int32_t nothing(int32_t, KmpTask*) { return 0; }

} // namespace

int main() {
    const int rounds = scaled(200);
    Random random(seed());
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < rounds; ++i) {
        Round round;
        create_there(nothing, round, random);
        __kmpc_omp_taskwait(&ident, thread());
        KmpTask* task = allocate(kmp_task::tied, 1, &round, waiting, random);
        __kmpc_omp_task(&ident, thread(), task);
        for (int turns = 0; turns < 50 && !round.began; ++turns) // so that the other thread has it
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        __kmpc_omp_taskwait(&ident, thread());
        expect(round.began == 1, "round %d", i);
    }
    return result("regression_affinity_event");
}
