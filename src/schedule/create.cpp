// SPDX-License-Identifier: Apache-2.0
// Creating tasks with records. A task whose predecessors are complete, and that the throttle turns
// away, runs on this stack and leaves no trace in the table: it is complete before a later sibling
// can ask. So a program with nobody hungry pays one look at an empty table.
#include "schedule/create.hpp"

#include "schedule/boxes.hpp"
#include "schedule/cancel.hpp"
#include "schedule/hints.hpp"
#include "schedule/policy/policy.hpp"
#include "schedule/priority_queue.hpp"
#include "schedule/record.hpp"
#include "schedule/told_tasks.hpp"
#include "schedule/wait.hpp"
#include "team/watching.hpp"

namespace heddle::schedule {

namespace {

/// Records bound the memory of a producer that is faster than its consumers: with this many
/// children outstanding it first runs some of them, looking once in so many creations.
constexpr int64_t most_outstanding = 4096;
constexpr uint32_t look_interval = 256;

/// With priorities more is queued before tasks run at once, for what runs at once has no order.
constexpr uint64_t most_by_priority = 4096;

void relieve(Member& member) {
    if (++member.records % look_interval != 0)
        return;
    Family& family = *member.current->family;
    if (family.children.outstanding() >= most_outstanding)
        run_until_fewer(member, family, most_outstanding / 2);
}

void run_counted(Member& member, const NewTask& task) {
    team::count(member, team::Counter::at_once);
    const team::WatchedTask watched(member, task.function, task.data, team::Start::at_once);
    run_undeferred(member, task);
}

/// Nobody is hungry: runs this worker's own tasks, newest first, until the predecessors are
/// complete. Returns how many are not, because other threads have them. Tiny ones are waited for,
/// twice as long as a record costs: all that depends on a record's task needs one, too.
size_t run_predecessors(Member& member, const Dependences& dependences) {
    size_t predecessors;
    while ((predecessors = count_predecessors(member, dependences)) != 0)
        if (!run_own_child(member))
            break;
    if (predecessors == 0 || member.deque.task_size() != concurrent::TaskDeque::tiny)
        return predecessors;
    const uint64_t until = platform::now_ns() + 2 * record_price_ns;
    do {
        platform::relax();
        predecessors = count_predecessors(member, dependences);
    } while (predecessors != 0 && platform::now_ns() < until);
    return predecessors;
}

/// True: the ready task runs at once.
bool runs_now(Member& member) {
    if (config::settings().max_task_priority == 0 || member.team->level == 0)
        return is_turned_away(member);
    return member.deque.size() >= most_by_priority;
}

int limited(int priority) {
    const int most = config::settings().max_task_priority;
    return priority < 0 ? 0 : priority < most ? priority : most;
}

/// False: no memory, and nothing has happened. `undeferred`: its predecessors are complete.
bool create_record(Member& member, const NewTask& task, const TaskClauses& clauses,
                   const Destination& destination, size_t predecessors, bool undeferred) {
    const Dependences& dependences = clauses.dependences;
    if (dependences.count != 0 && !prepare_table(member, dependences))
        return false;
    TaskRecord* record = make_record(member, task, predecessors, dependences.count, clauses.event);
    if (!record)
        return false;
    team::count(member, team::Counter::records);
    record->priority = limited(clauses.priority);
    record->preferred = destination.thread;
    record->share = destination.share;
    record->location = destination.location;
    if (record->preferred >= 0)
        team::count(member, team::Counter::hinted);
    record->sequence = member.records;
    if (config::settings().max_task_priority > 0)
        prepare_priority_queue(*record->family());
    const bool ready = dependences.count == 0 || enter(member, *record, dependences);
    if (ready && !undeferred && put_into_box(*record)) {
        note_deferral(member);
        relieve(member);
        return true;
    }
    if (ready && (undeferred || runs_now(member))) {
        team::count(member, team::Counter::at_once);
        run_record_at_once(member, *record);
        return true;
    }
    if (ready)
        enqueue_ready(member, *record);
    note_deferral(member);
    relieve(member);
    return true;
}

/// An undeferred or included task. Its creator is suspended until the structured block has ended
/// (OpenMP 5.2, glossary); with a detach clause it may be complete later than that.
void run_included(Member& member, const NewTask& task, const TaskClauses& clauses) {
    if (clauses.dependences.count != 0)
        await_dependences(member, clauses.dependences);
    if (!clauses.event)
        run_counted(member, task);
    else if (!create_record(member, task, clauses, {}, 0, true))
        platform::die("no memory for a task with a detach clause");
}

} // namespace

void create_task(Member& member, const NewTask& task, const TaskClauses& clauses, bool deferrable) {
    if (HEDDLE_UNLIKELY(team::tells(member)))
        create_told_task(member, task, clauses, deferrable);
    else
        create_any_task(member, task, clauses, deferrable);
}

void create_counted_task(Member& member, TaskFunction function, void* data, size_t size,
                         size_t alignment, unsigned bits, const void* code) {
    const team::ToldEntry entry(member, {code, HEDDLE_CALLER.frame}); // below its caller's frame
    create_task(member,
                {function, data, nullptr, size, alignment, (bits & plain_untied) != 0, false}, {},
                (bits & plain_undeferred) == 0);
}

void create_any_task(Member& member, const NewTask& task, const TaskClauses& clauses,
                     bool deferrable) {
    const Context& context = *member.current->context();
    Destination destination;
    if (HEDDLE_UNLIKELY((member.deferring & team::hint_given) != 0 || clauses.affinity))
        destination = destination_of(member, clauses.affinity, clauses.affinity_size);
    if (is_cancelled(member, context) && !task.must_run) {
        if (clauses.event)
            release_record(member.worker, *clauses.event); // gone when fulfilled as well
        if (task.discard)
            task.discard(task.data);
        return;
    }
    if (!deferrable || context.final) {
        run_included(member, task, clauses);
        return;
    }
    size_t predecessors =
        clauses.dependences.count ? count_predecessors(member, clauses.dependences) : 0;
    if (predecessors != 0 && would_run_at_once(member))
        predecessors = run_predecessors(member, clauses.dependences);
    const bool needs_record = clauses.event || destination.thread >= 0 || destination.location ||
                              config::settings().max_task_priority > 0;
    // A deferred copy that was constructed must be destroyed, by the task: a record knows that.
    const bool may_be_slot = clauses.dependences.count == 0 && !needs_record &&
                             !((task.copy || task.discard) && may_cancel(member));
    if (policy::is_chosen() && may_be_slot && policy::create(member, task))
        return;
    if (predecessors == 0 && !needs_record &&
        (would_run_at_once(member) || is_turned_away(member))) {
        run_counted(member, task);
        return;
    }
    if (may_be_slot) {
        if (!defer(member, task))
            run_counted(member, task);
        return;
    }
    if (create_record(member, task, clauses, destination, predecessors, false))
        return;
    if (member.current->family)
        wait_for_children(member); // no memory to remember what comes first
    run_included(member, task, {{}, 0, clauses.event});
}

void wait_for_dependences(Member& member, const Dependences& dependences) {
    if (HEDDLE_UNLIKELY(team::tells(member)))
        return tell_and_wait_for_dependences(member, dependences);
    await_dependences(member, dependences);
}

void await_dependences(Member& member, const Dependences& dependences) {
    const size_t predecessors = count_predecessors(member, dependences);
    if (predecessors == 0)
        return;
    TaskRecord* waiter = make_waiter(member, predecessors);
    if (!waiter) {
        wait_for_children(member);
        return;
    }
    if (!await_predecessors(member, *waiter, dependences))
        wait_for_predecessors(member, *waiter);
    free_record(member.worker, *waiter);
}

} // namespace heddle::schedule
