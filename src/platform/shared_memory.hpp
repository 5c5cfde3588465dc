// SPDX-License-Identifier: Apache-2.0
// A machine whose threads meet in shared memory alone: of what the contract calls means of its own
// it has none, which the compiler knows, so every use of them vanishes.
// Included by the platforms of Linux and of the explorer; sim/platform/own_means.hpp has others.
#pragma once

namespace heddle::platform::own {

/// Is there anything at all below that a model could choose?
inline constexpr bool exists = false;

/// Locks other than a word that threads poll; the word is then theirs.
inline constexpr bool has_locks() { return false; }
inline void lock(Atomic<uint32_t>&) {}
inline bool try_lock(Atomic<uint32_t>&) { return false; }
inline void unlock(Atomic<uint32_t>&) {}

/// Does a read-modify-write take no longer than a load, for both are done where the word is?
inline constexpr bool has_memory_atomics() { return false; }

/// Signals that wake the one thread which waits for a word to become another.
inline constexpr bool has_signals() { return false; }
inline void await_signal(Atomic<uint32_t>&, uint32_t) {}
inline void signal(Atomic<uint32_t>&, uint32_t) {}

/// Are large teams to do without trees, so that all meet in one word?
inline constexpr bool is_central() { return false; }

/// Is the first thread of a team to execute single regions, so that none has to be found?
inline constexpr bool elects_first() { return false; }

/// What the calling thread uses most.
inline void keep_near(const void*, size_t) {}

/// A barrier that needs no memory, for some of the teams; as TeamBarrier::Place.
class Barrier {
public:
    /// By the primary, when its team of `size` is complete.
    static void begin_region(const void* team, int32_t size, bool has_new_threads);
    /// By each member, at each barrier of the team: is it one of these?
    static bool serves(const void* team, int32_t size);
    /// By a member that has deferred a task.
    static void announce_tasks(const void* team);
};

} // namespace heddle::platform::own
