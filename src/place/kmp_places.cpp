// SPDX-License-Identifier: Apache-2.0
// Sorts the CPUs by their positions in the machine, level by level, and makes a place of each.
// Called by one thread while the places are determined. The machine is read level by level through
// place/topology; its memory is given back at the end.
#include "place/kmp_places.hpp"

#include "config/kmp_affinity.hpp"
#include "config/text.hpp"
#include "place/topology.hpp"

#include <algorithm>

namespace heddle::place {

namespace {

using config::AffinityType;
using config::CpuSet;
using config::HwSubset;
using config::HwSubsetItem;
using config::KmpAffinity;
using config::PlaceList;
using config::PlaceUnit;
using config::Settings;
using config::Text;

template <class Use>
void for_each_cpu(const CpuSet& set, Use&& use) {
    for (int cpu = set.next(0); cpu >= 0; cpu = set.next(cpu + 1))
        use(cpu);
}

constexpr int levels = config::hw_layers;
constexpr PlaceUnit outermost_first[levels] = {PlaceUnit::sockets, PlaceUnit::numa_domains,
                                               PlaceUnit::ll_caches, PlaceUnit::cores,
                                               PlaceUnit::threads};
constexpr int whole_machine = -1; ///< the level around the sockets
constexpr int core_level = 3, thread_level = 4;

int level_of(PlaceUnit unit) {
    return static_cast<int>(std::find(outermost_first, outermost_first + levels, unit) -
                            outermost_first);
}

/// A number for each CPU, 0 at first.
class CpuNumbers {
public:
    CpuNumbers()
        : numbers_(static_cast<int16_t*>(
              platform::allocate(sizeof(int16_t) * CpuSet::capacity, alignof(int16_t)))) {
        if (numbers_ == nullptr)
            platform::die("no memory for the list of places");
        std::fill_n(numbers_, CpuSet::capacity, int16_t{0});
    }
    ~CpuNumbers() { platform::deallocate(numbers_); }
    CpuNumbers(const CpuNumbers&) = delete;
    CpuNumbers& operator=(const CpuNumbers&) = delete;

    int operator[](int cpu) const { return numbers_[cpu]; }
    void set(int cpu, int number) { numbers_[cpu] = static_cast<int16_t>(number); }

private:
    static_assert(PlaceList::longest <= INT16_MAX);
    int16_t* numbers_;
};

/// The units of each level, and the way from a CPU to its units.
class Machine {
public:
    Machine(const CpuSet& available, const char* root) {
        for (int level = 0; level < levels; ++level) {
            read_topology(outermost_first[level], PlaceList::longest, available, root,
                          units_[level]);
            for (int number = 0; number < count(level); ++number)
                for_each_cpu(unit(level, number),
                             [&](int cpu) { unit_of_[level].set(cpu, number); });
        }
    }

    int count(int level) const { return units_[level].count(); }
    const CpuSet& unit(int level, int number) const { return units_[level][number]; }

    /// The number, on its level, of the unit that `cpu` is in.
    int unit_of(int level, int cpu) const {
        return level == whole_machine ? 0 : unit_of_[level][cpu];
    }

    /// Whether sorting by `level` says more than sorting by the levels around it and the cores.
    bool counts(int level) const {
        if (level == 0 || level >= core_level)
            return true;
        for (int outer = 0; outer < level; ++outer)
            if (count(level) <= count(outer))
                return false;
        return count(level) < count(core_level);
    }

private:
    PlaceList units_[levels];
    CpuNumbers unit_of_[levels];
};

/// Which of the units of `level` in the same unit of `around` as it each CPU is in.
class Positions {
public:
    Positions(const Machine& machine, int level, int around) {
        CpuNumbers seen; // by unit of `around`: how many of its units have been looked at
        for (int number = 0; number < machine.count(level); ++number) {
            const CpuSet& unit = machine.unit(level, number);
            for_each_cpu(unit,
                         [&](int cpu) { position_.set(cpu, seen[machine.unit_of(around, cpu)]); });
            const int outer = machine.unit_of(around, unit.next(0));
            seen.set(outer, seen[outer] + 1);
        }
    }

