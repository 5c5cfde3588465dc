// SPDX-License-Identifier: Apache-2.0
// From hints to threads. A hint belongs to the task that gave it: whatever else runs on the same
// stack meanwhile, while that task waits or before it goes on, is not meant.
#include "schedule/hints.hpp"

#include "config/control_variables.hpp"
#include "schedule/affinity.hpp"

namespace heddle::schedule {

namespace {

using team::Hint;
using team::HintKind;
using team::HintScope;
using team::ThreadShare;

bool is_for_group(HintKind kind) { return kind >= HintKind::close; }

/// The bit is set while there is a hint to be used, or a group's is the innermost one.
void update_bit(Member& member) {
    const HintScope* scope = member.hints;
    const bool any =
        member.hint.kind != HintKind::none || (scope && scope->hint.kind != HintKind::none);
    member.deferring =
        any ? member.deferring | team::hint_given : member.deferring & ~team::hint_given;
}

/// Forgets a hint whose task has ended without using it, as far as that shows, or that is of an
/// earlier region: then the bit is not set. Another task's frame may be where that task's was.
void forget_stale_hint(Member& member) {
    if (member.hint.kind == HintKind::none)
        return;
    const team::Frame* frame =
        (member.deferring & team::hint_given) != 0 ? member.current : nullptr;
    while (frame && frame != member.hint_frame)
        frame = frame->parent;
    if (!frame) {
        member.hint.kind = HintKind::none;
        update_bit(member);
    }
}

bool has_own_hint(const Member& member) {
    return member.hint.kind != HintKind::none && member.hint_frame == member.current;
}

/// The innermost scope, if it is of the current task; or nullptr.
HintScope* own_scope(const Member& member) {
    HintScope* scope = member.hints;
    return scope && scope->frame == member.current ? scope : nullptr;
}

Hint use_hint(Member& member) {
    const Hint hint = member.hint;
    member.hint.kind = HintKind::none;
    update_bit(member);
    return hint;
}

void begin_scope(Member& member, HintScope& scope, const Hint& hint, const ThreadShare& share) {
    forget_stale_hint(member);
    if (is_for_group(hint.kind) && member.current == &member.implicit_task)
        member.team->hinted_groups.fetch_add(1, platform::relaxed); // only a number
    scope.outer = member.hints;
    scope.frame = member.current;
    scope.hint = hint;
    scope.share = share;
    scope.created = 0;
    member.hints = &scope;
    update_bit(member);
}

/// The threads over which the current task spreads its children.
ThreadShare share_of(const Member& member) {
    const HintScope* scope = own_scope(member);
    return scope ? scope->share : ThreadShare{};
}

/// `index` * `count` / `of`
int32_t part(int32_t index, int32_t count, int32_t of) {
    return static_cast<int32_t>(int64_t{index} * count / of);
}

/// The thread of task `index` of a group that has a hint.
Destination place_in_group(const Member& member, const Hint& hint, ThreadShare share,
                           int32_t index) {
    if (share.count == 0 || share.first + share.count > member.team_size)
        share = {0, member.team_size};
    const int32_t tasks = hint.number > 0 ? hint.number : share.count;
    index %= tasks;
    if (hint.kind == HintKind::primary)
        return {0, {}, nullptr};
    if (hint.kind == HintKind::spread) {
        const int32_t begin = part(index, share.count, tasks);
        const int32_t end = part(index + 1, share.count, tasks);
        return {share.first + begin, {share.first + begin, end > begin ? end - begin : 1}, nullptr};
    }
    const int32_t own = member.number - share.first; // close
    const int32_t start = own >= 0 && own < share.count ? own : 0;
    const int32_t step = tasks <= share.count ? index : part(index, share.count, tasks);
    return {share.first + (start + step) % share.count, share, nullptr};
}

Destination place(const Member& member, const Hint& hint, const ThreadShare& share, int32_t index) {
    switch (hint.kind) {
    case HintKind::none:
        return {};
    case HintKind::thread:
        return {hint.number < member.team_size ? hint.number : -1, {}, nullptr};
    case HintKind::data:
        return {thread_of_data(member, hint.location, hint.size), {}, hint.location};
    default:
        return place_in_group(member, hint, share, index);
    }
}

bool is_on() { return config::settings().heddle.task_affinity != config::TaskAffinity::off; }

/// May tasks that the current one creates wait in a box? Who waits for a task finds its children
/// there, and its group's tasks. Somebody may also wait for an event that a descendant of a task
/// which has ended fulfills: then only children of implicit tasks do, which the barrier finds.
bool hints_count(const Member& member) {
    return member.team_size > 1 &&
           (member.current == &member.implicit_task || events_made.load(platform::relaxed) == 0);
}

} // namespace

bool give_hint(Member& member, const Hint& hint) {
    const bool valid = hint.kind == HintKind::thread
                           ? hint.number >= 0 && hint.number < member.team_size
                           : hint.number >= 0;
    if (!valid || !is_on())
        return false;
    member.hint = hint;
    member.hint_frame = member.current;
    update_bit(member);
    return true;
}

void take_hint_back(Member& member) {
    if (has_own_hint(member))
        use_hint(member);
}

Destination destination_of(Member& member, const void* clause, size_t size) {
    Hint hint;
    ThreadShare share;
    int32_t index = 0;
    HintScope* const scope = own_scope(member);
    forget_stale_hint(member);
    if (has_own_hint(member) && !is_for_group(member.hint.kind)) {
        hint = use_hint(member);
    } else if (scope && scope->hint.kind != HintKind::none) {
        hint = scope->hint;
        share = scope->share;
        index = scope->created++ & 0x7fffffff;
    } else if (clause && is_on()) {
        hint = {HintKind::data, 0, clause, size};
    }
    return hints_count(member) ? place(member, hint, share, index) : Destination{};
}

void begin_hinted_group(Member& member, HintScope& scope) {
    if (has_own_hint(member) && is_for_group(member.hint.kind)) {
        const ThreadShare share = share_of(member);
        begin_scope(member, scope, use_hint(member), share);
    }
}

void end_scope(Member& member, HintScope& scope) {
    HEDDLE_CHECK(member.hints == &scope);
    member.hints = scope.outer;
    scope.hint.kind = HintKind::none;
    update_bit(member);
}

void LoopScope::begin(uint64_t tasks) {
    const auto number = static_cast<int32_t>(tasks < 0x7fffffff ? tasks : 0x7fffffff);
    HintScope* const around = own_scope(member_);
    if (has_own_hint(member_)) {
        const ThreadShare share = share_of(member_);
        begin_scope(member_, scope_, use_hint(member_), share);
        if (is_for_group(scope_.hint.kind) && scope_.hint.number == 0)
            scope_.hint.number = number;
    } else if (around && is_for_group(around->hint.kind) && around->hint.number == 0 &&
               around->created == 0) {
        around->hint.number = number; // of the construct's own taskgroup
    }
}

void run_with_share(void* raw) {
    auto& record = *static_cast<team::TaskRecord*>(raw);
    Member& member = *team::self_or_null();
    HintScope scope;
    begin_scope(member, scope, {}, record.share);
    record.function(record.capture.data);
    end_scope(member, scope);
}

} // namespace heddle::schedule
