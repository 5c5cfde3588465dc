// SPDX-License-Identifier: Apache-2.0
// What counting does when it is on, and the list of all workers' counters.
// The list only grows, but in a forked child. Acquire in all_statistics() pairs with the release in
// list_statistics().
#include "team/counting.hpp"

#include "config/load.hpp"

namespace heddle::team {

namespace {

platform::Atomic<Statistics*> newest{nullptr};

} // namespace

void note_idle(Member& member, tool::WaitKind kind) {
    Statistics& statistics = member.worker->statistics;
    if (statistics.idle_since != 0)
        return;
    const bool at_barrier = kind == tool::WaitKind::barrier || kind == tool::WaitKind::region_end;
    statistics.idle_since = platform::now_ns();
    statistics.idle_time = at_barrier ? Counter::barrier_idle_ns : Counter::task_idle_ns;
    statistics.add(at_barrier ? Counter::barrier_waits : Counter::task_waits, 1);
    tool::Watch& watch = member.worker->watch;
    watch.recorder.put(tool::EventKind::idle_begin, 0, static_cast<uint64_t>(kind));
    watch.activity.wait_began.store(statistics.idle_since, platform::relaxed);
    watch.activity.object.store(0, platform::relaxed);
    watch.activity.wait.store(kind, platform::relaxed);
}

void note_work(Member& member) {
    Statistics& statistics = member.worker->statistics;
    if (statistics.idle_since == 0)
        return;
    statistics.add(statistics.idle_time, platform::now_ns() - statistics.idle_since);
    statistics.idle_since = 0;
    tool::Watch& watch = member.worker->watch;
    watch.activity.wait.store(tool::WaitKind::none, platform::relaxed);
    watch.recorder.put(tool::EventKind::idle_end);
}

void note_wait_end(Member& member) {
    note_work(member);
    member.worker->watch.recorder.put(tool::EventKind::wait_end);
}

void note_run(Member& member, bool stolen) {
    note_work(member);
    member.worker->statistics.add(stolen ? Counter::stolen : Counter::taken_back, 1);
}

void list_statistics(Worker& worker) {
    if ((initial_attention.load(platform::relaxed) & counting) == 0) // set before the first worker
        return;
    tool::list_watch(worker.watch, worker.global_number);
    if (config::settings().heddle.stats == config::StatsTarget::nowhere)
        return;
    Statistics& statistics = worker.statistics;
    statistics.number = worker.global_number;
    statistics.began = platform::now_ns();
    Statistics* older = newest.load(platform::relaxed); // the exchange tells whether it is stale
    do
        statistics.older = older;
    while (!newest.compare_exchange_strong(older, &statistics, platform::release,
                                           platform::relaxed)); // to all_statistics()
}

void restart_statistics(Worker* survivor) {
    newest.store(nullptr, platform::relaxed); // no other thread exists
    tool::restart_watches(); // also where the parent had not begun: the name of a child is another
    if (survivor && (initial_attention.load(platform::relaxed) & counting) != 0) {
        survivor->watch.recorder.leave_after_fork(survivor->is_pool_thread);
        survivor->statistics.clear();
        list_statistics(*survivor);
    }
}

const Statistics* all_statistics() {
    return newest.load(platform::acquire); // pairs with list_statistics()
}

} // namespace heddle::team
