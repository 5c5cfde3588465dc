// SPDX-License-Identifier: Apache-2.0
// Families: the accounting of deferred children. A task gets one at its first deferral and another
// whenever its context changes; a task that ends with children outstanding leaves them behind.
// Called on the task's own worker, except finish_child(), which runs where the child ran.
#pragma once

#include "team/worker.hpp"

namespace heddle::schedule {

using team::Context;
using team::Family;
using team::Frame;
using team::Group;
using team::Member;

/// Children are about to lie below the base of `family`, or of the taskgroup this worker waits for.
void lower_base(Member& member, Family& family);

/// The family that a child deferred now belongs to; nullptr when there is no memory.
Family* new_family(Member& member, Frame& frame);

/// Wakes the owner that waits, or frees the family, after the last child was finished elsewhere.
/// `worker` is the calling thread's, nullptr if it has none.
void settle(team::Worker* worker, Family& family, concurrent::Completion completion);

/// Gives the memory of a complete family back, and its count to the taskgroup.
void free_family(team::Worker* worker, Family& family);

/// The task of `frame` has ended: complete families are freed, the others abandoned.
void leave_families(Member& member, Frame& frame);

inline Family* current_family(Member& member, Frame& frame) {
    Family* family = frame.family;
    if (HEDDLE_LIKELY(family && family->context == frame.context()))
        return family;
    return new_family(member, frame);
}

/// Has the task deferred children that are not complete? No: what they did is visible.
inline bool has_unfinished_children(const Frame& frame) {
    for (const Family* family = frame.family; family; family = family->older)
        if (!family->children.complete())
            return true;
    return false;
}

/// Children of one family that a thief has finished, to be counted at once: one atomic operation
/// for a batch. They are held back only while the thief runs another child of that family, without
/// which the family is not complete either (docs/protocols/task-waiting.md).
class FinishedChildren {
public:
    Family* family() const { return family_; }
    /// One more of `family`; the others, if any, are of the same.
    void add(Family& family) {
        HEDDLE_CHECK(family_ == nullptr || family_ == &family);
        family_ = &family;
        ++count_;
    }
    void count_them(Member& member) {
        if (!family_)
            return;
        Family& family = *family_;
        const concurrent::Completion completion = family.children.done(count_);
        family_ = nullptr;
        count_ = 0;
        if (HEDDLE_UNLIKELY(completion != concurrent::Completion::more))
            settle(member.worker, family, completion);
    }

private:
    Family* family_ = nullptr;
    int64_t count_ = 0;
};

/// A child of `tag`'s family has ended on `member`'s worker.
inline void finish_child(Member& member, uintptr_t tag) {
    auto& family = *reinterpret_cast<Family*>(tag & ~team::slot_tag::mask);
    if (!(tag & team::slot_tag::stolen) && family.children.done_local())
        return;
    const concurrent::Completion completion = family.children.done();
    if (HEDDLE_UNLIKELY(completion != concurrent::Completion::more))
        settle(member.worker, family, completion);
}

} // namespace heddle::schedule
