// SPDX-License-Identifier: Apache-2.0
// Which host a thread of the pool serves, and so which CPUs it may use: those of its host, as if
// that had made it, and not of one that had it before and was pinned elsewhere. What the program
// has done to the thread's mask by hand stays, though, unless the hosts' masks differ. Called by a
// thread that takes others from the pool; while it has them it alone writes.
#pragma once

#include "platform.hpp"

namespace heddle::team {

struct Team;
struct Worker;

struct ServedHost {
    uint32_t host = 0; ///< a number, of a host its own; 0: none yet
    uint64_t cpus = 0; ///< fingerprint of the mask that it has from there; 0: none yet
    /// Of the system, written by the thread as it starts. Relaxed: 0, it may be set the next time.
    platform::Atomic<int32_t> thread_id{0};
};

/// The calling thread becomes a host.
void begin_hosting(Worker& host);

/// The threads of `team` from number `first` on are new in it. Those that served another host get
/// the mask of the calling thread, its primary, but not where places bind threads; and nothing is
/// said if the system refuses.
void serve_host_of(const Team& team, int first);

} // namespace heddle::team
