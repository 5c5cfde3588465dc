// SPDX-License-Identifier: Apache-2.0
// The team's inbox. An entry may run in a barrier, or where its parent waits for its children or
// yields, or where a taskgroup around it is waited for, or where the implicit task of a thread
// alone waits: there it descends from the waiting task. By threads of the team, and by whoever
// fulfills an event; all under the inbox's lock.
#include "schedule/inbox.hpp"

#include "schedule/boxes.hpp"
#include "schedule/policy/policy.hpp"
#include "team/counting.hpp"
#include "team/large_team.hpp"

namespace heddle::schedule {

namespace {

using team::Team;

void wake_waiters(Team& team, const Family& family) {
    team.sleep.notify_all();
    if (Member* waiter = family.waiter.load(platform::relaxed)) // as in settle()
        waiter->worker->parker.unpark();
    for (const Group* group = family.context_for_thieves->group; group;
         group = group->outer_context()->group)
        if (Member* waiter = group->waiter.load(platform::relaxed))
            waiter->worker->parker.unpark();
}

/// The oldest entry for which accepts(record), unlinked; nullptr when there is none.
template <class Accepts>
TaskRecord* take(const Member& member, Accepts&& accepts) {
    Team& team = *member.team;
    if (HEDDLE_LIKELY(team.inbox_size.load(platform::relaxed) % team::policy_queue == 0))
        return nullptr;
    const concurrent::LockGuard guard(team.inbox.lock);
    TaskRecord** link = &team.inbox.first;
    while (*link && !accepts(**link))
        link = &(*link)->next;
    TaskRecord* const record = *link;
    if (record) {
        *link = record->next;
        if (!*link)
            team.inbox.end = link;
        team.inbox_size.fetch_sub(1, platform::relaxed);
    }
    return record;
}

bool run(Member& member, TaskRecord* record) {
    if (record)
        run_ready(member, *record);
    return record != nullptr;
}

} // namespace

void run_ready(Member& member, TaskRecord& record) {
    team::count_run(member, record.family()->home != &member.worker->families);
    run_record(member, record);
    member.worker->returns.flush();
    drop_hold(*member.team);
}

bool is_child_of(const Frame& frame, const Family& family) {
    for (const Family* own = frame.family; own; own = own->older)
        if (own == &family)
            return true;
    return false;
}

bool is_inside(const Group* group, const Family& family) {
    if (!group)
        return false;
    for (const Group* around = family.context_for_thieves->group; around;
         around = around->outer_context()->group)
        if (around == group)
            return true;
    return false;
}

void put_into_inbox(Team& team, TaskRecord& record) {
    hold(team);
    const Family& family = *record.family();
    const concurrent::LockGuard guard(team.inbox.lock);
    record.next = nullptr;
    *team.inbox.end = &record;
    team.inbox.end = &record.next;
    // seq_cst: the write of the Dekker pair with the sleepers; `family` lives while it has entries
    team.inbox_size.fetch_add(1, platform::seq_cst);
    wake_waiters(team, family);
}

// The second barrier is in use only while cancel-var is true: the bit is constant in a process.
namespace {
bool has_two_barriers() {
    return (team::initial_attention.load(platform::relaxed) & team::cancellable) != 0;
}
} // namespace

void hold(Team& team) {
    team.barrier.hold();
    if (has_two_barriers())
        team.cancellable_barrier.hold();
}

void drop_hold(Team& team) {
    team.barrier.drop();
    if (has_two_barriers())
        team.cancellable_barrier.drop();
}

void release_hold(Team& team) {
    const uint32_t width = team::barrier_width(team); // the hold keeps the region alive
    if (has_two_barriers() && team.cancellable_barrier.arrive(width))
        team.sleep.notify_all();
    if (team.barrier.arrive(width))
        team::wake_all(team);
}

void begin_offer(Team& team) {
    hold(team);
    // seq_cst: the write of the Dekker pair with the sleepers
    team.inbox_size.fetch_add(team::policy_queue, platform::seq_cst);
}

void end_offer(Team& team) {
    team.inbox_size.fetch_sub(team::policy_queue, platform::relaxed);
    drop_hold(team);
}

bool run_from_inbox(Member& member, const Group* group) {
    if (HEDDLE_LIKELY(member.team->inbox_size.load(platform::relaxed) == 0))
        return false;
    if (policy::has_tasks(member) && policy::run_descendant(member, group))
        return true;
    const Frame& frame = *member.current;
    const bool any = member.team_size == 1 && &frame == &member.implicit_task;
    return run(member, take(member, [&](const TaskRecord& record) {
                   return any || is_child_of(frame, *record.family()) ||
                          is_inside(group, *record.family());
               }));
}

bool run_any_from_inbox(Member& member) {
    if (member.box.looks_useful() && run_from_box(member, member))
        return true;
    if (policy::has_tasks(member) && policy::run_any(member))
        return true;
    return run(member, take(member, [](const TaskRecord&) { return true; }));
}

} // namespace heddle::schedule
