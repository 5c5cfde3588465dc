// SPDX-License-Identifier: Apache-2.0
// The adaptive cut-off: the average time of the first tasks of each level decides from which one on
// tasks are too small to be worth deferring.
#include "schedule/policy/cut_off.hpp"

namespace heddle::schedule::policy {

namespace {

/// A level is judged when it has had so many tasks, and so many for each thread: fewer would not
/// keep a team busy.
constexpr uint32_t least_tasks = 32, tasks_per_thread = 4;

/// Tasks that last less, with all below them, are not worth deferring.
constexpr uint64_t least_ns = 20'000;

} // namespace

void CutOff::note(int32_t level, uint64_t ns, int32_t threads) {
    Level& profile = profile_[level - 1];
    const uint64_t total = profile.ns.fetch_add(ns, platform::relaxed) + ns;
    const uint32_t tasks = profile.tasks.fetch_add(1, platform::relaxed) + 1;
    const uint32_t per_team = tasks_per_thread * static_cast<uint32_t>(threads);
    if (tasks < (per_team > least_tasks ? per_team : least_tasks) || total / tasks >= least_ns)
        return;
    int32_t learnt = learnt_.load(platform::relaxed);
    while (level < learnt &&
           !learnt_.compare_exchange_strong(learnt, level, platform::relaxed, platform::relaxed)) {
    }
}

} // namespace heddle::schedule::policy
