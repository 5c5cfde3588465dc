// SPDX-License-Identifier: Apache-2.0
// What only teams of many threads have: a tree of barrier nodes, shaped like the machine where
// threads are bound, and a fork that workers pass on to each other.
// Trees are made and chosen by the primary before the region; workers find them in the team.
// Old ones are kept, for threads may still be on their way out of a barrier.
#pragma once

#include "concurrent/tree_barrier.hpp"
#include "team/worker.hpp"

namespace heddle::team {

/// Teams of more threads have a barrier tree, and their fork is passed on. On 16 CPUs that share a
/// cache both are slower than one line that all threads write in turn and one that they poll
/// (docs/protocols/team-barrier.md); where more threads need the tree the simulator tells.
inline constexpr int32_t largest_central_team = 16;

inline bool is_large(int32_t size) {
    return HEDDLE_UNLIKELY(size > largest_central_team) && !platform::own::is_central();
}

/// In teams of more threads, while each has a CPU, the primary posts to the first ones, which pass
/// the fork on; in large teams always. Measured on 16 CPUs: 8 threads lose by that what 16 gain, a
/// seventh.
inline constexpr int32_t largest_flat_fork = 11;

/// Thread n of such a team starts those from fork_width * n + 1 on. With 16 threads on 16 CPUs two
/// and eight are equal to four.
inline constexpr int fork_width = 4;

inline bool passes_fork_on(const Team& team) {
    return is_large(team.size) || (team.by_flags && team.size > largest_flat_fork);
}

/// The barriers' nodes of teams of one size and placement.
struct BarrierTrees {
    concurrent::TreeBarrier* region = nullptr;      ///< below Team::barrier
    concurrent::TreeBarrier* cancellable = nullptr; ///< below Team::cancellable_barrier
    int32_t size = 0;
    bool binds = false;
    place::Placement placement;
    BarrierTrees* next = nullptr; ///< in Team::known_trees
};

/// Readies the barriers of a large team, its trees if there is memory. By the primary, in form().
void prepare_large_barriers(Team& team);

/// Do its threads meet in a tree? Constant during the region.
inline bool has_trees(const Team& team) { return is_large(team.size) && team.trees; }

/// What TeamBarrier::reset() and arrive() need to know.
inline uint32_t barrier_width(const Team& team) {
    return has_trees(team) ? team.trees->region->root_width() : static_cast<uint32_t>(team.size);
}

/// Threads of the team that have not arrived at its barrier, up to about `enough`; a hint.
inline int32_t active_threads(const Team& team, int32_t enough) {
    if (has_trees(team))
        return static_cast<int32_t>(team.trees->region->active(static_cast<uint32_t>(enough)));
    return static_cast<int32_t>(team.barrier.active());
}

} // namespace heddle::team
