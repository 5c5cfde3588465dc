// SPDX-License-Identifier: Apache-2.0
// Fork and join. A team of level 1 keeps its threads for the next region of the same primary (they
// wait at their mailboxes), also inside regions of one thread; nested teams give theirs back.
// Written by the primary thread. Source: Cyclops-64 paper (one line per worker, no shared reads).
#include "team/fork_join.hpp"

#include "team/counting.hpp"
#include "team/cpu_pressure.hpp"
#include "team/hosts.hpp"
#include "team/large_team.hpp"
#include "team/placement.hpp"
#include "team/pool.hpp"
#include "team/posts.hpp"
#include "team/stand_in.hpp"
#include "team/tool_events.hpp"
#include "team/watching.hpp"

namespace heddle::team {

namespace {

constexpr int unlimited_threads = 0x7fffffff;       ///< thread-limit-var without OMP_THREAD_LIMIT
constexpr size_t room_on_unknown_stack = 16 * 1024; ///< below which tasks are deferred, bytes

/// Room for `size` entries in team.members. Lingering threads may still read the old array, so it
/// is kept, in an entry behind the new one's last: all old ones are at most as large as the newest.
bool reserve_members(Team& team, int size) {
    if (size <= team.capacity)
        return true;
    const int capacity = size < 8 ? 8 : size * 2;
    const size_t entries = static_cast<size_t>(capacity) + 1;
    void* memory =
        platform::allocate(sizeof(platform::Atomic<Member*>) * entries, concurrent::cache_line);
    if (!memory)
        return false;
    auto* old = team.members.load(platform::relaxed);
    auto* members = static_cast<platform::Atomic<Member*>*>(memory);
    for (int i = 0; i < capacity; ++i)
        ::new (&members[i])
            platform::Atomic<Member*>(i < team.capacity ? old[i].load(platform::relaxed) : nullptr);
    ::new (&members[capacity]) platform::Atomic<Member*>(reinterpret_cast<Member*>(old));
    team.members.store(members, platform::release); // pairs with member_at()
    team.capacity = capacity;
    return true;
}

Worker::Level* make_level(Worker& worker, bool is_inserted) {
    void* memory = platform::allocate(sizeof(Worker::Level), alignof(Worker::Level));
    void* team = platform::allocate(sizeof(Team), alignof(Team));
    Member* member = create_member(worker);
    if (!memory || !team || !member)
        platform::die("no memory for a region");
    auto* level = ::new (memory) Worker::Level;
    level->member = member;
    level->is_inserted = is_inserted;
    level->team = ::new (team) Team;
    platform::own::keep_near(member, sizeof *member);
    platform::own::keep_near(level->team, sizeof *level->team);
    if (!reserve_members(*level->team, 1))
        platform::die("no memory for a region");
    set_member(*level->team, 0, *member);
    return level;
}

/// The level below the current one of `worker`, made at its first use.
Worker::Level& next_level(Worker& worker) {
    Worker::Level*& deeper = worker.level->deeper;
    if (!deeper)
        deeper = make_level(worker, false);
    return *deeper;
}

/// A level for one thread alone, put between the current one and the next deeper: parallel regions
/// inside find the team, with its threads, that they would find outside.
Worker::Level& insert_level(Worker& worker) {
    Worker::Level* level = worker.spare_inserted;
    if (level)
        worker.spare_inserted = level->deeper;
    else
        level = make_level(worker, true);
    level->deeper = worker.level->deeper;
    worker.level->deeper = level;
    return *level;
}

/// Back to the level above the current one.
void leave_level(Worker& worker) {
    Worker::Level* const left = worker.level;
    Worker::Level* above = &worker.outermost;
    while (above->deeper != left)
        above = above->deeper;
    worker.level = above;
    if (HEDDLE_UNLIKELY(left->is_inserted)) {
        above->deeper = left->deeper;
        left->deeper = worker.spare_inserted;
        worker.spare_inserted = left;
    }
}

/// Attaches threads until the team has `wanted`; returns how many it has.
int attach_threads(Team& team, int wanted) {
    if (HEDDLE_LIKELY(team.attached >= wanted))
        return wanted;
    const int first = team.attached;
    Worker* idle = team.nesting == 1
                       ? wait_for_threads(wanted - team.attached, has_long_regions(team))
                       : nullptr;
    while (team.attached < wanted) {
        // One by one: the system may refuse most of a wild number of threads.
        Worker* worker = nullptr;
        if (!reserve_members(team, team.attached + 1))
            give_back(idle);
        else if (!idle)
            worker = take_from_pool(team, exceeds_cpus(wanted));
        else if (worker = idle; worker)
            idle = idle->next_idle;
        if (!worker) {
            warn_about_missing_threads(wanted, team.attached);
            break;
        }
        set_member(team, team.attached++, *worker->outermost.member);
        team.has_new_threads = true;
    }
    serve_host_of(team, first);
    return team.attached < wanted ? team.attached : wanted;
}

/// thread-limit-var: how many of `wanted` threads the contention group may still have. Relaxed: the
/// counter bounds a number, it publishes nothing.
int reserve_threads(Team& team, int wanted, int limit) {
    team.busy_threads = team.parent->team->busy_threads;
    team.reserved = 0;
    if (HEDDLE_LIKELY(limit == unlimited_threads || wanted == 1))
        return wanted;
    int32_t busy = team.busy_threads->load(platform::relaxed);
    int32_t more;
    do {
        more = limit - busy < wanted - 1 ? limit - busy : wanted - 1;
        if (more <= 0)
            return 1;
    } while (!team.busy_threads->compare_exchange_strong(busy, busy + more, platform::relaxed,
                                                         platform::relaxed));
    team.reserved = more;
    return more + 1;
}

/// A region whose threads go back to the pool. Other nested ones may run besides: waits must know.
void begin_borrowing(Team& team) {
    team.borrowed = team.size - 1; // the primary belongs to the team outside
    cpu_pressure.borrowed.fetch_add(team.borrowed, platform::relaxed);
}

void end_lending(Team& team) {
    if (team.nesting > 1) {
        cpu_pressure.borrowed.fetch_sub(team.borrowed, platform::relaxed);
        team.borrowed = 0;
    } else if (!may_lend_outermost_teams()) { // one with threadprivate variables came meanwhile
        return;
    }
    release_threads(team);
}

/// Outermost teams may have the machine's barrier, where nobody leaves a barrier early.
[[maybe_unused]] void prepare_own_barrier(Team& team) {
    if (team.nesting == 1 &&
        (initial_attention.load(platform::relaxed) & (attention | cancellable)) == 0) {
        platform::own::Barrier::begin_region(&team, team.size, team.has_new_threads);
        team.has_new_threads = false;
    }
}

/// Do the threads of a team of `size` arrive at barriers by flags? Not where its first thread,
/// which opens them, may be waiting for a CPU.
bool arrives_by_flags(int32_t size) {
    static_assert(largest_central_team <= concurrent::ArrivalFlags::most_threads);
    return size > most_counted_threads && !is_large(size) && !exceeds_cpus(size) &&
           !platform::own::is_central();
}

/// What a team of one does not need.
inline void ready_for_others(Team& team) {
    ++team.active_level;
    team.seat_count.store(0, platform::relaxed);
    team.lends = team.nesting > 1;
    if (team.lends)
        begin_borrowing(team);
    else if (HEDDLE_UNLIKELY(cpu_pressure.several_hosts.load(platform::relaxed) != 0))
        begin_among_hosts(team);
    if (is_large(team.size))
        prepare_large_barriers(team);
    if constexpr (platform::own::exists)
        prepare_own_barrier(team);
}

/// All members have left the last region.
[[gnu::noinline]] Workshare* replace_first_workshare(Team& team) {
    platform::deallocate(team.first_workshare);
    team.first_workshare = Workshare::create(team.size);
    if (!team.first_workshare)
        platform::die("no memory for a parallel region");
    return team.first_workshare;
}

inline void prepare_first_workshare(Team& team) {
    Workshare* node = team.first_workshare;
    if (HEDDLE_UNLIKELY(!node || node->capacity < team.size))
        node = replace_first_workshare(team);
    node->next.store(nullptr, platform::relaxed);
    node->expect_again(team.size);
}

[[gnu::noinline]] void watch_region(Member& parent, Team& team) {
    count(parent, Counter::regions);
    team.tool = nullptr;
    team.at_begin |= watched;
    team.at_end |= watched;
}

void inherit_icvs(Team& team, const Member& parent, const config::Settings& settings) {
    team.icvs = *parent.current->context()->icvs;
    if (HEDDLE_UNLIKELY(team.icvs.inner != nullptr)) {
        if (team.icvs.inner_length > 0) { // otherwise the last one stays
            team.icvs.nthreads = *team.icvs.inner++;
            --team.icvs.inner_length;
        }
    } else if (HEDDLE_UNLIKELY(settings.nthreads_list_length > 1) &&
               team.level < settings.nthreads_list_length) {
        team.icvs.nthreads = settings.nthreads_list[team.level];
    }
    team.context.set(&team.icvs, nullptr, false);
}

/// A thread of the program may be on another stack than its own, as coroutines are, and of that of
/// the first thread nobody knows where it is without /proc. What executes a part for another thread
/// has said where its stack ends.
inline bool is_on_unknown_stack(const Worker& worker) {
    const char* const low = worker.own_stack_limit - worker.stack_size / 2;
    const auto above =
        reinterpret_cast<uintptr_t>(platform::stack_pointer()) - reinterpret_cast<uintptr_t>(low);
    return above >= worker.stack_size + worker.stack_above &&
           worker.stack_limit == worker.own_stack_limit;
}

} // namespace

Member& form(Member& parent, int wanted, config::ProcBind clause) {
    Worker& worker = *parent.worker;
    const bool alone = wanted == 1;
    Worker::Level& level = HEDDLE_UNLIKELY(alone) ? insert_level(worker) : next_level(worker);
    Team& team = *level.team;
    Member& primary = *level.member;
    team.parent = &parent;
    team.level = parent.team->level + 1;
    team.nesting = parent.team->nesting + (alone ? 0 : 1);
    wanted = reserve_threads(team, wanted, parent.current->context()->icvs->thread_limit);
    team.size = wanted == 1 ? 1 : attach_threads(team, wanted);
    if (HEDDLE_UNLIKELY(team.reserved >= team.size)) { // the system refused some
        team.busy_threads->fetch_sub(team.reserved - (team.size - 1), platform::relaxed);
        team.reserved = team.size - 1;
    }
    team.active_level = parent.team->active_level;
    const config::Settings& settings = config::settings();
    inherit_icvs(team, parent, settings);
    if (HEDDLE_UNLIKELY(settings.places_or_display))
        place_team(team, primary, clause);
    prepare_first_workshare(team);
    team.barrier.reset(static_cast<uint32_t>(team.size));
    if (HEDDLE_UNLIKELY(initial_attention.load(platform::relaxed) != 0)) {
        team.cancellable_barrier.reset(static_cast<uint32_t>(team.size));
        forget_cancellation(team);
        if ((initial_attention.load(platform::relaxed) & counting) != 0)
            watch_region(parent, team);
    }
    if (team.size > 1)
        ready_for_others(team);
    team.by_flags = arrives_by_flags(team.size);
    // Waiting threads poll this line: it is not written without need.
    if (team.has_tasks.load(platform::relaxed) != 0) {
        team.has_tasks.store(0, platform::relaxed);
        team.had_tasks = true;
        team.tasks_sleep.store(0, platform::relaxed);
    }
    worker.level = &level;
    primary.enclosing = &parent;
    begin_membership(primary, team, 0, team.size, team.first_workshare);
    if (HEDDLE_UNLIKELY(is_on_unknown_stack(worker)))
        primary.stack_limit = platform::stack_pointer() - room_on_unknown_stack;
    primary.by_flags = team.by_flags;
    platform::set_self(&primary);
    return primary;
}

void start(Team& team, TaskFunction function, void* data,
           void (*run)(Member&, TaskFunction, void*)) {
    const int cpu = team.binds || exceeds_cpus(team.size) ? -1 : platform::current_cpu();
    const bool passes = passes_fork_on(team);
    const auto ways = static_cast<uint8_t>(
        (team.binds ? has_place : 0) | (team.by_flags ? by_flags : 0) | (passes ? passed_on : 0));
    const int end = passes ? 1 + fork_width : team.size; // the others: pass_fork_on()
    Posts posts;
    for (int i = 1; i < end; ++i) {
        Worker& worker = worker_at(team, i);
        fill_in(worker.mailbox, i,
                {&team, team.first_workshare, function, data, run, team.size, cpu, ways});
        posts.add(worker);
    }
}

void start_or_offer(Team& team, TaskFunction function, void* data,
                    void (*run)(Member&, TaskFunction, void*)) {
    if (!team.by_flags && HEDDLE_UNLIKELY(exceeds_cpus(team.size)) &&
        crowd_of(team, function, data) == Crowd::on_offer)
        offer_parts(team, function, data, run);
    else
        start(team, function, data, run);
}

namespace {

/// After `cancel parallel` members may stand at different worksharing regions. Goes on for each to
/// the last one, as if it had entered them, and frees what all have left.
[[gnu::noinline]] void gather_at_last_workshare(Team& team) {
    Workshare* node = nullptr;
    for (int i = 0; i < team.size; ++i) {
        node = member_at(team, i).workshare.node;
        while (Workshare* next = node->next.load(platform::relaxed)) {
            if (node->leave(i)) {
                node->free_memory();
                platform::deallocate(node);
            }
            node = next;
        }
    }
    node->left_ranges = 0; // not all have come to theirs there
    member_at(team, 0).workshare.node = node;
}

/// The next region counts its own.
void forget_singles(Team& team) {
    team.singles.begun.store(0, platform::relaxed);
    team.singles.published.store(0, platform::relaxed);
}

/// Makes the team's region memory ready for the next region.
inline void end_region(Member& primary) {
    Team& team = *primary.team;
    const bool cancelled = team.cancelled.load(platform::relaxed) != 0;
    if (HEDDLE_UNLIKELY(cancelled))
        gather_at_last_workshare(team);
    if (primary.singles != 0 || cancelled) // others may have come to some that it has not
        forget_singles(team);
    team.first_workshare = primary.workshare.node; // the node at which every member stopped
    team.first_workshare->free_memory();
    if (HEDDLE_UNLIKELY(team.garbage.load(platform::relaxed) != nullptr))
        free_region_memory(team);
}

/// What few regions need.
[[gnu::noinline]] void end_specially(Team& team, Member& primary) {
    if ((team.at_end & bound_primary) != 0)
        leave_place(team, primary);
    if ((team.at_end & watched) != 0) {
        note_region_end(primary);
        team.at_begin &= displays; // the next region may not be watched
        team.at_end &= static_cast<uint8_t>(~watched);
    }
    if (team.tool)
        tell_region_end(primary);
    if ((team.at_end & among_hosts) != 0)
        end_among_hosts(team);
}

} // namespace

void dissolve(Member& primary) {
    Team& team = *primary.team;
    end_region(primary);
    if (HEDDLE_UNLIKELY(team.at_end != 0))
        end_specially(team, primary);
    if (HEDDLE_UNLIKELY(team.reserved != 0))
        team.busy_threads->fetch_sub(team.reserved, platform::relaxed);
    if (team.size > 1 && team.lends)
        end_lending(team);
    leave_level(*primary.worker);
    platform::set_self(primary.enclosing);
}

Member& begin_initial_team(Member& outer, const config::Icvs& icvs) {
    Worker& worker = *outer.worker;
    Worker::Level* const level = worker.level = &insert_level(worker);
    Team& team = *level->team;
    Member& initial = *level->member;
    team.parent = nullptr;
    team.level = team.active_level = 0;
    team.nesting = outer.team->nesting;
    team.league.size = 1;
    team.league.number = 0;
    team.league.at_once = false;
    team.busy_threads = &team.own_busy_threads;
    team.tool = nullptr;
    team.icvs = icvs;
    team.context.set(&team.icvs, nullptr, false);
    prepare_first_workshare(team);
    team.barrier.reset(1);
    team.cancellable_barrier.reset(1);
    forget_cancellation(team); // a region's team of one, before
    initial.enclosing = &outer;
    begin_membership(initial, team, 0, 1, team.first_workshare);
    initial.partition = {};
    platform::set_self(&initial);
    return initial;
}

void end_initial_team(Member& initial) {
    end_region(initial);
    leave_level(*initial.worker);
    platform::set_self(initial.enclosing);
}

bool is_outside(const Member& member) {
    const Worker& worker = *member.worker; // the pool's are always in one
    return !worker.is_pool_thread && worker.level == &worker.outermost;
}

bool may_pause_resources() { return is_outside(self()); }

bool pause_resources() {
    if (!may_pause_resources())
        return false;
    if (Worker::Level* level = self().worker->outermost.deeper)
        end_threads(*level->team);
    return true;
}

} // namespace heddle::team
