// SPDX-License-Identifier: Apache-2.0
// How a waiting thread spends its time: poll, then yield the core, then it should park.
// Used by every loop that waits for another thread; one object is one episode of waiting, used by
// one thread. The limits come from team/cpu_pressure, which knows OMP_WAIT_POLICY and the CPUs.
// docs/waiting.md has the states and the reasons.
#pragma once

#include "concurrent/cpu_share.hpp"
#include "concurrent/nap.hpp"
#include "concurrent/spin_budget.hpp"

namespace heddle::concurrent {

/// As WaitLimits::yields: none, and no parking as long as all threads of the process have a CPU.
inline constexpr uint32_t for_ever = 0xffffffff;

/// Bounds of one episode: polls with a pause between them, then yields, then parking.
struct WaitLimits {
    uint32_t spins;
    uint32_t yields;
    CpuShare* share = nullptr; ///< is told when others interrupt a spin; nullptr: nobody is
};

/// The longest pause between two polls of a lock, in pauses of the core: about 1.5 us.
inline constexpr uint32_t longest_pause = 64;

/// What waiting needs of the platform; tests bring one with a script.
struct WaitingPlatform {
    static void relax() { platform::relax(); }
    static void yield() { platform::yield(); }
    static void nap(uint64_t ns) { concurrent::nap(ns); }
    static uint64_t now_ns() { return platform::now_ns(); }
    static uint64_t process_cpu_ns() { return platform::process_cpu_ns(); }
    static uint64_t preempted() { return platform::stops().preempted; }
};

template <class Platform>
class WaitingOn {
public:
    explicit WaitingOn(WaitLimits limits) : limits_(limits), allowed_(limits.spins) {
        begin(limits.spins);
    }

    /// The same with what the thread has learnt from such waits; ended() tells it more.
    WaitingOn(WaitLimits limits, const SpinBudget& budget) : WaitingOn(limits) {
        if (!limits.share || !limits.share->adapts())
            return;
        limits_.spins = budget.polls(limits.spins);
        begin(limits_.spins);
    }

    /// What the thread waits for may have come while it was stopped: no look has told so then, and
    /// who computes here in turn with its spin would never be noticed.
    ~WaitingOn() {
        CpuShare* const share = limits_.share;
        if (HEDDLE_LIKELY(last_look_ == 0) || tries_ >= spins_ || !share || !share->adapts())
            return; // short, or not in a spin any more
        const uint64_t now = Platform::now_ns(), lost = now - last_look_;
        if (lost > late_ns)
            is_taken(*share, now, lost);
    }

    /// True: poll again. False: the budget is spent, park (or begin a new episode).
    bool again() {
        if (HEDDLE_LIKELY(tries_ < next_look_)) {
            if (tries_++ >= eager_tries)
                Platform::relax();
            return true;
        }
        return look();
    }

    /// Something has happened: a new episode, with the limits of now.
    void restart(WaitLimits limits) {
        limits_ = limits;
        allowed_ = limits.spins;
        began_ = 0;
        begin(limits.spins);
    }

    /// The thread has slept for a while and goes on waiting: it polls only for a moment. Or it has
    /// not `found_sleep`, for what it waits for changes so fast: then it polls for as long as ever.
    /// If that is short, too, it stays away, from the third time in a row on and for longer each
    /// time. Else all such threads stand in line for a lock of the system's, and behind them who
    /// makes the changes and has to wake them.
    void rest(bool found_sleep = true) {
        if (HEDDLE_UNLIKELY(!found_sleep) && (limits_.spins > short_spin || limits_.yields != 0))
            return begin(limits_.spins);
        if (found_sleep)
            refusals_ = 0;
        else if (++refusals_ > tolerated_refusals)
            nap_alone();
        begin(limits_.spins < short_spin ? limits_.spins : short_spin);
    }

    /// The wait is over, and the thread has slept in it: `budget` learns how long that took.
    void ended(SpinBudget& budget) const {
        if (began_ != 0)
            budget.slept(Platform::now_ns() - began_, allowed_);
    }

    /// Polls before the first pause: a pause is as long as the hand-over of a line, so a barrier of
    /// two threads takes 71 ns with this and 85 without. No yields in between: Linux then leaves
    /// two threads that hand over often on one CPU, and lets another process run for many slices.
    static constexpr uint32_t eager_tries = 16;
    /// Polls before the clock is read for the first time, about 25 us, and then between two looks.
    static constexpr uint32_t first_look = 1024, look_interval = 256;
    /// Polls before a spin asks for passers, and between its yields for them.
    static constexpr uint32_t passers_interval = 64;
    /// A look that comes so late: something else may have run on this CPU. Interrupts are shorter,
    /// parts of a small matrix product that another library's thread does there are not.
    static constexpr uint64_t late_ns = 50'000;
    static constexpr uint32_t short_spin = 64;
    /// Naps of a thread that finds no sleep otherwise: as long as a wake-up takes, and in the end.
    static constexpr uint64_t first_nap_alone_ns = 50'000, longest_nap_alone_ns = 1'000'000;
    /// A notification that others have heeded may come late: one that the last barrier has opened.
    static constexpr uint32_t tolerated_refusals = 2;

private:
    [[gnu::noinline]] void nap_alone() {
        constexpr uint32_t most_doublings = 8;
        const uint32_t doublings = refusals_ - tolerated_refusals - 1;
        const uint64_t nap = first_nap_alone_ns
                             << (doublings < most_doublings ? doublings : most_doublings);
        Platform::nap(nap < longest_nap_alone_ns ? nap : longest_nap_alone_ns);
    }

