// SPDX-License-Identifier: Apache-2.0
// A barrier inside a region on offer, for a part whose thread goes on with others' parts meanwhile.
// Used by schedule/wait_at_barrier on the member; what the barrier orders is TeamBarrier's.
// Protocols: docs/protocols/stand-in.md, team-barrier.md.
#pragma once

#include "schedule/carried_parts.hpp"

namespace heddle::schedule {

/// A place at the barrier of a part whose thread goes on with others meanwhile.
class SharedPlace : public concurrent::TeamBarrier::Place {
    using Base = concurrent::TeamBarrier::Place;

public:
    SharedPlace(Member& member, concurrent::TeamBarrier& barrier)
        : Base(barrier, static_cast<uint32_t>(member.team_size)), member_(member),
          condition_{barrier, *member.team, 0} {}

    [[gnu::always_inline]] bool arrive(uint32_t& epoch) {
        // The member is active, so it stays.
        epoch = condition_.epoch = condition_.barrier.epoch();
        if (HEDDLE_UNLIKELY(!is_teams()))
            return Base::arrive(epoch); // the one for cancellation, that others do not arrive at
        return arrive_or_go_on(member_, has_opened, &condition_, epoch);
    }

    /// After arrive().
    bool is_open() const { return has_opened(&condition_); }

    bool completed(uint32_t epoch) {
        if (Base::completed(epoch))
            return true;
        // Most of what was left waits at this barrier, too.
        if (polls_++ % polls_a_look != 0)
            return false;
        // Who is about to be busy with tasks leaves nothing on offer: nobody else comes for it.
        if (member_.team->has_tasks.load(platform::relaxed) != 0)
            member_.part.carrier->carrier.in_vain = Carrier::patience;
        const bool own = is_teams();
        const team::Ready ready = own ? has_opened : has_opened_or_is_cancelled;
        while (go_on_elsewhere(member_, ready, &condition_, own ? &epoch : nullptr, true))
            if (ready(&condition_))
                return Base::completed(epoch);
        return false;
    }

    /// The thread may have others to look after: what was left at this barrier, too, goes on when
    /// it opens, and sleepers are woken for that.
    uint64_t longest_nap() const {
        const Carrier& carrier = member_.part.carrier->carrier;
        team::PartSet others = carrier.stopped;
        if (carrier.native)
            others.add(carrier.native->number);
        others.remove(member_.number);
        if (carrier.barrier_epoch == condition_.epoch)
            others.remove(carrier.at_barrier);
        return others.any() ? moment_ns : platform::forever;
    }

private:
    static constexpr uint32_t polls_a_look = 8;

    struct Condition {
        const concurrent::TeamBarrier& barrier;
        const team::Team& team;
        uint32_t epoch;
    };
    bool is_teams() const { return &condition_.barrier == &member_.team->barrier; }
    static bool has_opened(const void* raw) {
        const auto& condition = *static_cast<const Condition*>(raw);
        return condition.barrier.completed(condition.epoch);
    }
    /// For the one that ends early where the region is cancelled.
    static bool has_opened_or_is_cancelled(const void* raw) {
        return has_opened(raw) || static_cast<const Condition*>(raw)->team.cancelled.load(
                                      platform::relaxed) != 0; // what it orders: construct/cancel
    }

    Member& member_;
    Condition condition_;
    uint32_t polls_ = 0;
};

} // namespace heddle::schedule
