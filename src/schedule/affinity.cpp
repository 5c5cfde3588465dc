// SPDX-License-Identifier: Apache-2.0
// The map from locations to threads: a table in the team, without collision chains, that lives as
// long as the team's threads and so over its regions. And what the system said of pages: a table of
// the process. All threads read and write both, relaxed: an entry is one word, and a wrong one
// costs a good guess and nothing else.
#include "schedule/affinity.hpp"

#include "concurrent/scatter.hpp"
#include "place/distributed.hpp"
#include "team/locality.hpp"

namespace heddle::schedule {

namespace {

/// Neighbouring cache lines get different entries; so do the blocks of a tiled array.
size_t entry_of(const void* location) {
    const uint64_t line = reinterpret_cast<uintptr_t>(location) / concurrent::cache_line;
    return concurrent::scattered_bits(line, team::affinity_bits);
}

/// Who last executed a task with the location; -1 when nobody is known.
int learnt_thread(const team::Member& member, const void* location) {
    const int thread = member.team->affinity[entry_of(location)].load(platform::relaxed) - 1;
    return thread < member.team_size ? thread : -1;
}

/// One thread after another, block by block, for blocks of `size` bytes, rounded up to a power of
/// two.
int thread_of_block(const team::Member& member, const void* location, size_t size) {
    const size_t least = size < concurrent::cache_line ? concurrent::cache_line : size;
    const int shift = 64 - __builtin_clzll(static_cast<unsigned long long>(least) - 1);
    const uint64_t block = shift < 64 ? reinterpret_cast<uintptr_t>(location) >> shift : 0;
    return static_cast<int>(block % static_cast<uint64_t>(member.team_size));
}

/// What is known of a page: its number, the tick of the answer, and its domain plus 1. 0: nothing.
constexpr int page_bits = 12, tick_shift = 45, domain_shift = 53, cache_bits = 10;
constexpr uint64_t ticks = 256; ///< of about a second; an answer holds for one or two
platform::Atomic<uint64_t> known_pages[1 << cache_bits];
static_assert(platform::most_nodes < 1 << (64 - domain_shift));

/// The domain whose memory `location` is in: as its array was dealt out, or as the system says,
/// which is asked once in a while for each page; -1 when nobody has touched it.
int domain_of_data(const void* location) {
    const uint64_t page =
        (reinterpret_cast<uintptr_t>(location) >> page_bits) & ((uint64_t{1} << tick_shift) - 1);
    const uint64_t tick = (platform::now_ns() >> 30) % ticks;
    platform::Atomic<uint64_t>& entry = known_pages[concurrent::scattered_bits(page, cache_bits)];
    const uint64_t known = entry.load(platform::relaxed);
    const uint64_t age = tick - (known >> tick_shift) % ticks;
    if (known != 0 && (known & ((uint64_t{1} << tick_shift) - 1)) == page && age % ticks <= 1)
        return static_cast<int>(known >> domain_shift) - 1;
    int domain = place::planned_domain(location);
    if (domain < 0)
        domain = place::domain_of_page(location);
    if (domain >= 0)
        entry.store(page | tick << tick_shift | static_cast<uint64_t>(domain + 1) << domain_shift,
                    platform::relaxed);
    return domain;
}

/// A thread of the domain that has the data: the one that had them last, or one by their address,
/// each as likely. -1 where no domain is known, or none of its threads.
int thread_near_data(const team::Member& member, const void* location, int learnt) {
    const team::Team& team = *member.team;
    const int domain = domain_of_data(location);
    if (domain < 0 || (learnt >= 0 && team::domain_of(team, learnt) == domain))
        return domain < 0 ? -1 : learnt;
    int threads = 0; // of the domain
    for (int thread = 0; thread < member.team_size; ++thread)
        threads += team::domain_of(team, thread) == domain;
    if (threads == 0)
        return -1;
    const uint64_t hash =
        concurrent::scattered_bits(reinterpret_cast<uintptr_t>(location) >> page_bits, 32);
    auto rank = static_cast<int>(hash * static_cast<uint64_t>(threads) >> 32);
    for (int thread = 0; thread < member.team_size; ++thread)
        if (team::domain_of(team, thread) == domain && rank-- == 0)
            return thread;
    return -1;
}

} // namespace

void note_affinity(team::Member& member, const void* location) {
    platform::Atomic<uint16_t>& entry = member.team->affinity[entry_of(location)];
    const auto mine = static_cast<uint16_t>(member.number + 1);
    if (entry.load(platform::relaxed) != mine)
        entry.store(mine, platform::relaxed);
}

int thread_of_data(const team::Member& member, const void* location, size_t size) {
    switch (config::settings().heddle.task_affinity) {
    case config::TaskAffinity::off:
        return -1;
    case config::TaskAffinity::hash:
        return thread_of_block(member, location, size);
    case config::TaskAffinity::pages:
        if (HEDDLE_UNLIKELY(place::domain_count() > 1)) {
            const int learnt = learnt_thread(member, location);
            const int near = thread_near_data(member, location, learnt);
            return near >= 0 ? near : learnt;
        }
        break;
    case config::TaskAffinity::learn:
        break;
    }
    return learnt_thread(member, location);
}

} // namespace heddle::schedule