    int operator[](int cpu) const { return position_[cpu]; }

private:
    CpuNumbers position_;
};

/// A CPU and its positions in the levels that count, the outermost first.
struct Located {
    int cpu;
    int position[levels];
};

/// All CPUs of a machine; none where there is no memory.
class Cpus {
public:
    explicit Cpus(const Machine& machine) {
        const int count = machine.count(thread_level);
        void* memory =
            platform::allocate(sizeof(Located) * static_cast<size_t>(count), alignof(Located));
        if (!memory)
            return;
        all_ = static_cast<Located*>(memory);
        for (int i = 0; i < count; ++i)
            ::new (&all_[count_++]) Located{machine.unit(thread_level, i).next(0), {}};
        int around = whole_machine;
        for (int level = 0; level < levels; ++level)
            if (machine.counts(level)) {
                const Positions positions(machine, level, around);
                for (int i = 0; i < count; ++i)
                    all_[i].position[depth_] = positions[all_[i].cpu];
                ++depth_;
                around = level;
            }
    }
    ~Cpus() { platform::deallocate(all_); }
    Cpus(const Cpus&) = delete;
    Cpus& operator=(const Cpus&) = delete;

    /// Sorts so that the `inner` innermost levels come first, from the inside, and then the others,
    /// from the outside.
    void sort(int inner) {
        std::sort(all_, all_ + count_, [this, inner](const Located& a, const Located& b) {
            for (int i = 0; i < depth_; ++i) {
                const int level = i < inner ? depth_ - 1 - i : i - inner;
                if (a.position[level] != b.position[level])
                    return a.position[level] < b.position[level];
            }
            return a.cpu < b.cpu;
        });
    }

