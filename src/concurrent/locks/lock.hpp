// SPDX-License-Identifier: Apache-2.0
// The interface of the five locks of the Cyclops-64 paper, section 5.2.1, and what they share.
// Used by bench/locks and the simulator's workload `locks`, which compare them with each other and
// with the locks of OpenMP programs.
// A node belongs to one thread and one lock from lock() or a successful try_lock() to unlock().
// Protocols: docs/protocols/spin-locks.md, docs/protocols/mcs-lock.md.
#pragma once

#include "concurrent/waiting.hpp"

#include <concepts>

namespace heddle::concurrent {

/// What a thread brings to a lock without a queue.
struct NoNode {};

/// A lock with a place in its queue, the node, that the caller supplies, on its stack for example.
/// lock() returns when the caller holds the lock; the limits say how often it polls before it
/// yields the CPU at each poll, or sleeps. Zeroed memory need not be a free lock.
template <class L>
concept Lock = requires(L lock, typename L::Node node, WaitLimits limits) {
    { lock.lock(node, limits) } -> std::same_as<void>;
    { lock.try_lock(node) } -> std::same_as<bool>;
    { lock.unlock(node) } -> std::same_as<void>;
};

/// Between two polls of a lock that never sleeps.
inline void pause_between_polls(Waiting& waiting) {
    if (!waiting.again())
        platform::yield(); // its holder, or who comes before us, may have been preempted
}

} // namespace heddle::concurrent
