// SPDX-License-Identifier: Apache-2.0
// The process-wide pool: a list of idle threads, last used first, for its caches are warm.
// Every function takes the pool's lock; the threads wait at their mailboxes, not here.
#include "team/pool.hpp"

#include "concurrent/futex_lock.hpp"
#include "concurrent/nap.hpp"
#include "config/kmp_runtime.hpp"
#include "team/cpu_pressure.hpp"
#include "team/hosts.hpp"
#include "team/pool_thread.hpp"
#include "team/posts.hpp"

#include <algorithm>
#include <cstdio>
#include <new>

namespace heddle::team {

namespace {

concurrent::FutexLock pool_lock;
Worker* idle_threads = nullptr; // under pool_lock
Worker* idle_roots = nullptr;   // under pool_lock
int32_t roots = 0;              // under pool_lock: threads of the user that are attached
int idle_count = 0;             // under pool_lock: of idle_threads
int made = 0;                   // under pool_lock: threads of the pool that have not ended
int ended = 0;                  // under pool_lock: those that have
int hosts = 0;                  // under pool_lock: threads of the user that have had a team
uint64_t returns = 0;           // under pool_lock: how often threads came back
bool warned = false;            // under pool_lock
bool main_has_ended = false;    // under pool_lock: the main thread was attached, and has ended
bool keeps_teams = false;       // under pool_lock: programs have data with their threads
/// Notified when threads come back.
concurrent::EventCount returned;

struct PoolGuard : concurrent::LockGuard {
    PoolGuard() : LockGuard(pool_lock) {}
};

/// A worker whose thread has ended, else a new one; nullptr when there is no memory.
Worker* take_idle_root() {
    {
        PoolGuard guard;
        if (Worker* worker = idle_roots) {
            idle_roots = worker->next_idle;
            return worker;
        }
    }
    return create_worker();
}

void keep_idle_root(Worker& worker) {
    worker.is_pool_thread = false;
    PoolGuard guard;
    worker.next_idle = idle_roots;
    idle_roots = &worker;
}

/// So many threads in all are no trouble, though hosts have long regions.
int many_threads() { return std::max(64, 4 * cpu_pressure.cpus.load(platform::relaxed)); }
/// So many of the pool are enough for any hosts: each takes 17 KiB while it sleeps.
int most_threads() { return std::max(256, 64 * cpu_pressure.cpus.load(platform::relaxed)); }

/// Caller holds pool_lock. Two hosts keep a team each, as when a program's main thread and one more
/// open regions in turn. More of them share as soon as threads exceed CPUs by that much.
void decide_on_sharing() {
    const int threads = made + hosts;
    cpu_pressure.cpu_share.note_threads(threads);
    const Shares now = cpu_pressure.shares.load(platform::relaxed);
    Shares shares = Shares::nobody;
    if (hosts > 2 && !keeps_teams) {
        if (threads > 2 * cpu_pressure.cpus.load(platform::relaxed))
            shares = threads > many_threads() ? Shares::long_regions : Shares::in_turn;
        shares = std::max(shares, now); // as long as there are so many hosts
    }
    if (shares != now)
        cpu_pressure.shares.store(shares, platform::relaxed);
}

/// Caller holds pool_lock. May a host create the threads that it misses, without a wait?
bool may_grow_by(int count, bool has_long_regions) {
    if (has_long_regions)
        return made < count || made + count <= many_threads();
    return made + count <= most_threads();
}

/// Caller holds pool_lock.
void push_idle(Worker& worker) {
    worker.next_idle = idle_threads;
    idle_threads = &worker;
    ++idle_count;
}

/// Caller holds pool_lock; `count` threads are idle. They are linked by next_idle, and nullptr ends
/// their list.
Worker* pop_idle(int count) {
    Worker* const first = idle_threads;
    Worker* last = first;
    for (int i = 1; i < count; ++i)
        last = last->next_idle;
    idle_threads = last->next_idle;
    last->next_idle = nullptr;
    idle_count -= count;
    return first;
}

/// A thread of the pool was made, or has ended.
void count_thread(int change) {
    PoolGuard guard;
    made += change;
    ended += change < 0;
    decide_on_sharing();
}

/// By the one who holds the worker: its thread ends instead of entering a region.
void end_thread(Worker& worker) {
    worker.mailbox.run = nullptr;
    post(worker);
}

/// `asleep_at_once`: it finds no CPU. Until it takes one itself its parts are others' to take.
Worker* start_thread(bool asleep_at_once) {
    Worker* worker = take_idle_root();
    if (!worker)
        return nullptr;
    worker->is_pool_thread = true;
    ::new (&worker->served) ServedHost; // of an earlier thread
    // The epochs of an earlier thread: run_pool_thread() counts from 0.
    worker->posted = 0;
    worker->mailbox.epoch.store(0, platform::relaxed); // spawn() publishes it
    worker->mailbox.asleep.store(asleep_at_once ? asleep : awake, platform::relaxed);
    worker->float_control = platform::float_control(); // which it inherits
    worker->thread = {.entry = run_pool_thread, .argument = worker};
    if (platform::spawn(worker->thread, config::stack_size(config::settings()))) {
        set_own_stack(*worker, worker->thread.stack); // for its first region, which posts it
        count_thread(1);
        return worker;
    }
    keep_idle_root(*worker); // the next attempt may succeed
    return nullptr;
}

/// Ends the threads that are idle in the pool; returns how many they are.
int end_idle_threads() {
    Worker* idle;
    int count;
    {
        PoolGuard guard;
        idle = idle_threads;
        count = idle_count;
        idle_threads = nullptr;
        idle_count = 0;
    }
    while (idle) {
        Worker* const next = idle->next_idle; // read first: the thread recycles its worker
        end_thread(*idle);
        idle = next;
    }
    return count;
}

/// A thread of the user comes or goes.
void note_passer() { cpu_pressure.cpu_share.note_passer(platform::now_ns()); }

} // namespace

void leave_pool(Worker& worker) {
    count_thread(-1);
    keep_idle_root(worker); // its memory serves the next thread
}

Worker* take_from_pool(Team& team, bool crowded) {
    {
        PoolGuard guard;
        if (team.nesting == 1 && !team.host.is_counted) {
            team.host.is_counted = true;
            hosts = add_host(team);
            decide_on_sharing();
        }
        if (idle_count > 0)
            return pop_idle(1);
    }
    return start_thread(crowded);
}

namespace {
// No thread has come back for so long: regions may last, or wait for each other. With many threads
// on few CPUs they take their time. And if only this host never gets any, it waits for a second.
constexpr uint64_t patience_ns = 10'000'000, longest_wait_ns = 1'000'000'000;
} // namespace

Worker* wait_for_threads(int count, bool has_long_regions) {
    if (HEDDLE_LIKELY(cpu_pressure.shares.load(platform::relaxed) == Shares::nobody))
        return nullptr;
    const uint64_t began = platform::now_ns();
    const int some = 4 * cpu_pressure.cpus.load(platform::relaxed);
    uint64_t seen = 0, since = began; // when a thread came back for the last time, as far as known
    for (;;) {
        const uint32_t key = returned.announce(); // the lock orders it with release_threads()
        Worker* first;
        bool done, tells;
        uint64_t patience;
        {
            PoolGuard guard;
            first = idle_count >= count ? pop_idle(count) : nullptr;
            const uint64_t now = platform::now_ns();
            const bool some_returned = returns != seen;
            since = some_returned ? now : since;
            seen = returns;
            patience = patience_ns * static_cast<uint64_t>(std::max(made / some, 1));
            const bool may_grow = may_grow_by(count, has_long_regions);
            done = first || may_grow || now - since >= patience || now - began >= longest_wait_ns;
            if (!first && !may_grow && !has_long_regions) // it has found too many for the others
                cpu_pressure.shares.store(Shares::all_regions, platform::relaxed);
            // Whoever is told that threads came back and leaves some tells the next one, who may
            // want fewer. Once for each return: those who want more than there are must not keep
            // waking each other.
            tells = idle_count > 0 && (done || some_returned);
        }
        if (done)
            returned.withdraw();
        if (tells)
            returned.notify(1);
        if (done)
            return first;
        returned.sleep(key, patience);
    }
}

bool may_lend_outermost_teams() {
    if (!platform::programs_keep_thread_data())
        return true;
    PoolGuard guard;
    keeps_teams = true;
    decide_on_sharing();
    return false;
}

void give_back(Worker* threads) {
    PoolGuard guard;
    while (Worker* const worker = threads) {
        threads = worker->next_idle;
        push_idle(*worker);
    }
}

void release_threads(Team& team) {
    {
        PoolGuard guard;
        for (int i = team.attached - 1; i > 0; --i) // so that the next team gets them in order
            push_idle(*member_at(team, i).worker);
        team.attached = 1;
        ++returns;
    }
    // Who finds some left, or too few, tells the next.
    returned.notify(1);
}

void forget_host(Team& team) {
    release_threads(team);
    count_host_out(team);
}

void count_host_out(Team& team) {
    PoolGuard guard;
    if (team.host.is_counted)
        hosts = remove_host(team);
    team.host.is_counted = false;
    decide_on_sharing();
}

int end_threads(Team& team) {
    const int count = team.attached - 1;
    for (int i = 1; i <= count; ++i)
        end_thread(*member_at(team, i).worker);
    team.attached = 1;
    return count + end_idle_threads();
}

void end_all_threads(const Member* member) {
    constexpr uint64_t patience = 10'000'000'000, nap_ns = 200'000;
    Worker::Level* const level = member ? member->worker->outermost.deeper : nullptr;
    int before;
    {
        PoolGuard guard;
        before = ended;
    }
    const int count = level ? end_threads(*level->team) : end_idle_threads();
    for (const uint64_t began = platform::now_ns(); platform::now_ns() - began < patience;) {
        {
            PoolGuard guard;
            if (ended - before >= count)
                return;
        }
        concurrent::nap(nap_ns);
    }
}

void warn_about_missing_threads(int wanted, int got) {
    {
        PoolGuard guard;
        if (warned)
            return;
        warned = true;
    }
    char line[240];
    const int length =
        snprintf(line, sizeof line,
                 "the system refused a thread: a parallel region asked for %d threads and gets %d",
                 wanted, got);
    if (const size_t stack = config::stack_size(config::settings()))
        snprintf(line + length, sizeof line - static_cast<size_t>(length),
                 " (each wants a stack of %zu KiB: %s)", stack / 1024,
                 config::stack_size_source(config::settings()));
    platform::warn(line);
}

Worker* take_root_worker() {
    Worker* worker = take_idle_root();
    PoolGuard guard;
    if (++roots > 1)
        note_passer();
    return worker;
}

void give_back_root_worker(Worker& worker) {
    keep_idle_root(worker);
    count_root_out();
}

void count_root_out() {
    const bool is_main = platform::is_main_thread();
    bool last, main_went;
    {
        PoolGuard guard;
        main_has_ended |= is_main; // the system says so only later
        main_went = main_has_ended;
        last = --roots == 0;
        if (!last)
            note_passer();
    }
    if (last && (main_went || platform::main_thread_has_ended()))
        end_idle_threads();
}

void forget_pool_after_fork(bool root_survives) {
    ::new (&pool_lock) concurrent::FutexLock; // its holder may be a thread that is no more
    ::new (&returned) concurrent::EventCount;
    idle_threads = nullptr; // their memory is lost to the child: it is shared
    idle_count = made = hosts = 0;
    cpu_pressure.shares.store(Shares::nobody, platform::relaxed);
    forget_hosts_after_fork();
    idle_roots = nullptr;
    roots = root_survives ? 1 : 0;
    main_has_ended = false; // the surviving thread is the child's main thread
}

} // namespace heddle::team
