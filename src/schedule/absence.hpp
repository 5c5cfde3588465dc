// SPDX-License-Identifier: Apache-2.0
// Tasks of an owner that is away: it has created them, published none, and does something else than
// call the runtime, perhaps waiting in a loop of its own for these very tasks. A thread that has
// waited long in vain publishes them in its stead. Called by all waits that run tasks.
// Writes nothing but the owner's split, by TaskDeque::seize(). docs/protocols/task-deque.md.
#pragma once

#include "team/team.hpp"

namespace heddle::schedule {

/// How long a thread sleeps that waits for tasks, too: the first time, and in the end.
inline constexpr uint64_t first_nap_ns = 500'000, longest_nap_ns = 16'000'000;

/// What one waiting thread has seen of owners that keep tasks to themselves.
class Absence {
public:
    /// Between two polls: looks now and then, for threads that never sleep.
    void poll(team::Member& member) {
        if (HEDDLE_UNLIKELY(++polls_ % polls_between_looks == 0))
            look(member);
    }

    /// After a nap: looks at the deque seen last time, and takes from its owner if that has not
    /// touched it since; else at the next one that withholds tasks. True: some are public now.
    [[gnu::noinline]] bool look(team::Member& member) {
        if (member.team->has_tasks.load(platform::relaxed) == 0)
            return false; // a hint: it is set when the first task is deferred
        const int32_t size = member.team_size;
        if (number_ < size) {
            concurrent::TaskDeque& deque = team::member_at(*member.team, number_).deque;
            if (deque.withholds() && deque.position() == position_)
                return deque.seize();
        }
        for (int32_t i = 0; i < size; ++i) {
            number_ = number_ + 1 < size ? number_ + 1 : 0;
            concurrent::TaskDeque& deque = team::member_at(*member.team, number_).deque;
            if (number_ == member.number || !deque.withholds())
                continue;
            position_ = deque.position();
            return false;
        }
        number_ = size; // nobody
        return false;
    }

private:
    /// One to three milliseconds: a wait that long is not disturbed by a look at other lines.
    static constexpr uint32_t polls_between_looks = 1u << 15;

    uint32_t polls_ = 0;
    int32_t number_ = 0;
    uint64_t position_ = ~uint64_t{0};
};

} // namespace heddle::schedule
