// SPDX-License-Identifier: Apache-2.0
// Clang's tasks that cancellation discards, before they are queued and after, while another thread
// cancels: the destructors of each are called once, a taskgroup or region ends though nobody
// fulfills the events of what was discarded, and fulfilling these later does no harm. What
// destructors do not show, such as blocks of more than 4 KiB, LeakSanitizer sees.
#include "kmp_task_graph.hpp"

#include "rerun.hpp"

extern "C" int32_t __kmpc_cancel(Ident*, int32_t, int32_t construct);

namespace {

using namespace stress;

constexpr int tasks = 60;

struct Trial {
    std::atomic<int> executed[tasks] = {};
    int canceller = 0; ///< the task that cancels
    bool group = false;
    uint64_t storage[4] = {};
    uintptr_t events[tasks] = {}; ///< of tasks with a detach clause
    KmpTask* proxies[tasks] = {};
    Trial() = default;
};

/// Tasks fulfill their events themselves.
int32_t run(int32_t, KmpTask* raw) {
    Private& data = Private::of(raw);
    Trial& trial = *static_cast<Trial*>(data.owner);
    expect(data.right(raw), "the data of a task");
    ++trial.executed[data.id];
    work(200);
    if (data.event)
        omp_fulfill_event(static_cast<omp_event_handle_t>(reinterpret_cast<uintptr_t>(data.event)));
    constexpr int32_t taskgroup = 4;
    if (trial.group && static_cast<int>(data.id) == trial.canceller)
        __kmpc_cancel(&ident, thread(), taskgroup);
    return 0;
}

int32_t run_untied(int32_t global, KmpTask* raw) {
    if (raw->part == 0) {
        raw->part = 1;
        return __kmpc_omp_task(&ident, thread(), raw);
    }
    return run(global, raw);
}

void create(Trial& trial, int number, Random& random) {
    int32_t flags = kmp_task::destructors | (random.chance(80) ? kmp_task::tied : 0);
    const unsigned completion = random.below(6);
    flags |= completion == 0 ? kmp_task::detachable : completion == 1 ? kmp_task::proxy : 0;
    if (random.chance(10))
        flags |= kmp_task::final;
    KmpTask* const raw = allocate(flags, static_cast<uint64_t>(number), &trial,
                                  flags & kmp_task::tied ? run : run_untied, random);
    if (completion == 0) {
        void* event = __kmpc_task_allow_completion_event(&ident, thread(), raw);
        Private::of(raw).event = event;
        trial.events[number] = reinterpret_cast<uintptr_t>(event);
    }
    if (random.chance(20))
        prefer_location(raw, random);
    if (random.chance(40)) {
        KmpDepend depend{reinterpret_cast<intptr_t>(&trial.storage[random.below(4)]), 8,
                         static_cast<uint8_t>(random.chance(50) ? 1 : 3)};
        __kmpc_omp_task_with_deps(&ident, thread(), raw, 1, &depend, 0, nullptr);
    } else {
        __kmpc_omp_task(&ident, thread(), raw);
    }
    if (completion == 1) {
        if (random.chance(50))
            __kmpc_proxy_task_completed_ooo(raw);
        else
            trial.proxies[number] = raw;
    }
}

void create_all(Trial& trial, Random& random) {
    for (int i = 0; i < tasks; ++i)
        create(trial, i, random);
    for (KmpTask* raw : trial.proxies)
        if (raw)
            __kmpc_proxy_task_completed_ooo(raw);
}

/// After the group or the region: nothing runs twice, and the rest is let go.
void finish(Trial& trial) {
    for (int i = 0; i < tasks; ++i) {
        expect(trial.executed[i] <= 1, "task %d was executed %d times", i,
               trial.executed[i].load());
        if (trial.events[i] && !trial.executed[i])
            omp_fulfill_event(static_cast<omp_event_handle_t>(trial.events[i]));
    }
}

void cancel_group(Random& random) {
    Trial trial;
    trial.group = true;
    trial.canceller = static_cast<int>(random.below(tasks));
    __kmpc_taskgroup(&ident, thread());
    create_all(trial, random);
    __kmpc_end_taskgroup(&ident, thread());
    finish(trial);
    expect(Private::live.load() == 0, "%ld tasks were not destroyed", Private::live.load());
}

/// The last thread cancels the region while the first creates tasks.
void cancel_region(Random& random) {
    Trial trial;
    const unsigned delay = random.below(100'000);
#pragma omp parallel shared(trial, random)
    {
        if (omp_get_thread_num() == 0)
            create_all(trial, random);
        if (omp_get_thread_num() == omp_get_num_threads() - 1) {
            work(omp_get_num_threads() > 1 ? delay : 0);
#pragma omp cancel parallel
        }
    }
    finish(trial);
    expect(Private::live.load() == 0, "%ld tasks were not destroyed", Private::live.load());
}

} // namespace

int main(int, char** argv) {
    rerun_with("OMP_CANCELLATION", "true", argv);
    const int rounds = scaled(300);
    Random random(seed());
    for (int i = 0; i < rounds && failures.load() == 0; ++i) {
#pragma omp parallel
#pragma omp single
        for (int j = 0; j < 4; ++j)
            cancel_group(random);
        cancel_region(random);
    }
    return result("kmp_task_cancel");
}
