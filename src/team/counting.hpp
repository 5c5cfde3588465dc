// SPDX-License-Identifier: Apache-2.0
// The places where the runtime counts, each one line there: nothing but a test of a word that the
// thread has at hand, unless the bit `counting` is set, for HEDDLE_STATS, a trace, a hang report or
// a tool. Fast paths have no such line: while it is set no task takes them.
// Called on the member's own thread; for the list of all workers' counters where one is made, in a
// forked child and at exit.
#pragma once

#include "team/worker.hpp"

namespace heddle::team {

inline bool counts(const Member& member) {
    return HEDDLE_UNLIKELY((member.deferring & counting) != 0);
}

inline void count(Member& member, Counter counter) {
    if (counts(member))
        member.worker->statistics.add(counter, 1);
}

/// A thief has run `tasks` tasks, and all that came of them, for `lasted_ns`; 0 when an older batch
/// of the thread contains that time.
inline void count_batch(Member& member, uint64_t tasks, uint64_t lasted_ns) {
    if (counts(member)) {
        member.worker->statistics.add_batch(tasks);
        member.worker->statistics.add(Counter::batch_ns, lasted_ns);
    }
}

void note_run(Member& member, bool stolen);
void note_idle(Member& member, tool::WaitKind kind);
void note_work(Member& member);
void note_wait_end(Member& member);

/// A deferred task is about to run, and is `stolen` or not: the thread has work.
inline void count_run(Member& member, bool stolen) {
    if (counts(member))
        note_run(member, stolen);
}

/// There is nothing to do, until a deferred task runs here or the wait ends. Called again and again
/// meanwhile.
inline void count_idle(Member& member, tool::WaitKind kind) {
    if (counts(member))
        note_idle(member, kind);
}

/// Lives as long as a wait: its end is the end of idleness.
struct EndOfIdleness {
    Member& member;
    ~EndOfIdleness() {
        if (counts(member))
            note_wait_end(member);
    }
};

/// A worker was made: its counters are printed when the process ends, if there is counting.
void list_statistics(Worker& worker);
/// In a forked child, which counts from zero: `survivor` is the only worker left, or nullptr.
void restart_statistics(Worker* survivor);
/// The newest entry of the list of counters; nullptr when it is empty.
const Statistics* all_statistics();

/// Prints what was counted, once, if anything was. When the process ends; the simulator, which does
/// not run destructors, calls it itself.
void print_statistics();

} // namespace heddle::team
