// SPDX-License-Identifier: Apache-2.0
// Cut-offs: beyond which number of tasks, or level, new tasks run at once. One object a team, that
// of its thread 0; its atomics are everybody's. Relaxed throughout: they decide where a task runs
// and publish nothing. Sources: Duran et al., IWOMP 2008 (maxtasks, maxlevel) and SC 2008
// (adaptive). docs/policies/cut-offs.md.
#pragma once

#include "config/task_policy.hpp"
#include "schedule/run_task.hpp"

namespace heddle::schedule::policy {

class CutOff {
public:
    /// Does a new task run at once, with `around` explicit tasks around it? `threads`: of the team.
    bool applies(const config::TaskPolicy& policy, int32_t around, int32_t threads) const {
        return (policy.max_level != 0 && around >= policy.max_level) ||
               (policy.max_tasks != 0 &&
                unfinished_.load(platform::relaxed) >= int64_t{policy.max_tasks} * threads) ||
               (policy.adaptive && around + 1 >= learnt_.load(platform::relaxed));
    }

    void begin_task() { unfinished_.fetch_add(1, platform::relaxed); }
    void end_task() { unfinished_.fetch_sub(1, platform::relaxed); }

    /// Are tasks of this level still to be timed? Levels count from 1.
    bool profiles(int32_t level) const {
        return level <= levels && level < learnt_.load(platform::relaxed);
    }
    /// A task of this level has lasted `ns`, with the tasks inside it that it waited for.
    void note(int32_t level, uint64_t ns, int32_t threads);

private:
    static constexpr int32_t levels = 64;
    static constexpr int32_t unknown = 0x7fffffff;

    struct Level {
        platform::Atomic<uint64_t> ns{0};
        platform::Atomic<uint32_t> tasks{0};
    };

    platform::Atomic<int64_t> unfinished_{0};
    platform::Atomic<int32_t> learnt_{unknown}; ///< tasks of this level and deeper run at once
    Level profile_[levels];
};

} // namespace heddle::schedule::policy
