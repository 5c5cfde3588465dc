// SPDX-License-Identifier: Apache-2.0
// What a thread's membership in a team has under one of the papers' policies: its queue, and notes
// of its own. That of thread 0 also has what the team shares: the pool and the cut-off. Made at
// first use, kept as long as the Member, which is for ever; the pointer's release publishes it.
#pragma once

#include "concurrent/owner_ring.hpp"
#include "schedule/policy/cut_off.hpp"
#include "schedule/policy/two_ended_queue.hpp"

namespace heddle::team {

struct PolicyState {
    // Looked at by all.
    schedule::policy::TwoEndedQueue queue; ///< tasks of this thread; of thread 0: the team's pool
    concurrent::OwnerRing<schedule::policy::Descriptor> ring; ///< the same, of OMPi
    /// How many tasks were put here; raised after each, so that who has seen it finds the task.
    alignas(concurrent::cache_line) platform::Atomic<uint64_t> puts{0};
    schedule::policy::CutOff cut_off;

    // The owner's.
    alignas(concurrent::cache_line) const schedule::policy::Descriptor* running = nullptr;
    int32_t level = 0;      ///< explicit tasks around what is being executed
    uint32_t victim = 0;    ///< where it looks first for tasks of others
    bool throttled = false; ///< OMPi: the queue was full, tasks run at once
    uint32_t created = 0;   ///< OMPi: since executed descriptors were last looked for
    schedule::policy::Descriptor* pending = nullptr; ///< OMPi: created, not recycled yet
    concurrent::OwnerRing<schedule::policy::Descriptor>::Handle handle;
    // The last look in vain inside a task: for whom, and how many tasks had been put by then.
    const Frame* vain_frame = nullptr;
    const Group* vain_group = nullptr;
    uint64_t vain_since = 0;
    uint64_t vain_puts = 0;
};

} // namespace heddle::team

namespace heddle::schedule::policy {

using team::PolicyState;

/// That of `member`, which any thread of the team may have made; nullptr: there is none yet.
inline PolicyState* find_state(const Member& member) {
    return member.policy.load(platform::acquire); // pairs with make_state()
}

/// The same, made where there is none; nullptr without memory.
PolicyState* make_state(Member& member);

/// Executes the task on this stack and keeps the notes that depend on it.
void execute_here(Member& member, PolicyState& state, Descriptor& descriptor);

} // namespace heddle::schedule::policy