    void begin(uint32_t spins) {
        spins_ = spins;
        tries_ = 0;
        next_look_ = spins < passers_interval ? spins : passers_interval;
        last_look_ = 0;
    }

    /// What again() does rarely, out of the way of short waits.
    [[gnu::noinline]] bool look() {
        if (tries_ < spins_) {
            if (const uint32_t polls = polls_to_next_look()) {
                next_look_ = spins_ - tries_ < polls ? spins_ : tries_ + polls;
                ++tries_;
                Platform::relax();
                return true;
            }
            spins_ = next_look_ = tries_;
        }
        if (limits_.yields == for_ever) {
            if (limits_.share->has_room() && is_allowed(for_ever)) {
                begin(limits_.spins);
                return true;
            }
        } else if (tries_ - spins_ < limits_.yields && is_allowed(limits_.yields)) {
            next_look_ = ++tries_;
            return yield();
        }
        if (limits_.share && limits_.share->adapts()) {
            const uint64_t now = Platform::now_ns();
            limits_.share->look_at_time(now);
            if (began_ == 0)
                began_ = now;
        }
        return false;
    }

    /// 0: the spin is over.
    uint32_t polls_to_next_look() {
        CpuShare* const share = limits_.share;
        const bool yields = share && HEDDLE_UNLIKELY(share->passers.any()) && share->adapts() &&
                            yield_to_passers(*share);
        if (tries_ < first_look && !yields)
            return first_look - tries_;
        if (!may_go_on())
            return 0;
        return yields ? passers_interval : look_interval;
    }

    bool yield_to_passers(CpuShare& share) {
        const uint64_t began = Platform::now_ns();
        if (!share.passers.want_yields(began))
            return false;
        Platform::yield();
        const uint64_t now = Platform::now_ns();
        const uint64_t preempted = preempted_;
        if (last_look_ == 0)
            begin_to_watch(share);
        else
            count_stops(share);
        last_look_ = now;            // the time that they took was given
        if (preempted_ != preempted) // or the whole machine was stopped
            share.passers.yielded(now, now - began);
        return true;
    }

    /// False: other processes have got the CPU for it, and would get it again.
    bool yield() {
        CpuShare* const share = limits_.share;
        if (!share || !share->adapts()) {
            Platform::yield();
            return true;
        }
        uint64_t began = Platform::now_ns(), used = 0;
        const bool asks = share->is_in_doubt(began) && share->may_ask(began);
        if (asks) {
            used = Platform::process_cpu_ns();
            const uint64_t asked = Platform::now_ns();
            share->note_answer(asked, asked - began);
            began = asked;
        }
        Platform::yield();
        const uint64_t now = Platform::now_ns(), lost = now - began;
        share->yield_times.note(now, lost);
        if (HEDDLE_LIKELY(lost < slice_ns))
            return true;
        share->doubt(now);
        if (!asks || Platform::process_cpu_ns() - used > lost / 2)
            return true; // a thread of ours ran, here or elsewhere
        share->interrupted(now, lost);
        limits_.yields = 0;
        return false;
    }

    /// By the settings, which may have changed since the wait began.
    bool is_allowed(uint32_t tries) const {
        return !limits_.share || tries <= limits_.share->most_spins();
    }

    /// In a long spin: is there time left, and is this CPU ours?
    bool may_go_on() {
        CpuShare* const share = limits_.share;
        if (!share)
            return true;
        if (last_look_ == 0) {
            begin_to_watch(*share);
            return true;
        }
        if (!is_allowed(spins_))
            return false;
        if (!share->adapts())
            return true;
        if (share->is_shared())
            return false; // another thread has found out
        const uint64_t now = Platform::now_ns();
        const uint64_t lost = now - last_look_;
        last_look_ = now;
        if (HEDDLE_UNLIKELY(lost > late_ns) && is_taken(*share, now, lost)) {
            limits_.yields = 0; // whoever it is would run for a whole slice
            return false;
        }
        return now - spin_began_ < uint64_t{spins_} * poll_ns;
    }

    /// After a look that came late: do others run on this CPU, as far as the process knows now? The
    /// host of a virtual machine stops it for as long, and a lookout of our own wakes for a moment:
    /// the two together must not pass for others.
    bool is_taken(CpuShare& share, uint64_t now, uint64_t lost) {
        const uint64_t preempted = preempted_;
        const uint32_t naps = naps_;
        count_stops(share);
        const uint64_t ours = lost < slice_ns ? naps_ - naps : 0;
        return preempted_ - preempted > ours && share.interrupted(now, lost);
    }

    void count_stops(const CpuShare& share) {
        preempted_ = Platform::preempted();
        naps_ = share.naps();
    }

    void begin_to_watch(const CpuShare& share) {
        last_look_ = spin_began_ = Platform::now_ns();
        if (began_ == 0)
            began_ = last_look_;
        if (share.adapts())
            count_stops(share);
    }

    WaitLimits limits_;
    uint32_t allowed_;   ///< polls, but for what a budget knows
    uint32_t spins_;     ///< polls of the current spin
    uint32_t tries_;     ///< so far in it
    uint32_t next_look_; ///< the try at which again() thinks twice
    uint64_t began_ = 0; ///< about when the episode did, if it lasted long enough to ask
    uint64_t last_look_; ///< 0: none in this spin
    uint64_t spin_began_ = 0, preempted_ = 0; // valid after the first look
    uint32_t naps_ = 0;                       // likewise
    uint32_t refusals_ = 0;                   ///< of sleeps, in a row
};

using Waiting = WaitingOn<WaitingPlatform>;

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
