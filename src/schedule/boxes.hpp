// SPDX-License-Identifier: Apache-2.0
// Tasks in the boxes of the threads that hints mean (Member::box): who takes them, and when. A
// thread takes its own first, others' when it finds nothing else and their thread does not come to
// it. Each entry holds the team's barrier as if it were an active thread, as those of the inbox do.
// Called by whoever makes a task ready, and by waiting threads. docs/protocols/task-box.md has the
// structure, docs/task-affinity.md the rules. Source: the task affinity paper, sections 2 and 5.3.
#pragma once

#include "schedule/record.hpp"

namespace heddle::schedule {

/// The ready `record` goes to the box of the thread that it prefers, which is told. False: it
/// prefers none, or that box is full. By an active thread, or for what holds the barrier already.
bool put_into_box_of(TaskRecord& record);
inline bool put_into_box(TaskRecord& record) {
    return HEDDLE_UNLIKELY(record.preferred >= 0) && put_into_box_of(record);
}

/// Are boxes in use in this region? One relaxed load; what comes later is noticed at the next look.
inline bool uses_boxes(const Member& member) {
    return HEDDLE_UNLIKELY((member.team->has_tasks.load(platform::relaxed) & team::boxed_tasks) !=
                           0);
}

/// How long a waiting thread has been without work, for as long as boxes are in use; and what it
/// tells others of itself meanwhile.
class Hunger {
public:
    explicit Hunger(Member& member) : member_(member) {}
    ~Hunger() { end(); }
    Hunger(const Hunger&) = delete;
    Hunger& operator=(const Hunger&) = delete;

    /// The thread waits, and would take anything, or what descends from its task.
    void tell(team::Wait wait) {
        if (told_ != wait) {
            told_ = wait;
            before_ = member_.wait.load(platform::relaxed);
            if (before_ == team::Wait::yield)
                before_ = team::Wait::none;
            // seq_cst: it looks into its box after that, put_into_box() reads it after adding
            member_.wait.store(wait, platform::seq_cst);
        }
    }
    /// It has found something, perhaps in another's box.
    void feed(bool others) {
        since_ns_ = 0;
        looks_ = 0;
        taken_ = others ? (taken_ < most_taken ? taken_ + 1 : most_taken) : 0;
    }
    /// The same, or it waits no longer: what others know is again what they knew before, which may
    /// be that a task below on the stack waits.
    void end(bool others = false) {
        if (HEDDLE_UNLIKELY(told_ != team::Wait::none)) {
            told_ = team::Wait::none;
            feed(others);
            member_.wait.store(before_, platform::relaxed);
        }
    }
    /// For how long there has been something in others' boxes and nothing else: each time that it
    /// took something there counts twice as much, so that it adapts to threads that fall behind.
    uint64_t lasts_ns() {
        const uint64_t now = platform::now_ns();
        if (since_ns_ == 0)
            since_ns_ = now;
        return (now - since_ns_) << taken_;
    }
    /// There is nothing in others' boxes.
    void note_nothing() { since_ns_ = 0; }
    /// Has there been something at the last look?
    bool is_hungry() const { return since_ns_ != 0; }
    /// The thread has slept: the next look is due.
    void note_nap() { looks_ = 0; }
    /// A look that may walk over many tasks in vain is due less and less often.
    bool is_look_due() {
        ++looks_;
        return (looks_ & (looks_ - 1)) == 0 || looks_ % 256 == 0;
    }

private:
    static constexpr uint32_t most_taken = 6;

    Member& member_;
    uint64_t since_ns_ = 0;
    uint32_t taken_ = 0; ///< from others' boxes in a row
    uint32_t looks_ = 0;
    team::Wait told_ = team::Wait::none, before_ = team::Wait::none;
};

/// In a barrier, where any task may run: another member whose box the caller may take from now.
Member* find_box(Member& member, Hunger& hunger);
/// Runs a task of the box of `holder`, the caller's own included; it is active in the barrier.
bool run_from_box(Member& member, Member& holder);

/// In a wait inside a task: runs a child of the current task, or a task of `group`, which it waits
/// for, from its own box, or from another that it may take from now.
bool run_child_from_boxes(Member& member, const Group* group, Hunger& hunger);

/// The same once, at a taskyield or where too many children are queued: a child that nobody else is
/// about to take.
bool run_child_from_boxes(Member& member);

} // namespace heddle::schedule
