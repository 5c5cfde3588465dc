// SPDX-License-Identifier: Apache-2.0
// Do tasks wait for threads, though those that run them are busy, one for each CPU? Who
// has left them the tasks asks now and then, for tasks may block, or wait for each other, and the
// program has asked for more threads than run them. Used by team/lookout and, at barriers, by
// threads that stand back. Reads words of all members, relaxed. docs/protocols/stand-in.md.
#pragma once

#include "team/team.hpp"

namespace heddle::team {

/// What one thread has seen of them.
class TaskWatch {
public:
    /// After a nap: is one more thread to run tasks?
    bool wants_thread(const Team& team, int size);
    /// When that said so: do they block, as far as it knows, rather than compute for long?
    bool tasks_block() const { return tasks_block_; }

private:
    void begin(uint64_t now);

    uint64_t position_ = 0;       ///< of all deques, at the last nap
    uint64_t still_since_ns_ = 0; ///< it was the same
    /// When it began to count the CPU time of the process, or 0, and how much that was then.
    uint64_t began_ns_ = 0, used_by_ns_ = 0;
    bool tasks_block_ = false;
};

} // namespace heddle::team
