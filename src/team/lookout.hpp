// SPDX-License-Identifier: Apache-2.0
// A thread that sleeps at its mailbox; and the lookout, one that naps there while its team has
// parts of a region on offer or left, and sees to it that none waits for a thread that nobody runs.
// Called by pool threads, and by who executes parts; written by the sleeper, whose membership is
// others' meanwhile. Ordering: Dekker with all who post, call, take, and leave parts.
// Protocol: docs/protocols/stand-in.md.
#pragma once

#include "team/stand_in.hpp"
#include "team/task_watch.hpp"

namespace heddle::team {

/// Looks out for parts that were stopped and could go on, but whose thread is at something else
/// that does not end.
class Lookout {
public:
    explicit Lookout(Worker& worker) : worker_(worker) {}
    ~Lookout() { end(); }
    Lookout(const Lookout&) = delete;
    Lookout& operator=(const Lookout&) = delete;

    /// Does its team's region go on? Then it must not go to sleep for good.
    bool has_region() const {
        const Team* team = worker_.offers_of.load(platform::relaxed);
        return team && team->size_on_offer.load(platform::relaxed) != 0;
    }

    /// Is it counted among its team's lookouts?
    bool is_counted() const { return team_ != nullptr; }
    /// Before a nap: it is from now on.
    void begin();
    /// Ceases to be one if the team has another. False: it has none.
    bool leave_to_others();
    /// It is not any more. The caller sees to it that another one is, or that none is needed.
    void end();

    /// For how many naps parts of its team's region may be on offer until their owners are called.
    int naps_on_offer() const;

    /// After a nap: goes on with a part that could have gone on for many, or runs tasks that wait
    /// for a thread. False: there are none. `overdue`: calls the owners of parts on offer.
    bool relieve(bool overdue);

private:
    Member* claim(Team& team, int size);
    bool help_with_tasks(Team& team, int size);
    template <class Work>
    void leave_office_for(Team& team, int size, Work&& work);

    Worker& worker_;
    Team* team_ = nullptr; ///< whose lookout it is
    TaskWatch tasks_;
    uint32_t region_ = 0; ///< whose tasks it has watched
};

/// Another thread looks out for parts of the region on offer, in place of the one of `from`.
void pass_lookout_on(const Team& team, int size, const Worker& from);

/// The caller has left a part for the one of `owner`, which it has taken: somebody is to look out.
inline void ensure_lookout(Team& team, Worker& owner) {
    // seq_cst: Dekker with Lookout::end() and leave_to_others(), after which the thread looks at
    // the mailboxes; the caller has changed the owner's by take() before
    if (HEDDLE_UNLIKELY(team.on_offer.lookouts.load(platform::seq_cst) == 0))
        summon(owner);
}

/// What a thread of the pool has waited for.
struct Region {
    uint32_t epoch = 0;
    bool was_long = false; ///< its part was on offer for a whole nap
    bool missed = false; ///< others have the part, though it was called: it waits for the next one
};

/// Sleeps until there is a region that this thread is to begin itself, or that it has missed; the
/// last one's epoch is `seen`. As long as `asleep` says so, others may take the thread's part of a
/// region on offer, and its membership with that: here it touches nothing but the mailbox's two
/// words, and as the lookout parts that it has claimed. `slept`: they could
/// all the time, for the thread has not been awake yet.
Region sleep_at_mailbox(Worker& worker, uint32_t seen, bool slept);

} // namespace heddle::team
