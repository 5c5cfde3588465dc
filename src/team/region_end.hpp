// SPDX-License-Identifier: Apache-2.0
// The closing barrier of a region for a thread of the pool, which has nothing to do after it but to
// wait for its next region: that its mailbox has one says that the barrier has opened. So it polls
// its own line, and looks at the barrier's, which the primary is about to write, only now and then.
// Used by schedule/wait_at_barrier on the worker. Protocol: docs/protocols/mailbox.md.
#pragma once

#include "team/worker.hpp"

namespace heddle::team {

/// A place at the barrier of `team`, for a thread of the pool at the end of the region.
template <class Base>
class RegionEnd : public Base {
public:
    static constexpr bool is_region_end = true;

    /// Before it arrives: the next post may come right after.
    RegionEnd(Member& member, const Base& place)
        : Base(place), mailbox_(member.worker->mailbox), has_tasks_(member.team->has_tasks),
          posted_(mailbox_.epoch.load(platform::relaxed)) {}

    bool completed(uint32_t epoch) {
        // acquire: pairs with Posts::add(); the barrier itself releases nothing that is needed here
        if (!is_same_region(mailbox_.epoch.load(platform::acquire), posted_)) {
            HEDDLE_CHECK(Base::surely_completed(epoch));
            return true;
        }
        // With tasks about, each turn looks for some, and must not go on after the region.
        if (++polls_ % polls_a_look != 0 && has_tasks_.load(platform::relaxed) == 0)
            return false;
        return Base::completed(epoch);
    }

    /// Before sleeping; the next completed() looks at the barrier, also after a wake-up.
    bool surely_completed(uint32_t epoch) {
        polls_ = polls_a_look - 1;
        return Base::surely_completed(epoch);
    }

private:
    static constexpr uint32_t polls_a_look = 32; ///< under 1 us, and one line in the time of many

    const Mailbox& mailbox_;
    const platform::Atomic<uint32_t>& has_tasks_;
    const uint32_t posted_;
    uint32_t polls_ = 0;
};

} // namespace heddle::team