    int depth() const { return depth_; }
    int count() const { return count_; }
    int operator[](int i) const { return all_[i].cpu; }

private:
    Located* all_ = nullptr;
    int count_ = 0;
    int depth_ = 0;
};

/// How many of the innermost levels decide first.
int inner_levels(const KmpAffinity& affinity, int depth) {
    switch (affinity.type) {
    case AffinityType::compact:
        return affinity.permute < depth ? affinity.permute : 0;
    case AffinityType::scatter:
        return affinity.permute < depth ? depth - 1 - affinity.permute : 0;
    case AffinityType::physical:
        return 1;
    default:
        return 0;
    }
}

/// The level whose units are moved to when the positions are decided by `around`.
int level_around(const bool (&chosen)[levels], int level) {
    do
        --level;
    while (level >= 0 && !chosen[level]);
    return level; // whole_machine is what comes before 0
}
static_assert(whole_machine == -1);

/// Takes out of `cpus` what one layer of the subset does not name. False when the machine has no
/// such units.
bool keep_layer(const Machine& machine, const HwSubsetItem& item, int around, CpuSet& cpus) {
    const int level = level_of(item.unit);
    const int end = item.count == 0 ? PlaceList::longest : item.offset + item.count;
    const Positions positions(machine, level, around);
    int most = 0;
    for (int i = 0; i < machine.count(thread_level); ++i) {
        const int cpu = machine.unit(thread_level, i).next(0);
        const int position = positions[cpu];
        most = std::max(most, position + 1);
        if (position < item.offset || position >= end)
            cpus.remove(cpu);
    }
    return item.offset < most && (item.count == 0 || end <= most);
}

CpuSet restricted(const HwSubset& subset, const CpuSet& available, const char* root) {
    const Machine machine(available, root);
    bool chosen[levels];
    for (int level = 0; level < levels; ++level)
        chosen[level] = !subset.exact && (level == 0 || level >= core_level);
    for (int i = 0; i < subset.length; ++i)
        chosen[level_of(subset.items[i].unit)] = true;
    CpuSet left = available;
    bool fits = true;
    for (int i = 0; i < subset.length; ++i) {
        const HwSubsetItem& item = subset.items[i];
        fits = fits && keep_layer(machine, item, level_around(chosen, level_of(item.unit)), left);
    }
    if (fits && !left.empty())
        return left;
    platform::warn("KMP_HW_SUBSET: ignored, for this process cannot use that many units");
    return available;
}

/// The places of an explicit placement; false when none can be used.
bool listed_places(const Settings& settings, const Machine& machine, const CpuSet& available,
                   PlaceList& places) {
    PlaceList listed;
    config::parse_proclist(settings.places_text, listed);
    const int level = level_of(settings.kmp_affinity.granularity);
    for (int i = 0; i < listed.count(); ++i) {
        CpuSet place;
        listed[i].keep(available);
        for_each_cpu(listed[i],
                     [&](int cpu) { place.add(machine.unit(level, machine.unit_of(level, cpu))); });
        if (!place.empty())
            places.add(place);
    }
    if (places.count() == 0)
        platform::warn("KMP_AFFINITY: no place of the proclist has a CPU that this process may "
                       "use; using cores");
    else if (places.count() < listed.count())
        platform::warn("KMP_AFFINITY: places of the proclist without a CPU that this process may "
                       "use are left out");
    return places.count() > 0;
}

/// Appends the ranges of `set`: `0-3,8`.
void print_set(Text& out, const CpuSet& set) {
    for (int cpu = set.next(0); cpu >= 0;) {
        int last = cpu;
        while (last + 1 < CpuSet::capacity && set.has(last + 1))
            ++last;
        out << cpu;
        if (last > cpu)
            out << "-" << last;
        cpu = last + 1 < CpuSet::capacity ? set.next(last + 1) : -1;
        if (cpu >= 0)
            out << ",";
    }
}

} // namespace

CpuSet usable_cpus(const Settings& settings, const CpuSet& available, const char* root) {
    CpuSet usable = available;
    if (!settings.kmp_affinity.respect)
        if (const CpuSet online = online_cpus(root); !online.empty())
            usable = online;
    if (settings.kmp_hw_subset.length == 0 ||
        settings.kmp_affinity.type == AffinityType::disabled || usable.empty())
        return usable;
    return restricted(settings.kmp_hw_subset, usable, root);
}

void read_kmp_places(const Settings& settings, const CpuSet& available, const char* root,
                     PlaceList& places) {
    const KmpAffinity& affinity = settings.kmp_affinity;
    const Machine machine(available, root);
    if (affinity.type == AffinityType::explicit_) {
        if (!listed_places(settings, machine, available, places))
            read_topology(config::PlaceUnit::cores, PlaceList::longest, available, root, places);
        return;
    }
    const bool balanced = affinity.type == AffinityType::balanced;
    const int level = balanced ? core_level : level_of(affinity.granularity);
    Cpus cpus(machine);
    const int count = balanced ? machine.count(core_level) : cpus.count();
    if (cpus.count() == 0)
        return;
    int64_t skipped = affinity.offset;
    if (affinity.type == AffinityType::logical || affinity.type == AffinityType::physical)
        skipped *= cpus.count() / machine.count(core_level);
    cpus.sort(inner_levels(affinity, cpus.depth()));
    for (int i = 0; i < count; ++i) {
        const int number = static_cast<int>((i + skipped) % count);
        if (balanced)
            places.add(machine.unit(core_level, number));
        else
            places.add(machine.unit(level, machine.unit_of(level, cpus[number])));
    }
}

void describe_places(const CpuSet& available, const char* root, const PlaceList& places) {
    const Machine machine(available, root);
    char buffer[480];
    Text line(buffer, sizeof buffer);
    line << "KMP_AFFINITY: CPUs ";
    print_set(line, available);
    line << ": ";
    for (int level = 0; level < levels; ++level)
        line << machine.count(level) << " " << config::unit_name(outermost_first[level])
             << (machine.count(level) == 1 ? "" : "s") << (level < thread_level ? ", " : "");
    platform::warn(line.c_str());
    const Positions positions[levels] = {{machine, 0, whole_machine},
                                         {machine, 1, 0},
                                         {machine, 2, 0},
                                         {machine, core_level, 0},
                                         {machine, thread_level, core_level}};
    for (int i = 0; i < machine.count(thread_level); ++i) {
        const int cpu = machine.unit(thread_level, i).next(0);
        line.cut(0);
        line << "KMP_AFFINITY: CPU " << cpu << ":";
        for (int level = 0; level < levels; ++level)
            line << " " << config::unit_name(outermost_first[level]) << " "
                 << positions[level][cpu];
        platform::warn(line.c_str());
    }
    for (int i = 0; i < places.count(); ++i) {
        line.cut(0);
        line << "KMP_AFFINITY: place " << i << ": CPUs ";
        print_set(line, places[i]);
        platform::warn(line.c_str());
    }
    if (places.count() == 0)
        platform::warn("KMP_AFFINITY: threads are not bound");
}

} // namespace heddle::place
