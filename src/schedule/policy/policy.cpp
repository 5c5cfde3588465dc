// SPDX-License-Identifier: Apache-2.0
// Where each policy puts a new task, and where a waiting thread looks for one. The queues are used
// by all threads of the team, each thread's notes by itself.
// Sources: Duran et al., IWOMP 2008 (breadth-first, work-first, cilk-like; names as in Olivier and
// Prins, IJPP 2010, table 3); Agathos et al., Speeding Up OpenMP Tasking (OMPi).
#include "schedule/policy/policy.hpp"

#include "schedule/policy/ompi.hpp"
#include "team/cpu_pressure.hpp"
#include "team/large_team.hpp"
#include "team/watching.hpp"

namespace heddle::schedule::policy {

namespace {

using config::TaskPolicy;
using config::TaskPolicyKind;

const TaskPolicy& chosen() { return config::settings().heddle.task_policy; }

/// One pool for the team, or a queue for each thread?
bool shares_pool() {
    return chosen().kind == TaskPolicyKind::bff || chosen().kind == TaskPolicyKind::bfl;
}

/// From which end a thread takes its own tasks, or the pool's.
End local_end() {
    switch (chosen().kind) {
    case TaskPolicyKind::bff:
    case TaskPolicyKind::wfff:
    case TaskPolicyKind::wffl:
        return End::oldest;
    default:
        return End::newest;
    }
}

/// From which end it takes another thread's.
End remote_end() {
    return chosen().kind == TaskPolicyKind::wffl || chosen().kind == TaskPolicyKind::wlll
               ? End::newest
               : End::oldest;
}

/// The state that the team shares; nullptr without memory.
PolicyState* shared_state(const Member& member) { return make_state(member_at(*member.team, 0)); }

uint64_t now_if(bool asked) { return asked ? platform::now_ns() : 0; }

/// run() is a task of level `level` on this stack.
template <class Run>
void run_at_level(Member& member, PolicyState& state, int32_t level, Run&& run) {
    PolicyState* const shared = chosen().adaptive ? shared_state(member) : nullptr;
    const bool profiles = shared && shared->cut_off.profiles(level);
    const int32_t around = state.level;
    const uint64_t began = now_if(profiles);
    state.level = level;
    run();
    state.level = around;
    if (profiles)
        shared->cut_off.note(level, platform::now_ns() - began, member.team_size);
}

bool put(Member& member, PolicyState& state, PolicyState& shared, const NewTask& task) {
    if (chosen().kind == TaskPolicyKind::ompi) {
        if (!put_into_ring(member, state, task))
            return false;
        // release: pairs with count_puts(); one thread puts
        state.puts.store(state.puts.load(platform::relaxed) + 1, platform::release);
        return true;
    }
    Descriptor* descriptor = make_descriptor(member, task, state.running, state.level + 1);
    if (!descriptor)
        return false;
    PolicyState& place = shares_pool() ? shared : state;
    place.queue.put(*member.team, *descriptor);
    place.puts.fetch_add(1, platform::release); // pairs with count_puts()
    return true;
}

Descriptor* take_from(Member& member, PolicyState& state, PolicyState& holder, const Need& need) {
    if (chosen().kind == TaskPolicyKind::ompi)
        return holder.ring.looks_useful() ? take_from_ring(member, state, holder, need) : nullptr;
    if (!holder.queue.looks_useful())
        return nullptr;
    const End end = &holder == &state || shares_pool() ? local_end() : remote_end();
    return holder.queue.take(*member.team, end, need);
}

/// The own queue first, then those of the others in turn.
Descriptor* take(Member& member, PolicyState& state, const Need& need) {
    if (shares_pool()) {
        PolicyState* const shared = find_state(member_at(*member.team, 0));
        return shared ? take_from(member, state, *shared, need) : nullptr;
    }
    if (Descriptor* own = take_from(member, state, state, need))
        return own;
    const auto size = static_cast<uint32_t>(member.team_size);
    uint32_t number = state.victim < size ? state.victim : 0;
    for (uint32_t i = 0; i < size; ++i, number = number + 1 == size ? 0 : number + 1) {
        Member& victim = member_at(*member.team, static_cast<int32_t>(number));
        PolicyState* const holder = &victim == &member ? nullptr : find_state(victim);
        Descriptor* const found = holder ? take_from(member, state, *holder, need) : nullptr;
        if (!found)
            continue;
        // Cilk-like: next from the thread that has the parent of what this one executes.
        state.victim = chosen().kind == TaskPolicyKind::cilk
                           ? static_cast<uint32_t>(found->lineage.creator())
                           : number + 1;
        return found;
    }
    return nullptr;
}

/// There is a task for others: wakes one of them if CPUs are free, or if tasks sleep, as expose()
/// does. A sleeper looks at inbox_size after it has announced itself (Dekker with begin_offer()).
void wake_sleeper(team::Team& team) {
    if (HEDDLE_LIKELY(!team.sleep.has_sleepers()))
        return;
    const auto offers =
        static_cast<int32_t>(team.inbox_size.load(platform::relaxed) / team::policy_queue);
    const int32_t enough = team::cpu_pressure.cpus.load(platform::relaxed) + offers +
                           team.parked.load(platform::relaxed);
    if (team::active_threads(team, enough) < enough || team.tasks_sleep.load(platform::relaxed))
        team.sleep.notify(1);
}

/// How many tasks the team's threads have put anywhere. Acquire pairs with put(): they are found.
uint64_t count_puts(const Member& member) {
    uint64_t puts = 0;
    for (int32_t i = 0; i < member.team_size; ++i)
        if (const PolicyState* state = find_state(member_at(*member.team, i)))
            puts += state->puts.load(platform::acquire); // pairs with put()
    return puts;
}

/// Has the last look in vain been for the same, with nothing put since?
bool is_known_vain(const Member& member, const PolicyState& state, const Need& need,
                   uint64_t puts) {
    return state.vain_puts == puts && state.vain_frame == member.current &&
           state.vain_group == need.group && state.vain_since == need.since;
}

} // namespace

PolicyState* make_state(Member& member) {
    if (PolicyState* state = find_state(member))
        return state;
    void* const memory = platform::allocate(sizeof(PolicyState), alignof(PolicyState));
    if (!memory)
        return nullptr;
    auto* const state = ::new (memory) PolicyState;
    PolicyState* expected = nullptr;
    bool ready = true;
    if (chosen().kind == TaskPolicyKind::ompi)
        ready = state->handle.prepare() &&
                state->ring.prepare(static_cast<uint32_t>(chosen().slots), chosen().oldest);
    // release: pairs with find_state(); acquire: another thread's
    if (ready && member.policy.compare_exchange_strong(expected, state, platform::acq_rel,
                                                       platform::acquire))
        return state;
    state->~PolicyState();
    platform::deallocate(memory);
    return expected;
}

void execute_here(Member& member, PolicyState& state, Descriptor& descriptor) {
    const Descriptor* const around = state.running;
    state.running = &descriptor;
    run_at_level(member, state, descriptor.level, [&] { execute(member, descriptor); });
    state.running = around;
    if (chosen().max_tasks != 0)
        shared_state(member)->cut_off.end_task();
}

bool create(Member& member, const NewTask& task) {
    if (member.team->level == 0 || platform::stack_pointer() <= member.stack_limit)
        return false;
    PolicyState* const state = make_state(member);
    PolicyState* const shared = state ? shared_state(member) : nullptr;
    if (!shared)
        return false;
    const bool counts = chosen().max_tasks != 0;
    const bool cut = shared->cut_off.applies(chosen(), state->level, member.team_size);
    if (!cut && counts)
        shared->cut_off.begin_task();
    if (!cut && put(member, *state, *shared, task)) {
        if (team::counts(member)) {
            team::count(member, team::Counter::deferred);
            team::note_deferred(member);
        }
        wake_sleeper(*member.team);
        return true;
    }
    if (!cut && counts)
        shared->cut_off.end_task();
    team::count(member, team::Counter::at_once);
    const team::WatchedTask watched(member, task.function, task.data, team::Start::at_once);
    run_at_level(member, *state, state->level + 1, [&] { run_undeferred(member, task); });
    return true;
}

bool run_descendant(Member& member, const Group* group) {
    PolicyState* const state = make_state(member);
    if (!state)
        return false; // others may run it; so may this thread when there is memory again
    const Need need = need_of(member, group);
    const uint64_t puts = count_puts(member);
    if (is_known_vain(member, *state, need, puts))
        return false;
    Descriptor* const found = take(member, *state, need);
    if (!found) {
        state->vain_frame = member.current;
        state->vain_group = group;
        state->vain_since = need.since;
        state->vain_puts = puts;
        return false;
    }
    execute_here(member, *state, *found);
    return true;
}

bool run_any(Member& member) {
    PolicyState* const state = make_state(member);
    bool ran = false;
    while (Descriptor* found =
               state ? take(member, *state, {true, member.number, 0, nullptr}) : nullptr) {
        execute_here(member, *state, *found);
        ran = true;
        if (member.current != &member.implicit_task)
            break; // not in the barrier itself: what the task waits for may be complete
    }
    return ran;
}

} // namespace heddle::schedule::policy
