// SPDX-License-Identifier: Apache-2.0
// When tasks that wait get another thread: at once where they are known to block; soon where a CPU
// is idle meanwhile; late where all CPUs are busy and no task comes or goes, for those that run may
// compute for long, or wait in a loop of their own.
#include "team/task_watch.hpp"

#include "team/cpu_pressure.hpp"

namespace heddle::team {

namespace {

/// Over so long it asks how busy the CPUs were. What a thread has used since the system's last tick
/// is not known yet.
constexpr uint64_t time_to_judge_ns = 20'000'000, tick_ns = 4'000'000;
/// So long nothing may move until the first thread comes; for each further one half as long.
constexpr uint64_t longest_standstill_ns = 250'000'000;

/// Where threads are in the deques: another one when a task has come or gone. `queued`: there are
/// tasks that nobody has begun.
uint64_t position_of(const Team& team, int size, bool& queued) {
    queued = team.inbox_size.load(platform::relaxed) != 0;
    uint64_t position = 0;
    for (int i = 0; i < size; ++i) {
        const Member& member = member_at(team, i);
        position += member.deque.position() + member.deque.taken();
        queued |=
            member.deque.looks_stealable() || member.deque.withholds() || member.box.looks_useful();
    }
    return position;
}

/// Do as many threads want a CPU as there are, besides this one? Then others have it, programs or,
/// where the machine is a virtual one, its host.
bool all_want_cpus(int cpus) { return platform::runnable_threads(cpus + 1) > cpus; }

} // namespace

void TaskWatch::begin(uint64_t now) {
    began_ns_ = now;
    used_by_ns_ = platform::process_cpu_ns();
}

bool TaskWatch::wants_thread(const Team& team, int size) {
    bool queued = false;
    if (team.has_tasks.load(platform::relaxed) != 0) {
        const uint64_t position = position_of(team, size, queued);
        if (position != position_)
            still_since_ns_ = 0;
        position_ = position;
    }
    if (!queued) {
        began_ns_ = 0;
        return false;
    }
    const uint64_t now = platform::now_ns();
    if (still_since_ns_ == 0)
        still_since_ns_ = now;
    if (began_ns_ == 0) {
        begin(now);
        still_since_ns_ = now;
        return false;
    }
    tasks_block_ = team.on_offer.is_stuck.load(platform::relaxed) != 0 ||
                   team.tasks_sleep.load(platform::relaxed) != 0;
    if (tasks_block_)
        return true;
    if (const uint64_t lasted = now - began_ns_; lasted >= time_to_judge_ns) {
        const auto cpus = static_cast<uint64_t>(cpu_pressure.cpus.load(platform::relaxed));
        const uint64_t used = platform::process_cpu_ns() - used_by_ns_ + cpus * tick_ns;
        tasks_block_ = 2 * used < lasted * (2 * cpus - 1) && // half a CPU was not used
                       !all_want_cpus(static_cast<int>(cpus));
        begin(now);
    }
    const uint32_t helpers = team.on_offer.helpers.load(platform::relaxed);
    if (!tasks_block_ &&
        now - still_since_ns_ < longest_standstill_ns >> (helpers < 6 ? helpers : 6))
        return false;
    tasks_block_ |= helpers > 1; // again and again
    began_ns_ = 0;
    return true;
}

} // namespace heddle::team
