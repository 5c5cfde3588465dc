// SPDX-License-Identifier: Apache-2.0
// What the platform and workloads tell the engine, without its data structures: accesses to shared
// words, and computing. Outside a run nothing happens.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::sim {

/// The current thread reads, writes or changes atomically the word at that address. A store that
/// waits returns when the line is the core's own, as a sequentially consistent one does.
void charge_load(const void* word);
void charge_store(void* word, bool waits);
void charge_change(void* word);
void charge_prefetch_for_write(const void* word);
void charge_prefetch_for_read(const void* word);
void charge_fence(); ///< waits for the core's own stores

/// It pauses in a loop that polls, as the runtime does.
void charge_pause();

/// It computes for so many cycles; others run meanwhile.
void charge_cycles(uint64_t cycles);

/// It reads or writes a range of memory that lies in no cache: latency, and the bandwidth of the
/// nodes that its pages lie on. A page belongs to the node of who charges it first, unless it was
/// asked for elsewhere.
void charge_memory(const void* start, size_t bytes);

/// Virtual time since the run began, in nanoseconds. Costs nothing.
uint64_t virtual_ns();

} // namespace heddle::sim
