// SPDX-License-Identifier: Apache-2.0
// Choosing and making the barrier trees of a team: on the primary, between regions. Where threads
// are bound the machine's parts give the shape, else the threads' numbers.
#include "team/large_team.hpp"

#include "place/places.hpp"
#include "place/topology.hpp"
#include "team/cpu_pressure.hpp"

namespace heddle::team {

namespace {

using concurrent::TreeBarrier;

/// A team that changes its size or place more often keeps to one line for what comes then: trees
/// are never freed.
constexpr int most_trees = 8;

bool is_same(const place::Placement& a, const place::Placement& b) {
    return a.policy == b.policy && a.in_turn == b.in_turn && a.parent.place == b.parent.place &&
           a.parent.partition.first == b.parent.partition.first &&
           a.parent.partition.count == b.parent.partition.count;
}

bool fits(const BarrierTrees& trees, const Team& team) {
    return trees.size == team.size && trees.binds == team.binds &&
           (!team.binds || is_same(trees.placement, team.placement));
}

/// The parts of the machine, from the smallest: who shares a last-level cache, a NUMA domain.
constexpr int part_levels = 2;
constexpr config::PlaceUnit units[part_levels] = {config::PlaceUnit::ll_caches,
                                                  config::PlaceUnit::numa_domains};

/// In which part of each level the threads of a team are that has places.
class MachineParts {
public:
    explicit MachineParts(const Team& team) : size_(team.size) {
        const auto entries = static_cast<size_t>(team.size) * part_levels;
        parts_ =
            static_cast<int32_t*>(platform::allocate(entries * sizeof(int32_t), alignof(int32_t)));
        if (!parts_)
            return;
        const config::CpuSet online = place::online_cpus("");
        for (int level = 0; level < part_levels; ++level) {
            config::PlaceList list;
            place::read_topology(units[level], config::PlaceList::longest, online, "", list);
            for (int i = 0; i < size_; ++i)
                parts_[level * size_ + i] = part_of(team, i, list);
        }
    }
    ~MachineParts() { platform::deallocate(parts_); }
    MachineParts(const MachineParts&) = delete;
    MachineParts& operator=(const MachineParts&) = delete;

    bool known() const { return parts_ != nullptr; }
    int32_t of(int level, uint32_t thread) const {
        return parts_[level * size_ + static_cast<int32_t>(thread)];
    }

private:
    static int32_t part_of(const Team& team, int32_t number, const config::PlaceList& list) {
        const place::Position position = place::position_of(team.placement, team.size, number);
        const int cpu = place::places()[position.place].next(0);
        for (int i = 0; i < list.count(); ++i)
            if (cpu >= 0 && list[i].has(cpu))
                return i;
        return -1;
    }

    int32_t size_;
    int32_t* parts_;
};

TreeBarrier* make_tree(const Team& team) {
    const auto size = static_cast<uint32_t>(team.size);
    if (team.binds) {
        const MachineParts parts(team);
        if (parts.known())
            return TreeBarrier::create(size, part_levels, [&parts](int level, uint32_t thread) {
                return parts.of(level, thread);
            });
    }
    // Threads may be anywhere; neighbours by number often work on neighbouring data.
    return TreeBarrier::create(size, 0, [](int, uint32_t) { return 0; });
}

BarrierTrees* make_trees(const Team& team) {
    void* memory = platform::allocate(sizeof(BarrierTrees), alignof(BarrierTrees));
    if (!memory)
        return nullptr;
    auto* trees = ::new (memory) BarrierTrees;
    trees->size = team.size;
    trees->binds = team.binds;
    trees->placement = team.placement;
    trees->region = make_tree(team);
    trees->cancellable = trees->region ? make_tree(team) : nullptr;
    if (trees->cancellable)
        return trees;
    TreeBarrier::destroy(trees->region);
    platform::deallocate(trees);
    return nullptr;
}

/// Those for the team as it is now; nullptr when it has none and gets none.
BarrierTrees* find_trees(Team& team) {
    int known = 0;
    for (BarrierTrees* trees = team.known_trees; trees; trees = trees->next, ++known)
        if (fits(*trees, team))
            return trees;
    BarrierTrees* trees = known < most_trees ? make_trees(team) : nullptr;
    if (trees) {
        trees->next = team.known_trees;
        team.known_trees = trees;
    }
    return trees;
}

/// Few threads meet at a time where there are few CPUs for many, and a region on offer has one line
/// for all.
bool wants_trees(const Team& team) {
    return team.binds || !exceeds_cpus(team.size) || !config::settings().heddle.stand_in ||
           cpu_pressure.cpus.load(platform::relaxed) > largest_central_team;
}

} // namespace

void prepare_large_barriers(Team& team) {
    team.trees = wants_trees(team) ? find_trees(team) : nullptr;
    const uint32_t width = barrier_width(team);
    team.barrier.reset(width);
    team.cancellable_barrier.reset(width);
    if (!team.trees)
        return;
    // Threads that were in the tree's last barrier open their nodes on their way out; others would
    // not know that these are not open yet.
    if (team.has_new_threads || !team.trees->region->is_current(team.barrier))
        team.trees->region->reset(team.barrier);
    team.has_new_threads = false;
    // Its threads leave it as they like. Nobody is on the way out: it is not the last barrier.
    if (initial_attention.load(platform::relaxed) != 0)
        team.trees->cancellable->reset(team.cancellable_barrier);
}

} // namespace heddle::team
