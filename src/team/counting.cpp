// SPDX-License-Identifier: Apache-2.0
// What counting does when it is on, and the list of all workers' counters.
// The list only grows, but in a forked child. Acquire in all_statistics() pairs with the release in
// list_statistics().
#include "team/counting.hpp"

namespace heddle::team {

namespace {

platform::Atomic<Statistics*> newest{nullptr};

} // namespace

void note_idle(Member& member, Counter periods) {
    Statistics& statistics = member.worker->statistics;
    if (statistics.idle_since != 0)
        return;
    statistics.idle_since = platform::now_ns();
    statistics.idle_time = static_cast<Counter>(static_cast<int>(periods) + 1);
    statistics.add(periods, 1);
}

void note_work(Member& member) {
    Statistics& statistics = member.worker->statistics;
    if (statistics.idle_since == 0)
        return;
    statistics.add(statistics.idle_time, platform::now_ns() - statistics.idle_since);
    statistics.idle_since = 0;
}

void note_run(Member& member, bool stolen) {
    note_work(member);
    member.worker->statistics.add(stolen ? Counter::stolen : Counter::taken_back, 1);
}

void list_statistics(Worker& worker) {
    if ((initial_attention.load(platform::relaxed) & counting) == 0) // set before the first worker
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
    if (survivor) {
        survivor->statistics.clear();
        list_statistics(*survivor);
    }
}

const Statistics* all_statistics() {
    return newest.load(platform::acquire); // pairs with list_statistics()
}

} // namespace heddle::team
