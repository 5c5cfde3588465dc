// SPDX-License-Identifier: Apache-2.0
// Affinity hints: what the program has said about where tasks should run, for the next task, for
// the tasks of a taskgroup or taskloop, or by an affinity clause; and the thread that it comes to.
// Called on the encountering thread by abi/heddle, task creation, taskgroup and taskloop. A hint
// sets the bit `hint_given` of Member::deferring, so that who has none pays nothing.
// docs/task-affinity.md. Source: the task affinity paper, sections 4 and 5.3.
#pragma once

#include "team/worker.hpp"

namespace heddle::schedule {

using team::Member;

/// Where a new task should run, and what it has to know there.
struct Destination {
    int32_t thread = -1;            ///< in whose box it waits; -1: it is like any other task
    team::ThreadShare share;        ///< over which its own groups are spread
    const void* location = nullptr; ///< who runs it has these data from then on
};

/// Has any task in this process an event (detach clause)? A task that fulfills it may be a
/// descendant of one that has ended, which a waiting thread would not find in a box.
inline platform::Atomic<uint32_t> events_made{0};

/// For the next task, taskgroup or taskloop of the current task. False: no hint counts here, for
/// the value is out of range, or HEDDLE_TASK_AFFINITY is off.
bool give_hint(Member& member, const team::Hint& hint);

/// A hint that the current task has not made use of is forgotten.
void take_hint_back(Member& member);

/// Where the task goes that the current task is about to create, with an affinity clause for the
/// `size` bytes at `clause`, or nullptr. The hint for it, if there is one, is used up.
Destination destination_of(Member& member, const void* clause, size_t size);

void begin_hinted_group(Member& member, team::HintScope& scope);

/// The current task begins a taskgroup, whose `scope` this is. Its hint's kind is none if the
/// program has given none for the group; otherwise end_scope() follows.
inline void begin_group_scope(Member& member, team::HintScope& scope) {
    scope.hint.kind = team::HintKind::none;
    if (HEDDLE_UNLIKELY((member.deferring & team::hint_given) != 0))
        begin_hinted_group(member, scope);
}

void end_scope(Member& member, team::HintScope& scope);

/// Lives while the tasks of a taskloop are created, all of which a hint given before it is for.
class LoopScope {
public:
    LoopScope(Member& member, uint64_t tasks) : member_(member) {
        if (HEDDLE_UNLIKELY((member.deferring & team::hint_given) != 0))
            begin(tasks);
    }
    ~LoopScope() {
        if (HEDDLE_UNLIKELY(scope_.hint.kind != team::HintKind::none))
            end_scope(member_, scope_);
    }
    LoopScope(const LoopScope&) = delete;
    LoopScope& operator=(const LoopScope&) = delete;

private:
    void begin(uint64_t tasks);

    Member& member_;
    team::HintScope scope_;
};

/// The function of a task region: executes the task of a TaskRecord that has a share.
void run_with_share(void* record);

} // namespace heddle::schedule
