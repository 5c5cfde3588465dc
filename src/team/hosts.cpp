// SPDX-License-Identifier: Apache-2.0
// The list of hosts, and what is sampled of them: who is in a region, and whose threads may spin
// for the next one. By a host that begins a region, one at a time: the list and the average are
// under the lock.
#include "team/hosts.hpp"

#include "concurrent/futex_lock.hpp"
#include "team/cpu_pressure.hpp"
#include "team/pool.hpp"

namespace heddle::team {

namespace {

/// Between samples. Each is a few lines of every host, which these have to fetch again.
constexpr uint64_t interval_ns = 50'000, interval_for_each_ns = 5'000;
/// The threads of a host that began a region so recently may still spin for the next one.
constexpr uint64_t active_ns = 4'000'000;

concurrent::FutexLock hosts_lock;
Team* first_host = nullptr;
int host_count = 0;
HostsAtOnce at_once;
platform::Atomic<uint64_t> next_sample{0}; ///< ns

/// What changes seldom is not written without need: all waits read it.
template <class T>
void set(platform::Atomic<T>& place, T value) {
    if (place.load(platform::relaxed) != value)
        place.store(value, platform::relaxed);
}

void publish(int32_t hosts_at_once, bool in_turn, int32_t rivals) {
    const int32_t change = rivals - cpu_pressure.rivals.load(platform::relaxed);
    if (change != 0)
        cpu_pressure.borrowed.fetch_add(change, platform::relaxed);
    set(cpu_pressure.rivals, rivals);
    set(cpu_pressure.hosts_at_once, hosts_at_once);
    set(cpu_pressure.hosts_in_turn, in_turn ? 1u : 0u);
}

int count_hosts(int change) {
    host_count += change;
    cpu_pressure.several_hosts.store(host_count > 1 ? 1 : 0, platform::relaxed);
    if (host_count < 2) {
        at_once = {};
        publish(1, false, 0);
    }
    return host_count;
}

void sample(uint64_t now) {
    int32_t in_regions = 0, active = 0, threads = 0;
    for (const Team* team = first_host; team; team = team->host.next) {
        const bool is_in_region = team->host.in_region.load(platform::relaxed) != 0;
        in_regions += is_in_region;
        const int32_t size = team->host.threads_kept.load(platform::relaxed);
        if (size == 0 ||
            (!is_in_region && team->host.region_began.load(platform::relaxed) + active_ns < now))
            continue;
        ++active;
        threads += size;
    }
    at_once.add(in_regions);
    const bool several = active > 1;
    publish(at_once.value(), several && at_once.in_turn(),
            several ? threads - threads / active : 0);
}

/// Does the team give its threads back after this region?
bool gives_back(const Team& team) {
    switch (cpu_pressure.shares.load(platform::relaxed)) {
    case Shares::nobody:
        return false;
    case Shares::in_turn:
        if (cpu_pressure.hosts_at_once.load(platform::relaxed) > 1)
            return false;
        [[fallthrough]];
    case Shares::long_regions:
        if (!has_long_regions(team))
            return false;
        [[fallthrough]];
    case Shares::all_regions:
        break;
    }
    return may_lend_outermost_teams();
}

} // namespace

int add_host(Team& team) {
    const concurrent::LockGuard guard(hosts_lock);
    team.host.threads_kept.store(0, platform::relaxed);
    team.host.next = first_host;
    first_host = &team;
    return count_hosts(1);
}

int remove_host(Team& team) {
    const concurrent::LockGuard guard(hosts_lock);
    Team** link = &first_host;
    while (*link != &team)
        link = &(*link)->host.next;
    *link = team.host.next;
    team.host.usual_ns = unknown_ns; // for the next host with this worker
    return count_hosts(-1);
}

void forget_hosts_after_fork() {
    ::new (&hosts_lock) concurrent::FutexLock; // its holder may be a thread that is no more
    first_host = nullptr;
    count_hosts(-host_count);
}

void begin_among_hosts(Team& team) {
    const uint64_t now = platform::now_ns();
    team.lends = gives_back(team);
    team.at_end |= among_hosts;
    team.host.in_region.store(1, platform::relaxed);
    team.host.threads_kept.store(team.size, platform::relaxed);
    team.host.region_began.store(now, platform::relaxed);
    if (now < next_sample.load(platform::relaxed) || !hosts_lock.try_lock())
        return;
    sample(now);
    next_sample.store(now + interval_ns + static_cast<uint64_t>(host_count) * interval_for_each_ns,
                      platform::relaxed);
    hosts_lock.unlock();
}

void end_among_hosts(Team& team) {
    team.at_end &= static_cast<uint8_t>(~among_hosts);
    team.host.in_region.store(0, platform::relaxed);
    if (team.lends)
        team.host.threads_kept.store(0, platform::relaxed);
    // Towards the median: while hosts wait for CPUs, a few regions take a thousand times as long.
    const uint64_t took = platform::now_ns() - team.host.region_began.load(platform::relaxed);
    const uint64_t step = team.host.usual_ns / 4 + 1;
    team.host.usual_ns += took > team.host.usual_ns ? step : -step;
}

} // namespace heddle::team
