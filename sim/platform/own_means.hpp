// SPDX-License-Identifier: Apache-2.0
// The means of a chip without caches (Cyclops-64 paper, section 5), for the runtime's layers. Which
// of them are in use the model says (machine/chip_runtime.hpp); on machines with caches none is.
// platform/shared_memory.hpp has the same names for platforms that have nothing of the kind.
// Implemented by chip.cpp, chip_locks.cpp and chip_barrier.cpp.
#pragma once

namespace heddle::platform::own {

inline constexpr bool exists = true;

/// Locks with a queue in which threads sleep: MCS with nodes in the scratchpads, or a mutex.
bool has_locks();
void lock(Atomic<uint32_t>& word);
bool try_lock(Atomic<uint32_t>& word);
void unlock(Atomic<uint32_t>& word);

bool has_memory_atomics();

/// await_signal() by the only thread that ever does for that word: returns once it is not `seen`.
bool has_signals();
void await_signal(Atomic<uint32_t>& word, uint32_t seen);
void signal(Atomic<uint32_t>& word, uint32_t value);

bool is_central();
bool elects_first();

/// In the calling thread's scratchpad, as long as there is room.
void keep_near(const void* address, size_t bytes);

/// What a thread takes to find its own descriptor, and to read from it for the first time.
void charge_self();

/// A team's barrier on the signal bus. Three lines count the barriers modulo 3: who has not
/// arrived at barrier n drives line n mod 3. Who arrives drives the next one instead, and line n is
/// down when all have; nobody drives it again before all have seen that. A fourth line says that
/// somebody is about to turn active again, a fifth that tasks were deferred in this region. So a
/// bus of 16 lines serves three teams; others meet in memory.
class Barrier {
public:
    static void begin_region(const void* team, int32_t size, bool has_new_threads);
    /// At the first of its barriers a team still meets in memory: each of its threads must drive
    /// its line before anybody reads the bus.
    static bool serves(const void* team, int32_t size);
    static void announce_tasks(const void* team);

    explicit Barrier(const void* team);

    /// Returns when all have arrived, or when tasks were deferred: there is more to do than to
    /// wait. True: all have.
    bool arrive(uint32_t& epoch);
    bool rejoin(uint32_t epoch);
    bool completed(uint32_t epoch);
    /// As of the last look at the bus.
    bool has_tasks() const { return has_tasks_; }

private:
    struct Group& group_;
    bool has_tasks_ = false;
};

} // namespace heddle::platform::own
