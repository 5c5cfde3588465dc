// SPDX-License-Identifier: Apache-2.0
// Threads of the user: attached at their first call, alone in a team of level 0; detached at their
// exit, when their team's threads go back to the pool. And the child of a process fork.
// Called on the thread concerned. In the child of a fork no other thread exists: plain stores do.
#include "place/distributed.hpp"
#include "place/locality.hpp"
#include "place/places.hpp"
#include "place/shares.hpp"
#include "team/counting.hpp"
#include "team/cpu_pressure.hpp"
#include "team/fork_join.hpp"
#include "team/listener.hpp"
#include "team/pool.hpp"
#include "team/tool_events.hpp"
#include "team/watching.hpp"

namespace heddle::team {

namespace {

platform::Atomic<uint32_t> prepared{0};

/// nthreads-var of initial tasks; 0: nobody has asked yet. Relaxed: all write the same.
platform::Atomic<int> known_nthreads{0};

/// nthreads-var is no more than the CPUs that KMP_HW_SUBSET leaves, or those of the process's
/// share, unless OMP_NUM_THREADS is set.
int fit_to_usable_cpus(const config::Settings& settings) {
    const int nthreads = settings.initial.nthreads;
    if (settings.nthreads_list_length > 0 ||
        (settings.kmp_hw_subset.length == 0 && !place::may_share(settings)))
        return nthreads;
    const int cpus = place::count_usable_cpus();
    return cpus > 0 && cpus < nthreads ? cpus : nthreads;
}

int initial_nthreads() {
    int nthreads = known_nthreads.load(platform::relaxed);
    if (HEDDLE_UNLIKELY(nthreads == 0)) {
        nthreads = fit_to_usable_cpus(config::settings());
        known_nthreads.store(nthreads, platform::relaxed);
    }
    return nthreads;
}

/// Why tasks leave the fast path: the bits of Member::deferring.
uint32_t attention_wanted(const config::Settings& settings) {
    const bool special = settings.max_task_priority > 0 || !settings.kmp_task_throttling ||
                         settings.heddle.task_policy.kind != config::TaskPolicyKind::heddle;
    const bool counted = settings.heddle.stats != config::StatsTarget::nowhere ||
                         settings.heddle.trace || settings.heddle.hang_signal != 0 ||
                         tool::has_tool();
    return (special ? attention : 0) | (counted ? counting : 0) |
           (settings.cancellation ? cancellable : 0);
}

/// The initial team of one thread: level 0, never dissolved.
bool make_initial_team(Worker& worker) {
    if (!worker.outermost.team) {
        void* memory = platform::allocate(sizeof(Team), alignof(Team));
        void* entry = platform::allocate(sizeof(platform::Atomic<Member*>), concurrent::cache_line);
        if (!memory || !entry)
            return false;
        auto* team = ::new (memory) Team;
        team->members.store(::new (entry) platform::Atomic<Member*>(worker.outermost.member),
                            platform::relaxed);
        team->capacity = team->attached = 1;
        worker.outermost.team = team;
    }
    Team& team = *worker.outermost.team;
    if (!team.first_workshare)
        team.first_workshare = Workshare::create(1);
    if (!team.first_workshare)
        return false;
    team.first_workshare->next.store(nullptr, platform::relaxed);
    team.first_workshare->expect(1);
    team.icvs = initial_icvs();
    team.context.set(&team.icvs, nullptr, false);
    team.barrier.reset(1);
    team.cancellable_barrier.reset(1);
    team.busy_threads = &team.own_busy_threads;
    return true;
}

void detach_thread(void* pointer) {
    Member& member = *static_cast<Member*>(pointer);
    Worker& worker = *member.worker;
    // The thread ended inside a parallel region, or inside a task: nobody may reuse its memory.
    const bool busy =
        worker.level != &worker.outermost || worker.outermost.member->deque.size() != 0;
    if (!busy)
        tell_thread_ends(worker);
    watch_thread(worker, false);
    platform::set_self(nullptr);
    if (busy) {
        for (Worker::Level* level = worker.outermost.deeper; level; level = level->deeper)
            count_host_out(*level->team);
        return count_root_out();
    }
    if (worker.outermost.deeper)
        forget_host(*worker.outermost.deeper->team);
    for (Worker::Level* level = worker.outermost.deeper; level; level = level->deeper) {
        cpu_pressure.borrowed.fetch_sub(level->team->crowding, platform::relaxed);
        level->team->crowding = 0;
    }
    worker.outermost.team->first_workshare = worker.outermost.member->workshare.node;
    worker.binding.place = -1;
    worker.binding.short_regions = 0; // of this thread
    give_back_root_worker(worker);
}

/// Makes the calling thread the initial thread of a contention group of its own.
Member& attach() {
    Worker* worker = take_root_worker();
    if (!worker || !make_initial_team(*worker))
        platform::die("no memory to start with");
    set_own_stack(*worker, platform::stack_of_thread());
    worker->stack_limit = worker->own_stack_limit;
    begin_hosting(*worker);
    worker->carrier.library = {}; // an earlier thread's, perhaps with this one's storage
    worker->level = &worker->outermost;
    Member& member = *worker->outermost.member;
    Team& team = *worker->outermost.team;
    platform::own::keep_near(&member, sizeof member);
    platform::own::keep_near(worker, sizeof *worker);
    begin_membership(member, team, 0, 1, team.first_workshare);
    member.partition = {};
    platform::set_self(&member);
    platform::on_thread_exit(detach_thread);
    watch_thread(*worker, true);
    return member;
}

/// In a forked child: another thread may have been about to append to it.
void free_inbox(Team& team) {
    ::new (&team.inbox.lock) concurrent::FutexLock;
    team.inbox.end = &team.inbox.first;
    while (*team.inbox.end)
        team.inbox.end = &(*team.inbox.end)->next;
}

/// Whether no other thread takes part in a region around the calling thread.
bool is_alone(const Member& member) {
    for (const Member* around = &member; around; around = around->enclosing)
        if (around->team_size > 1)
            return false;
    return true;
}

/// In the child: begins anew as `before` was, and as all were around it. Each region is a team of
/// one, for the thread may come to its end, with the ICVs that its task had there.
Member& begin_again_as(const Member& before) {
    const config::Icvs icvs = *before.current->context()->icvs;
    if (before.enclosing)
        return begin_initial_team(begin_again_as(*before.enclosing), icvs);
    Member& member = attach();
    member.team->icvs = icvs;
    return member;
}

/// A thread that forked inside a region of several threads.
void begin_anew(const Member& before) {
    const int32_t number = before.worker->global_number;
    begin_again_as(before).worker->global_number = number; // threadprivate copies are found
}

void forget_returned_blocks(Worker& worker) {
    worker.families.forget_returned();
    worker.groups.forget_returned();
    for (concurrent::BlockPool& pool : worker.captures)
        pool.forget_returned();
}

/// Only the forking thread lives on. Where it was alone it goes on as if nothing had happened.
void in_forked_child() {
    if (tool::forget_starter)
        tool::forget_starter();
    Member* member = self_or_null();
    const bool goes_on = member && !member->worker->is_pool_thread && is_alone(*member);
    config::restart_in_forked_child();
    place::restart_in_forked_child();
    place::restart_domains_in_forked_child();
    place::restart_arrays_in_forked_child();
    forget_pool_after_fork(goes_on);
    restart_statistics(nullptr);
    tell_forked_child();
    concurrent::hands_over = false; // to threads of the parent
    concurrent::lock_slots.open_all();
    forget_cpu_pressure_after_fork();
    if (!member)
        return;
    Worker& worker = *member->worker;
    place::unbind_in_forked_child(worker.binding);
    if (!goes_on)
        return begin_anew(*member);
    restart_statistics(&worker);
    forget_returned_blocks(worker);
    for (Member* around = member; around; around = around->enclosing) {
        around->team->attached = 1;
        around->team->crowding = 0;
        around->team->host.is_counted = false;
        free_inbox(*around->team);
        ::new (&around->team->sleep) concurrent::EventCount;
    }
    // Threads that lingered in the last region of a deeper team may have left it half changed.
    worker.level->deeper = nullptr;
}

// Not at the first call: a thread may fork while another one makes that.
__attribute__((constructor)) void listen_for_forks() { platform::on_fork_child(in_forked_child); }

} // namespace

config::Icvs initial_icvs() {
    config::Icvs icvs = config::settings().initial;
    icvs.nthreads = initial_nthreads();
    return icvs;
}

void stop_telling() {
    initial_attention.store(attention_wanted(config::settings()), platform::relaxed);
}

Member& attach_thread() {
    const platform::NotCancelled whole;
    if (tool::start_tool) {
        tool::start_tool();
        if (Member* member = self_or_null()) { // its initializer has called in
            if (tool::has_tool()) {
                initial_attention.fetch_or(counting, platform::relaxed);
                member->deferring |= counting;
                tell_thread_begin(*member->worker);
            }
            return *member;
        }
    }
    // relaxed: one thread is to prepare; the others neither wait for that nor need it
    if (prepared.exchange(1, platform::relaxed) == 0) {
        tool::prepare_tools();
        stealing_is_off.store(config::settings().heddle.task_stealing ? 0 : 1, platform::relaxed);
    }
    if (HEDDLE_UNLIKELY(config::settings().places_or_display)) {
        place::count_usable_cpus(); // tells what it finds, where KMP_AFFINITY is verbose
        place::undo_foreign_binding();
    }
    set_up_cpu_pressure();
    initial_attention.store(attention_wanted(config::settings()), platform::relaxed);
    return attach();
}

} // namespace heddle::team
