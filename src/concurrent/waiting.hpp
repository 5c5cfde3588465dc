// SPDX-License-Identifier: Apache-2.0
// How a waiting thread spends its time: poll, then yield the core, then it should park.
// Used by every loop that waits for another thread; one object is one episode of waiting, used by
// one thread. The limits come from team/cpu_pressure, which knows OMP_WAIT_POLICY and the CPUs.
#pragma once

#include "concurrent/check.hpp"

namespace heddle::concurrent {

/// Bounds of one episode: polls with a pause between them, then yields, then parking.
struct WaitLimits {
    uint32_t spins;
    uint32_t yields;
};

class Waiting {
public:
    explicit Waiting(WaitLimits limits) : limits_(limits) {}

    /// True: poll again. False: the budget is spent, park (or begin a new episode).
    bool again() {
        if (HEDDLE_LIKELY(tries_ < limits_.spins)) {
            if (tries_++ >= eager_tries)
                platform::relax();
            return true;
        }
        if (tries_ - limits_.spins < limits_.yields) {
            ++tries_;
            platform::yield();
            return true;
        }
        return false;
    }

    void restart() { tries_ = 0; }

private:
    /// Polls before the first pause: a pause is as long as the hand-over of a line, so a barrier of
    /// two threads takes 71 ns with this and 85 without. No yields in between: Linux then leaves
    /// two threads that hand over often on one CPU, and lets another process run for many slices.
    static constexpr uint32_t eager_tries = 16;

    WaitLimits limits_;
    uint32_t tries_ = 0;
};

/// Waits without parking for something that another running thread is about to do.
template <class Condition>
void wait_briefly(Condition&& condition) {
    for (uint32_t tries = 0; !condition(); ++tries) {
        if (tries < 128)
            platform::relax();
        else
            platform::yield(); // its holder may have been preempted
    }
}

} // namespace heddle::concurrent
