// SPDX-License-Identifier: Apache-2.0
// The placement arithmetic, and the system calls that make a placement real.
// Called on the thread concerned. Shared is only the flag of the warning: relaxed, it publishes
// nothing. Numbers of threads and places are 1 or more.
#include "place/binding.hpp"

#include "config/load.hpp"
#include "config/text.hpp"
#include "place/claims.hpp"
#include "place/places.hpp"

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace heddle::place {

namespace {

using config::CpuSet;
using config::ProcBind;

/// `items` in a row, divided into `groups` of equal size, the first ones with one more if need be.
struct Division {
    int32_t size; ///< of the smaller groups
    int32_t rest; ///< how many groups have one more

    Division(int32_t items, int32_t groups) : size(items / groups), rest(items % groups) {}

    int32_t start(int32_t group) const { return group * size + (group < rest ? group : rest); }
    int32_t size_of(int32_t group) const { return size + (group < rest ? 1 : 0); }
    int32_t group_of(int32_t item) const {
        const int32_t in_larger = rest * (size + 1);
        return item < in_larger ? item / (size + 1) : rest + (item - in_larger) / size;
    }
};

/// Thread `number` of `threads` that go around `partition`, beginning at the parent's place: one in
/// each place, or equally many.
int32_t place_around(const Position& parent, int32_t threads, int32_t number,
                     bool in_turn = false) {
    const Partition& all = parent.partition;
    const int32_t steps =
        threads <= all.count || in_turn ? number : Division(threads, all.count).group_of(number);
    // By each thread in each region: a division takes longer than all else here.
    const auto count = static_cast<uint32_t>(all.count);
    const uint32_t place =
        static_cast<uint32_t>(parent.place - all.first) + static_cast<uint32_t>(steps);
    return all.first + static_cast<int32_t>(place < count ? place : place % count);
}

Position spread(const Position& parent, int32_t threads, int32_t number) {
    const Partition& all = parent.partition;
    if (threads > all.count) {
        const int32_t place = place_around(parent, threads, number);
        return {place, {place, 1}};
    }
    const Division parts(all.count, threads);
    const int32_t part = (parts.group_of(parent.place - all.first) + number) % threads;
    const int32_t first = all.first + parts.start(part);
    return {number == 0 ? parent.place : first, {first, parts.size_of(part)}};
}

platform::Atomic<uint32_t> warned{0};

void warn_once(int32_t place) {
    if (warned.exchange(1, platform::relaxed) != 0)
        return;
    char buffer[100];
    config::Text line(buffer, sizeof buffer);
    line << "the system refused to bind a thread to place " << place
         << ": threads run where it lets them";
    platform::warn(line.c_str());
}

/// For the verbose modifier of KMP_AFFINITY.
void tell(int32_t place) {
    char buffer[100];
    config::Text line(buffer, sizeof buffer);
    line << "KMP_AFFINITY: thread " << platform::thread_id() << " is bound to place " << place;
    platform::warn(line.c_str());
}

} // namespace

Position position_of(const Placement& placement, int32_t threads, int32_t number) {
    switch (placement.policy) {
    case ProcBind::true_:
        return {place_around(placement.parent, threads, number, placement.in_turn),
                placement.parent.partition};
    case ProcBind::close:
        return {place_around(placement.parent, threads, number), placement.parent.partition};
    case ProcBind::spread:
        return spread(placement.parent, threads, number);
    default:
        return placement.parent;
    }
}

void bind_thread(ThreadBinding& binding, int32_t place) {
    if (binding.place == place)
        return;
    // One that only counts as bound still has the mask to go back to.
    if (std::exchange(binding.is_assumed, false) && !binding.outside->read())
        return;
    binding.place = place;
    if (!places()[place].apply())
        return warn_once(place);
    claim(place, places()[place]);
    if (config::settings().kmp_affinity.verbose)
        tell(place);
}

void bind_root(ThreadBinding& binding, int32_t place) {
    binding.is_assumed = false;
    if (!binding.outside) {
        void* memory = platform::allocate(sizeof(CpuSet), alignof(CpuSet));
        if (!memory)
            return; // it stays unbound
        binding.outside = ::new (memory) CpuSet;
    }
    if (binding.outside->read())
        bind_thread(binding, place);
}

void unbind_root(ThreadBinding& binding) {
    if (binding.place < 0)
        return;
    binding.place = -1;
    if (!binding.is_assumed)
        binding.outside->apply(); // refused: its CPUs have been taken from the process meanwhile
}

namespace {

/// In a region as long as this the system calls do not count: 2 to 3 us.
constexpr uint64_t short_region_ns = 100'000;

bool runs_at(int32_t place) {
    const int cpu = platform::current_cpu();
    return cpu >= 0 && places()[place].has(cpu);
}

} // namespace

void bind_root_for_region(ThreadBinding& binding, int32_t place) {
    binding.region_began = platform::now_ns();
    if (binding.short_regions < many_regions || !binding.outside || !runs_at(place))
        return bind_root(binding, place);
    binding.is_assumed = true;
    binding.place = place;
}

void unbind_root_after_region(ThreadBinding& binding) {
    const bool was_short = platform::now_ns() - binding.region_began < short_region_ns;
    binding.short_regions = was_short ? std::min(binding.short_regions + 1, many_regions) : 0;
    unbind_root(binding);
}

void unbind_in_forked_child(ThreadBinding& binding) {
    if (binding.place < 0)
        return;
    binding.place = -1;
    if (binding.is_assumed)
        return;
    (binding.outside ? *binding.outside : config::cpus_at_load()).apply();
}

void undo_foreign_binding() {
    const CpuSet& before = config::cpus_at_load();
    CpuSet now;
    if (platform::thread_id() == getpid() && places().count() > 0 && now.read() &&
        !(now == before) && now.within(before) && now.within(places()[0]))
        before.apply();
}

} // namespace heddle::place
