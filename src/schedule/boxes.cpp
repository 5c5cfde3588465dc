// SPDX-License-Identifier: Apache-2.0
// When a thread takes what is meant for another. One that looks for tasks itself is left time to
// come; one that is busy less; one that waits inside a task none by those whose children they are,
// for it could hardly run them. Where stealing is off, only what a task that waits cannot do
// without is taken, for its thread might never come: that may wait for this one.
#include "schedule/boxes.hpp"

#include "schedule/inbox.hpp"
#include "team/counting.hpp"
#include "team/locality.hpp"

namespace heddle::schedule {

namespace {

using concurrent::Verdict;
using team::Team;
using team::Wait;

/// Beyond this many tasks in a box hints for it are ignored: they cost memory.
constexpr int32_t most_in_box = 4096;

/// How long a thread without work leaves tasks to a thread of its domain that is busy, and to one
/// that looks for tasks as well but may not have a CPU; to those of other domains, for whose data
/// the way is long; and where stealing is off, to one that is busy.
constexpr uint64_t busy_patience_ns = 20'000, waiting_patience_ns = 1'000'000,
                   busy_patience_away_ns = 1'000'000, waiting_patience_away_ns = 4'000'000,
                   unwilling_patience_ns = 10'000'000;

bool has_domains() { return HEDDLE_UNLIKELY(place::domain_count() > 1); }

/// Are the two threads in the same locality domain, as far as is known?
bool is_near(const Member& member, const Member& other) {
    return !has_domains() || team::domain_of(*member.team, member.number) ==
                                 team::domain_of(*member.team, other.number);
}

/// Calls visit(other) for the other members, those of its own domain first, until it returns true.
template <class Visit>
bool visit_others(const Member& member, Visit&& visit) {
    const bool domains = has_domains();
    if (domains)
        team::domain_of_self(member);
    for (int pass = domains ? 0 : 1; pass < 2; ++pass) {
        int32_t number = member.number;
        for (int32_t i = 1; i < member.team_size; ++i) {
            number = number + 1 == member.team_size ? 0 : number + 1;
            Member& other = member_at(*member.team, number);
            if (other.box.looks_useful() && (pass == 1 || is_near(member, other)) && visit(other))
                return true;
        }
    }
    return false;
}

/// Is there a task on its stack that waits, or that has looked for its children in vain?
bool waits_in_task(Wait wait) { return wait == Wait::task || wait == Wait::yield; }

/// May a thread that has been hungry for so long take from the box of `holder`? `task`: it waits
/// inside a task, for what it would take.
bool may_take(const Member& member, const Member& holder, uint64_t hungry_ns, bool task) {
    const Wait wait = holder.wait.load(platform::relaxed);
    if (HEDDLE_UNLIKELY(wait == Wait::left))
        return true;
    if (HEDDLE_UNLIKELY(team::stealing_is_off.load(platform::relaxed) != 0))
        return task &&
               (waits_in_task(wait) || (wait == Wait::none && hungry_ns > unwilling_patience_ns));
    const bool near = is_near(member, holder);
    if (hungry_ns > (near ? waiting_patience_ns : waiting_patience_away_ns))
        return true;
    // A thread of a hinted group steals when it has had a task of its own, if there is one for it.
    const bool served = task || member.served == member.team->hinted_groups.load(platform::relaxed);
    return wait != Wait::barrier && served &&
           hungry_ns > (near ? busy_patience_ns : busy_patience_away_ns);
}

/// The oldest task of the highest priority for which accepts(record); nullptr: there is none.
template <class Accepts>
TaskRecord* take_from_box(Member& holder, Accepts&& accepts) {
    if (HEDDLE_LIKELY(config::settings().max_task_priority == 0))
        return holder.box.take(
            [&](const TaskRecord& record) { return accepts(record) ? Verdict::yes : Verdict::no; });
    int32_t best = -1;
    return holder.box.take([&](const TaskRecord& record) {
        if (record.priority <= best || !accepts(record))
            return Verdict::no;
        best = record.priority;
        return Verdict::perhaps;
    });
}

bool run_taken(Member& member, Member& holder, TaskRecord* record) {
    if (!record)
        return false;
    if (&member == &holder) {
        member.served = member.team->hinted_groups.load(platform::relaxed);
        team::count(member, team::Counter::hinted_here);
    } else {
        team::count(member, is_near(member, holder) ? team::Counter::hinted_near
                                                    : team::Counter::hinted_away);
    }
    run_ready(member, *record);
    return true;
}

/// Tells the thread, which may sleep, and those that may take the task in its place.
void wake(Team& team, Member& target) {
    team::wake_all(team);
    if (target.wait.load(platform::seq_cst) == Wait::task) // see Hunger::tell()
        target.worker->parker.unpark();
}

template <class Accepts>
bool run_accepted(Member& member, Member& holder, Accepts&& accepts) {
    return holder.box.looks_useful() && run_taken(member, holder, take_from_box(holder, accepts));
}

} // namespace

bool put_into_box_of(TaskRecord& record) {
    Team& team = *record.team;
    Member& target = member_at(team, record.preferred);
    if (target.box.size() >= most_in_box)
        return false;
    hold(team);
    // relaxed: who waits notices at its next look, who goes to sleep asks the box
    if ((team.has_tasks.load(platform::relaxed) & team::boxed_tasks) == 0)
        team.has_tasks.fetch_or(team::boxed_tasks, platform::relaxed);
    target.box.push(record);
    wake(team, target); // the team lives: `record` or who holds the barrier for it does
    return true;
}

Member* find_box(Member& member, Hunger& hunger) {
    if (team::stealing_is_off.load(platform::relaxed) != 0)
        return nullptr;
    Member* found = nullptr;
    bool any = false;
    visit_others(member, [&](Member& holder) {
        any = true;
        found = may_take(member, holder, hunger.lasts_ns(), false) ? &holder : nullptr;
        return found != nullptr;
    });
    if (!any)
        hunger.note_nothing();
    return found;
}

bool run_from_box(Member& member, Member& holder) {
    return run_accepted(member, holder, [](const TaskRecord&) { return true; });
}

bool run_child_from_boxes(Member& member, const Group* group, Hunger& hunger) {
    hunger.tell(Wait::task);
    if (!hunger.is_look_due())
        return false;
    const Frame& frame = *member.current;
    const auto is_child = [&](const TaskRecord& record) {
        return is_child_of(frame, *record.family());
    };
    const auto accepts = [&](const TaskRecord& record) {
        return is_child(record) || is_inside(group, *record.family());
    };
    // seq_cst: after what it has told, which put_into_box() reads after adding
    if (member.box.surely_useful() && run_accepted(member, member, accepts)) {
        hunger.feed(false);
        return true;
    }
    bool any = false;
    const bool ran = visit_others(member, [&](Member& holder) {
        any = true;
        if (may_take(member, holder, hunger.lasts_ns(), true))
            return run_accepted(member, holder, accepts);
        // While it waits inside a task, it may hardly ever run the children of this one.
        return waits_in_task(holder.wait.load(platform::relaxed)) &&
               (is_near(member, holder) || hunger.lasts_ns() > busy_patience_ns) &&
               run_accepted(member, holder, is_child);
    });
    if (ran)
        hunger.feed(true);
    else if (!any)
        hunger.note_nothing();
    return ran;
}

bool run_child_from_boxes(Member& member) {
    const Frame& frame = *member.current;
    const bool steals = team::stealing_is_off.load(platform::relaxed) == 0;
    for (int32_t i = 0; i < member.team_size; ++i) {
        Member& holder = member_at(*member.team, i);
        const Wait wait = holder.wait.load(platform::relaxed);
        if ((&holder == &member || waits_in_task(wait) || (wait == Wait::none && steals)) &&
            run_accepted(member, holder, [&](const TaskRecord& record) {
                return is_child_of(frame, *record.family());
            }))
            return true;
    }
    // It looks in vain, perhaps again and again: told until its next wait.
    if (member.wait.load(platform::relaxed) == Wait::none)
        member.wait.store(Wait::yield, platform::relaxed);
    return false;
}

} // namespace heddle::schedule
