// SPDX-License-Identifier: Apache-2.0
// The parts of the data become parts of the loop; the threads of a domain divide its part evenly.
// A part on a domain without threads is added to the one before, the first ones to the one after.
// Called by one thread for each loop, before others know of it; see loop_data.hpp.
#include "team/loop_data.hpp"

#include "concurrent/hand_over.hpp"
#include "place/distributed.hpp"
#include "team/cpu_pressure.hpp"
#include "team/locality.hpp"

namespace heddle::team {

namespace {

constexpr int most_parts = 128;       ///< with more domains, or
constexpr int32_t most_threads = 512; ///< more threads, loops are dealt evenly: it is stack

/// A part of the loop's units, and the threads that share it.
struct DataPart {
    uint64_t first, end;
    int domain;
    uint64_t threads;
};

class DataParts {
public:
    /// Finds out what lies where; false when that is not known of all data and threads.
    bool find(const Team& team, const void* data, size_t bytes, uint64_t units) {
        place::IterationPart found[most_parts];
        count_ = place::iteration_parts(data, bytes, units, found, most_parts);
        for (int i = 0; i < count_; ++i)
            parts_[i] = {i == 0 ? 0 : found[i - 1].end, found[i].end, found[i].domain, 0};
        for (int32_t number = 0; count_ > 1 && number < team.size; ++number) {
            // Asked once: a thread that is not bound may tell others another domain at any time.
            const int domain = domain_of(team, number);
            if (domain < 0)
                return false;
            domains_[number] = static_cast<int16_t>(domain);
            if (DataPart* part = of_domain(domain))
                ++part->threads;
        }
        return count_ > 1 && give_orphans_away();
    }

    /// Deals thread `number` the next share of its domain's part; threads are dealt once each.
    void deal_next(int32_t number, DealShare deal, void* context) {
        DataPart* part = of_domain(domains_[number]);
        if (!part)
            return deal(context, number, 0, 0); // no data are near it: it begins as a thief
        const uint64_t size = part->end - part->first, threads = part->threads--;
        const uint64_t end = part->first + size / threads + (size % threads ? 1 : 0);
        deal(context, number, part->first, end);
        part->first = end;
    }

private:
    DataPart* of_domain(int domain) {
        for (int i = 0; i < count_; ++i)
            if (parts_[i].domain == domain)
                return &parts_[i];
        return nullptr;
    }

    /// False when no thread is near any data.
    bool give_orphans_away() {
        int kept = 0;
        for (int i = 0; i < count_; ++i) {
            if (parts_[i].threads > 0) {
                parts_[kept] = parts_[i];
                if (kept == 0)
                    parts_[kept].first = 0;
                ++kept;
            } else if (kept > 0) {
                parts_[kept - 1].end = parts_[i].end;
            }
        }
        count_ = kept;
        return kept > 0;
    }

    DataPart parts_[most_parts];
    int count_ = 0;
    int16_t domains_[most_threads];
};

/// Tells parallel regions of the member's team apart: all begin with the same node. Of a thread of
/// the pool its mailbox counts them; of a primary thread that of thread 1, to which it posts.
uint32_t region_of(const Member& member) {
    if (member.number > 0)
        return member.worker->mailbox.epoch.load(platform::relaxed) & ~(next_epoch - 1);
    return member.team_size > 1 ? member_at(*member.team, 1).worker->posted : 0;
}

/// A number for the loop that comes next in the member's region; hardly ever another one's.
uint64_t next_loop(const Member& member) {
    const auto node = reinterpret_cast<uintptr_t>(member.workshare.node);
    return uint64_t{region_of(member)} << 48 ^ node;
}

/// Whether `data` was noted for the member's next loop.
bool is_for(const LoopData& data, const Member& member) {
    return data.loop.load(platform::relaxed) == next_loop(member);
}

/// What was said of the loop that `creator` has not entered yet; nullptr: nothing.
const LoopData* data_of_loop(const Member& creator) {
    const Team& team = *creator.team;
    const LoopData& own = creator.worker->loop_data;
    if (is_for(own, creator))
        return &own;
    // The first loop of the region may be what the thread had in mind that encountered the region.
    if (creator.workshare.node != team.first_workshare || !team.parent)
        return nullptr;
    const LoopData& parents = team.parent->worker->loop_data;
    return is_for(parents, *team.parent) ? &parents : nullptr;
}

/// deal_by_data() of `data`. A function of its own for what it needs of the stack, which any other
/// loop has no use for.
[[gnu::noinline]] bool deal_data(const Member& creator, const LoopData& data, uint64_t units,
                                 uint64_t unit, DealShare deal, void* context) {
    size_t bytes;
    DataParts parts;
    if (__builtin_mul_overflow(data.element.load(platform::relaxed), unit, &bytes) ||
        !parts.find(*creator.team, data.first.load(platform::relaxed), bytes, units))
        return false;
    for (int32_t number = 0; number < creator.team_size; ++number)
        parts.deal_next(number, deal, context);
    return true;
}

/// Whether the loop that comes next in the member's region has been described by another one
/// meanwhile, which had begun to deal it. With 192 threads at one lock it would take them 15 ms.
bool another_deals(const Member& member) {
    Workshare& last = *member.workshare.node;
    if (last.next_is_dealt.load(platform::relaxed) == 0 &&
        last.next_is_dealt.exchange(1, platform::relaxed) == 0)
        return false;
    const auto has_come = [&last] { return last.next.load(platform::relaxed) != nullptr; };
    return has_come() || concurrent::poll_for(brief_wait_limits(member.team_size), has_come);
}

} // namespace

void note_loop_data(const Member& own, const void* first, size_t element) {
    if (place::domain_count() == 1)
        return;
    LoopData& data = own.worker->loop_data;
    data.first.store(first, platform::relaxed);
    data.element.store(element, platform::relaxed);
    data.loop.store(next_loop(own), platform::relaxed);
}

bool deal_by_data(const Member& creator, const Workshare& loop, DealShare deal, void* context) {
    if (HEDDLE_LIKELY(place::domain_count() == 1) || creator.team_size > most_threads)
        return false;
    const LoopData* data = data_of_loop(creator);
    if (!data)
        return false;
    // The loop of a combined construct is described before there are other members.
    return (&loop != creator.workshare.node && another_deals(creator)) ||
           deal_data(creator, *data, loop.chunks, loop.chunk, deal, context);
}

} // namespace heddle::team
