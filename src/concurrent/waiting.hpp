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
    /// `streak` belongs to the waiting thread and outlives the episode; see parks_instead().
    explicit Waiting(WaitLimits limits, uint32_t* streak = nullptr)
        : limits_(limits), streak_(streak),
          between_yields_(streak && *streak ? suspicious_between_yields : usual_between_yields) {}

    ~Waiting() {
        if (streak_)
            *streak_ = tries_ != 0 && is_yield(tries_) ? *streak_ + 1 : 0;
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

    /// True: poll again. False: the budget is spent, park (or begin a new episode).
    bool again() {
        if (HEDDLE_LIKELY(tries_ < limits_.spins)) {
            if (HEDDLE_UNLIKELY(is_yield(++tries_))) {
                if (parks_instead())
                    return false;
                platform::yield();
            } else if (tries_ > eager_tries) {
                platform::relax();
            }
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
    /// two threads takes 71 ns with this and 85 without.
    static constexpr uint32_t eager_tries = 16;
    /// Whom we wait for may stand behind us in this CPU's queue, however few threads we have:
    /// another process can take the other CPUs. A yield every 25 us costs 1% where it is in vain;
    /// after one that helped, every 3 us. Beside one busy process on two CPUs a region of two
    /// threads takes 22 to 27 us so, 210 with a yield every 0.4 ms, and up to 6900 without
    /// (libgomp: 0.6 to 1000).
    static constexpr uint32_t usual_between_yields = 1024, suspicious_between_yields = 128;
    static constexpr uint32_t longest_streak = 3;

    bool is_yield(uint32_t tries) const { return (tries & (between_yields_ - 1)) == 0; }

    /// A yield after which the wait is over at once means that the other thread runs on this CPU.
    /// The system leaves two threads that yield to each other together, though a CPU be idle (57 us
    /// a region for a whole run); it looks for an idle CPU when it wakes one up.
    bool parks_instead() {
        if (!streak_ || *streak_ < longest_streak)
            return false;
        *streak_ = 1;
        ++tries_; // no yield was made
        return true;
    }

    WaitLimits limits_;
    uint32_t tries_ = 0;
    uint32_t* streak_;
    uint32_t between_yields_; // a power of two
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
