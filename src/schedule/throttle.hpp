// SPDX-License-Identifier: Apache-2.0
// Throttling: is a new task deferred, or run at once on its parent's stack?
// Called at every task construct on the encountering worker. The answer is two words the owner
// reads anyway: its own `deferring`, and `wants_tasks` that thieves set. docs/task-policy.md.
#pragma once

#include "schedule/run_task.hpp"

namespace heddle::schedule {

/// A task construct that may be deferred.
struct NewTask {
    TaskFunction function;
    void* data;                         ///< the encountering thread's captured data
    void (*copy)(void* to, void* from); ///< constructs the copy; nullptr: copy the bytes
    size_t size;
    size_t alignment;
    bool untied;
    bool final;
    const uint64_t* first_words = nullptr; ///< taskloop: two words to begin the constructed copy
    TaskFunction discard = nullptr; ///< called instead of the function if the task is cancelled
    bool must_run = false;          ///< cancellation may not skip the function of a deferred task
    bool target = false;            ///< to a tool it is a target task
};

/// The tag of the task as a child of `family` that is put off.
inline uintptr_t tag_of(const NewTask& task, Family& family) {
    uintptr_t tag = reinterpret_cast<uintptr_t>(&family);
    if (task.untied)
        tag |= team::slot_tag::untied;
    if (task.final)
        tag |= team::slot_tag::final;
    return tag;
}

/// May the next task run at once, without a look at the queue?
inline bool runs_at_once(const Member& member) {
    return HEDDLE_LIKELY((member.deferring | member.deque.wants_tasks()) == 0) &&
           HEDDLE_LIKELY(platform::stack_pointer() > member.stack_limit);
}

/// The same where cancel-var is true, and nothing else keeps tasks from the fast path.
inline bool runs_unless_cancelled(const Member& member) {
    return (member.deferring | member.deque.wants_tasks()) == team::cancellable &&
           platform::stack_pointer() > member.stack_limit;
}

/// runs_at_once() where HEDDLE_STATS, a hint, or cancel-var, for which no task takes the fast path,
/// must not change the answer.
inline bool would_run_at_once(const Member& member) {
    constexpr uint32_t others = team::counting | team::hint_given | team::cancellable;
    return ((member.deferring & ~others) | member.deque.wants_tasks()) == 0 &&
           platform::stack_pointer() > member.stack_limit;
}

/// Is no task plain here, for they are meant to be queued?
inline bool needs_attention(const Member& member) {
    return (member.deferring & team::attention) != 0;
}

inline constexpr unsigned plain_untied = team::Frame::untied_bit;
inline constexpr unsigned plain_undeferred = 2; ///< the if clause is false

/// A task without other clauses that does not run at once: thieves are hungry, or the queue is
/// being filled, or the stack is deep. Out of line, so that the fast path keeps its registers.
[[gnu::noinline]] void create_plain_task(Member& member, TaskFunction function, void* data,
                                         size_t size, size_t alignment, unsigned bits);

/// The full question: does the next task run at once, or may it be deferred?
bool is_turned_away(Member& member);
/// The owner has taken a task back: if fewer than its stock are left, the next ones are deferred.
void keep_stock(Member& member);
/// A task was deferred.
void note_deferral(Member& member);
/// Queues `task` with its data; false when there is no memory for it.
bool defer(Member& member, const NewTask& task);

/// Runs `task` at once as a child of the current task.
void run_undeferred(Member& member, const NewTask& task);

/// With more captured data a copy on the stack might overflow it.
inline constexpr size_t largest_stack_copy = 16384;

/// Runs a task with `size` bytes of data on this stack, which construct(room) makes: OpenMP 5.2
/// section 12.5 has that belong to the new task. `bits` as in Frame.
template <class Construct>
[[gnu::always_inline]] inline void run_on_stack(Member& member, TaskFunction function, size_t size,
                                                size_t alignment, uintptr_t bits,
                                                Construct&& construct) {
    Frame frame{member.current, nullptr, bits};
    auto* room = static_cast<char*>(__builtin_alloca(size + alignment));
    room += -reinterpret_cast<uintptr_t>(room) & (alignment - 1);
    member.current = &frame;
    construct(room);
    function(room);
    member.current = frame.parent;
    if (HEDDLE_UNLIKELY(frame.family != nullptr))
        leave_families(member, frame);
}

/// Level 0 has no barrier: runs what was deferred for want of stack, back at the initial task.
void drain_initial_task(Member& member);

/// Makes half of the private tasks stealable, or `all`, and wakes a sleeper if CPUs are free.
void expose(Member& member, bool all = false);

/// Does the current task create large ones, one after another? While the thread runs one of them
/// nobody shares out what it withholds, nor creates more.
inline bool creates_large_tasks(const Member& member) {
    return member.deque.task_size() == concurrent::TaskDeque::large &&
           member.creator == member.current;
}

} // namespace heddle::schedule
