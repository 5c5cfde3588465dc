// SPDX-License-Identifier: Apache-2.0
// What the runtime keeps of a task: a Frame while it runs, a Family for the children it deferred, a
// Context for what it inherited. The glossary of the task engine; data only, the algorithms are in
// schedule/. A Frame belongs to its worker; a Family's first line to its owner, its second to those
// who finish stolen children (release in done(), acquire in complete()).
#pragma once

#include "concurrent/block_pool.hpp"
#include "concurrent/completion_count.hpp"
#include "concurrent/parker.hpp"
#include "concurrent/task_deque.hpp"
#include "config/control_variables.hpp"
#include "team/hints.hpp"

namespace heddle::team {

struct Member;
struct Group;
struct TaskRecord;
struct DependenceTable;
struct PriorityQueue;

using TaskFunction = void (*)(void*);

/// What a task inherits from its parent; constant while a deferred task may refer to it.
struct alignas(16) Context {
    config::Icvs* icvs; ///< data-environment ICVs
    Group* group;       ///< innermost taskgroup, nullptr outside any
    bool final;         ///< the task is final: its children are included tasks
    /// A family has been made under it: while children are not complete, its task must not change
    /// the ICVs in place. Relaxed: the task itself sees it set by the deferral that matters, others
    /// only set it again.
    mutable platform::Atomic<bool> referred_to{false};
    /// A task has ended before children of its that refer to it. Relaxed: written before that task
    /// is counted as complete. Read of contexts that tasks own (schedule/own_context).
    mutable platform::Atomic<bool> outlived{false};

    /// Before any other thread can know it.
    void set(config::Icvs* new_icvs, Group* new_group, bool is_final) {
        icvs = new_icvs;
        group = new_group;
        final = is_final;
        referred_to.store(false, platform::relaxed);
    }
};

/// The children that one task has deferred, under one context. Allocated at the first deferral,
/// freed by its owner when none is left, else by whoever finishes the last one.
struct alignas(concurrent::cache_line) Family {
    // Owner's lines.
    uint64_t base;          ///< lowest deque index at a deferral: children lie at or above it
    Family* older;          ///< the task's family of an earlier context (taskgroup, changed ICVs)
    const Context* context; ///< of the children
    DependenceTable* dependences; ///< among the children of the task, owner only; or nullptr
    PriorityQueue* ready;         ///< children that are ready, where priorities count; or nullptr
    uint64_t serial;   ///< how many tasks under a policy of the papers its owner had created before
    uint32_t count;    ///< of the list from here on
    uint32_t sweep_at; ///< `count` at which the complete ones are looked for
    concurrent::SplitCounter children; ///< its shared half starts a line of its own
    // Read by those who run stolen children; beside the word that they change anyway.
    const Context* context_for_thieves;
    Group* group; ///< that it counts in, or nullptr; its last child may end after its context
    concurrent::BlockPool* home; ///< where the memory goes back to
    /// Whom to wake; written before prepare_wait(). Relaxed: a late reader may wake someone else,
    /// which is a spurious unpark().
    platform::Atomic<Member*> waiter;
};

/// A running or suspended task region, on its worker's stack (implicit tasks: in the Member).
struct Frame {
    Frame* parent;          ///< the frame below it on the same worker; nullptr in implicit tasks
    Family* family;         ///< newest family, nullptr until the first deferral
    uintptr_t context_bits; ///< Context* and the two bits below

    static constexpr uintptr_t untied_bit = 1; ///< the task is untied
    static constexpr uintptr_t owned_bit = 2;  ///< the context belongs to this task alone
    static constexpr uintptr_t own_bits = untied_bit | owned_bit; ///< a child doesn't inherit them

    const Context* context() const {
        return reinterpret_cast<const Context*>(context_bits & ~own_bits);
    }
    bool untied() const { return (context_bits & untied_bit) != 0; }
};

/// A taskgroup region. Each family created inside holds one count.
struct Group {
    concurrent::CompletionCount families;
    platform::Atomic<Member*> waiter; ///< as in Family
    platform::Atomic<bool> cancelled; ///< `cancel taskgroup`: tasks not begun are discarded
    bool implicit;        ///< of a reduction(task) clause: not what `cancel taskgroup` means
    Context context;      ///< of the tasks in the group
    uint64_t base;        ///< its tasks in the owner's deque lie at or above this index
    const Member* owner;  ///< who waits for the group, and alone reads and writes `base`
    uintptr_t outer_bits; ///< the frame's context_bits outside
    Family* outer_family; ///< the frame's family outside
    /// Innermost reduction block that the group's tasks may refer to; nullptr when there is none.
    uintptr_t* reductions;
    HintScope hints; ///< of an affinity hint for the group; its kind is none without one

    const Context* outer_context() const {
        return reinterpret_cast<const Context*>(outer_bits & ~Frame::own_bits);
    }
};

/// Bits of TaskSlot::tag beside the Family pointer.
namespace slot_tag {
inline constexpr uintptr_t stolen = concurrent::TaskSlot::stolen;
inline constexpr uintptr_t untied = 2;   ///< the task is untied
inline constexpr uintptr_t final = 4;    ///< the task is final
inline constexpr uintptr_t external = 8; ///< the payload is a pointer to a Capture
inline constexpr uintptr_t record = 16;  ///< the payload is a pointer to a TaskRecord; nullptr: the
                                         ///< family's ready task of the highest priority
inline constexpr uintptr_t mask = concurrent::TaskSlot::flags;
} // namespace slot_tag
static_assert(alignof(Family) > slot_tag::mask);

/// Header of captured data too large for a slot; the data follow at `data`.
struct Capture {
    concurrent::BlockPool* home; ///< nullptr: allocated for itself
    void* data;
};

} // namespace heddle::team
