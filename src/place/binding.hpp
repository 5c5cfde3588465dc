// SPDX-License-Identifier: Apache-2.0
// Where the threads of a team go (OpenMP 5.2 section 10.1.3), and a thread's affinity mask.
// Called by team/placement on the thread concerned; a ThreadBinding belongs to its thread. The
// assignment is a function of values, so that every thread of a team can find its own place.
#pragma once

#include "config/control_variables.hpp"
#include "config/cpu_set.hpp"

namespace heddle::place {

/// place-partition-var: places first to first+count-1. A count of 0 is all places of the process.
struct Partition {
    int32_t first = 0;
    int32_t count = 0;
    bool operator==(const Partition&) const = default;
};

/// An implicit task's place and place-partition-var.
struct Position {
    int32_t place = 0;
    Partition partition;
    bool operator==(const Position&) const = default;
};

/// What decides the positions of a team: its policy, and the position of the thread that meets the
/// parallel construct, whose place is in its partition, which has a count of 1 or more.
struct Placement {
    config::ProcBind policy = config::ProcBind::false_;
    Position parent;
    bool in_turn = false; ///< under `true`, threads that exceed the places begin anew, as in libomp
    bool operator==(const Placement&) const = default;
};

/// The position of thread `number` of `threads`. Where threads do not divide by places, or places
/// by threads, the first ones get one more. Thread 0 stays at its place, also under `spread`, where
/// the others are at the first places of their parts. The policy `true` is `close`, but for
/// `in_turn`.
Position position_of(const Placement& placement, int32_t threads, int32_t number);

/// Where one thread is bound.
struct ThreadBinding {
    int32_t place = -1;                ///< where this thread is bound, -1: it is not
    config::CpuSet* outside = nullptr; ///< the mask to go back to, of threads of the user
    // Of those, too: see bind_root_for_region().
    bool is_assumed = false;    ///< it runs at its place, but the system may move it
    uint32_t short_regions = 0; ///< the last ones, in a row
    uint64_t region_began = 0;  ///< ns
};

/// Binds the calling thread, when it is not bound there already, to a place of places(). A refusal
/// is one warning in the life of the process.
void bind_thread(ThreadBinding& binding, int32_t place);

/// The same for a thread of the user, which unbind_root() gives the mask back that it has now.
void bind_root(ThreadBinding& binding, int32_t place);
void unbind_root(ThreadBinding& binding);

inline constexpr uint32_t many_regions = 64; ///< see next

/// bind_root() and unbind_root() at the begin and the end of a region. Three system calls are a lot
/// for a short one: after many of those in a row, where the thread runs at that place anyway, it
/// only counts as bound. The other threads of its team are bound, so the system has no reason to
/// move it for a moment; where it has, the next region finds out.
void bind_root_for_region(ThreadBinding& binding, int32_t place);
void unbind_root_after_region(ThreadBinding& binding);

/// For a child of fork(): its thread may use the CPUs again that it might without binding.
void unbind_in_forked_child(ThreadBinding& binding);

/// For the initial thread: a libgomp that was loaded beside us has bound it to its first place.
/// Gives it the CPUs back that it had before.
void undo_foreign_binding();

} // namespace heddle::place
