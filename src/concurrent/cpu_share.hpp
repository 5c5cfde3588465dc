// SPDX-License-Identifier: Apache-2.0
// Are the CPUs on which this process spins its own? Learns from threads that were made to stop
// while they spun: for a while nobody spins, then it is tried again, ever more rarely if in vain.
// Called by every wait, on any thread. Relaxed: a statistic that publishes nothing.
// The time is an argument, so that tests can write the script.
#pragma once

#include "concurrent/check.hpp"

namespace heddle::concurrent {

class CpuShare {
public:
    /// `cpus` are granted to the process; if it `adapts`, it learns whether others run there. Spins
    /// that go on for longer than `most_spins` polls, by earlier settings, end.
    void set(int32_t cpus, bool adapts, uint32_t most_spins) {
        most_spins_.store(most_spins, platform::relaxed);
        if (adapts && this->adapts() && cpus == cpus_.load(platform::relaxed))
            return; // and what was learnt stays
        cpus_.store(cpus, platform::relaxed);
        adapts_.store(adapts, platform::relaxed);
        state_.store(own(), platform::release); // pairs with interrupted()
    }
    /// In a forked child: what was learnt is the parent's.
    void forget() {
        pause_.store(0, platform::relaxed);
        tried_.store(0, platform::relaxed);
        interrupted_.store(0, platform::relaxed);
        doubted_.store(0, platform::relaxed);
        state_.store(own(), platform::relaxed);
    }

    bool adapts() const { return adapts_.load(platform::relaxed) != 0; }

    /// How many threads may spin at the same time: as many as CPUs are granted, or none.
    int32_t spinners() const { return static_cast<int32_t>(state_.load(platform::relaxed)); }
    bool is_shared() const { return state_.load(platform::relaxed) >> 32 != 0; }

    /// A spinning thread was stopped for `lost_ns`, for somebody else to run. False: that may have
    /// been for once.
    bool interrupted(uint64_t now_ns, uint64_t lost_ns) {
        uint64_t state = own();
        const uint32_t now = milliseconds(now_ns);
        const uint32_t before = now - interrupted_.exchange(now, platform::relaxed);
        // Soon after the last pause: whoever it was is still there, and trying was in vain.
        const uint32_t last = pause_.load(platform::relaxed);
        const bool again = last != 0 && now - tried_.load(platform::relaxed) < last;
        if (!again && before > first_pause && lost_ns < slice_ns)
            return false; // a service of the system, for once
        const uint32_t pause = !again ? first_pause : last < longest_pause ? last * 2 : last;
        const uint32_t until = (now + pause) | 1; // 0 is for CPUs of our own
        // acquire: pairs with set(). Who asked for another policy meanwhile gets it.
        if (!state_.compare_exchange_strong(state, uint64_t{until} << 32, platform::acquire,
                                            platform::relaxed))
            return true;
        if (adapts())
            pause_.store(pause, platform::relaxed);
        else
            state_.store(own(), platform::relaxed);
        return true;
    }

    /// One of our own threads has woken to look after the others, perhaps on the CPU of one that
    /// spins. How often that was, modulo 2^32.
    void note_nap() { naps_.fetch_add(1, platform::relaxed); }
    uint32_t naps() const { return naps_.load(platform::relaxed); }

    /// A yield took a whole slice, of another process or of a thread of ours: for a while, waits
    /// find out whose it is.
    void doubt(uint64_t now_ns) { doubted_.store(milliseconds(now_ns) | 1, platform::relaxed); }
    bool is_in_doubt(uint64_t now_ns) const {
        const uint32_t since = doubted_.load(platform::relaxed);
        return since != 0 && milliseconds(now_ns) - since + 1 <= doubt_lasts;
    }

    /// A thread begins to wait, or is about to sleep: has the time without spinning ended?
    void look_at_time(uint64_t now_ns) {
        uint64_t state = state_.load(platform::relaxed);
        const uint32_t now = milliseconds(now_ns);
        if (state >> 32 == 0 || static_cast<int32_t>(now - static_cast<uint32_t>(state >> 32)) < 0)
            return;
        if (state_.compare_exchange_strong(state, own(), platform::relaxed, platform::relaxed))
            tried_.store(now, platform::relaxed);
    }

    uint32_t most_spins() const { return most_spins_.load(platform::relaxed); }

    /// Milliseconds without spinning. A try costs up to a time slice of 4 ms, so it takes 1% of the
    /// time at most in the end; and after 640 ms at the latest an empty machine is noticed.
    static constexpr uint32_t first_pause = 20, longest_pause = 640;

    /// Milliseconds in which yields are followed after one that took long. To ask what the process
    /// has used takes as long as a quick yield, so it is not done always.
    static constexpr uint32_t doubt_lasts = 100;

    /// Whoever has a CPU for so long computes.
    static constexpr uint64_t slice_ns = 1'000'000;

private:
    uint64_t own() const { return static_cast<uint32_t>(cpus_.load(platform::relaxed)); }
    static uint32_t milliseconds(uint64_t ns) { return static_cast<uint32_t>(ns / 1'000'000); }

    platform::Atomic<uint64_t> state_{1}; ///< {end of the time without spinning or 0, spinners}
    platform::Atomic<int32_t> cpus_{1};
    platform::Atomic<uint32_t> adapts_{0};
    platform::Atomic<uint32_t> most_spins_{~uint32_t{0}};
    platform::Atomic<uint32_t> pause_{0};       ///< the last one's length; ms
    platform::Atomic<uint32_t> tried_{0};       ///< when spinning was allowed again; ms
    platform::Atomic<uint32_t> interrupted_{0}; ///< when a spin was, for the last time; ms
    platform::Atomic<uint32_t> doubted_{0};     ///< when a yield took a slice; ms, 0: never
    platform::Atomic<uint32_t> naps_{0};
};

} // namespace heddle::concurrent
