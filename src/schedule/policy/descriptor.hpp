// SPDX-License-Identifier: Apache-2.0
// A deferred task under one of the papers' policies: its descriptor, and what a waiting thread may
// take of them. Made by the encountering thread, constant while it is queued, run by any thread of
// the team. The accounting is that of all deferred tasks: families, contexts and groups.
// Source: Agathos et al., Speeding Up OpenMP Tasking, section 2.1 (descriptor, Exec flag).
#pragma once

#include "schedule/throttle.hpp"

namespace heddle::schedule::policy {

/// The youngest ancestor of a task, or the task, that each of a few threads has created. All that
/// a thread creates while a task is on its stack descends from that task (docs/protocols/
/// task-waiting.md, C), so this answers whether a task descends from one that waits. Of more
/// threads than entries the ones longest ago are forgotten: the answer is then no.
class Lineage {
public:
    /// Of a task that thread `number` creates as its `serial`-th while it executes a task of
    /// lineage `parent`, if that is known.
    void begin(int32_t number, uint64_t serial, const Lineage* parent) {
        thread_[0] = number;
        serial_[0] = serial;
        length_ = 1;
        for (int32_t i = 0; parent && i < parent->length_ && length_ < most; ++i)
            if (parent->thread_[i] != number) {
                thread_[length_] = parent->thread_[i];
                serial_[length_++] = parent->serial_[i];
            }
    }

    /// Has thread `number` created the task, or an ancestor, as its `since`-th or later?
    bool descends(int32_t number, uint64_t since) const {
        for (int32_t i = 0; i < length_; ++i)
            if (thread_[i] == number)
                return serial_[i] >= since;
        return false;
    }

    int32_t creator() const { return thread_[0]; }

private:
    static constexpr int32_t most = 4;

    uint64_t serial_[most];
    int32_t thread_[most];
    int32_t length_;
};

/// In memory that begins with its Capture header; the captured data follow.
struct Descriptor {
    team::Capture capture;
    TaskFunction function;
    uintptr_t tag; ///< Family and slot_tag bits, as in a slot
    /// In a TwoEndedQueue, under its lock; `next` also in the creator's list of pending tasks.
    Descriptor* next;
    Descriptor* previous;
    Lineage lineage;
    int32_t level; ///< explicit tasks around it, itself included
    bool pending;  ///< its creator recycles it; else who has executed it gives the memory back
    platform::Atomic<bool> executed; ///< the Exec flag of a pending one

    const Family& family() const {
        return *reinterpret_cast<const Family*>(tag & ~team::slot_tag::mask);
    }
};

/// Which tasks a thread may take.
struct Need {
    bool anything;      ///< it waits in a barrier
    int32_t number;     ///< of the thread
    uint64_t since;     ///< its tasks from this one on descend from the task that waits
    const Group* group; ///< the taskgroup whose end waits, or nullptr
};

/// What the current task of `member`, or the end of `group` in it, may be suspended for.
Need need_of(const Member& member, const Group* group);

bool accepts(const Descriptor& descriptor, const Need& need);

/// A descriptor of `task` as a child of the current task, counted in its family; nullptr without
/// memory. `running` is the innermost descriptor on this stack, or nullptr.
Descriptor* make_descriptor(Member& member, const NewTask& task, const Descriptor* running,
                            int32_t level);

/// Executes the task on this worker's stack, to its completion; the descriptor is gone then.
void execute(Member& member, Descriptor& descriptor);

} // namespace heddle::schedule::policy
