// SPDX-License-Identifier: Apache-2.0
// Are the CPUs on which this process spins its own? Learns from threads that were made to stop
// while they spun: for a while nobody spins, then it is tried again, ever more rarely if in vain.
// Called by every wait, on any thread. Relaxed: a statistic that publishes nothing.
// The time is an argument, so that tests can write the script.
#pragma once

#include "concurrent/passers.hpp"
#include "concurrent/yield_times.hpp"

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
        doubted_.forget();
        next_question_.store(0, platform::relaxed);
        interrupted_.store(0, platform::relaxed);
        in_a_row_.store(0, platform::relaxed);
        threads_.store(1, platform::relaxed);
        passers.forget();
        yield_times.forget();
        state_.store(own(), platform::relaxed);
    }

    /// So many threads of the process take part in regions, or wait for them.
    void note_threads(int32_t threads) { threads_.store(threads, platform::relaxed); }
    /// Has each of them a CPU?
    bool has_room() const {
        return threads_.load(platform::relaxed) <= cpus_.load(platform::relaxed);
    }

    bool adapts() const { return adapts_.load(platform::relaxed) != 0; }

    /// How many threads may spin at the same time: as many as CPUs are granted, or none.
    int32_t spinners() const { return static_cast<int32_t>(state_.load(platform::relaxed)); }
    bool is_shared() const { return state_.load(platform::relaxed) >> 32 != 0; }

    /// A spinning thread was stopped for `lost_ns`, for somebody else to run. False: that is no
    /// reason not to spin, services of the system take as much now and then.
    bool interrupted(uint64_t now_ns, uint64_t lost_ns) {
        uint64_t state = own();
        const uint32_t now = milliseconds(now_ns);
        const uint32_t last = pause_.load(platform::relaxed);
        const uint32_t since = now - tried_.load(platform::relaxed);
        const bool is_soon = last != 0 && since <= soon;
        if (!is_third_in_a_row(now) && !is_soon && lost_ns < slice_ns)
            return false;
        const uint32_t pause = next_pause(last, since, lost_ns);
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
    /// The same for a thread of the program and the one that waits for its end.
    void note_passer(uint64_t now_ns) {
        passers.note(now_ns);
        if (!passers.are_refused(now_ns))
            naps_.fetch_add(2, platform::relaxed);
    }
    uint32_t naps() const { return naps_.load(platform::relaxed); }

    /// A yield took a whole slice, of another process or of a thread of ours: for a while, waits
    /// find out whose it is.
    void doubt(uint64_t now_ns) { doubted_.note(now_ns); }
    bool is_in_doubt(uint64_t now_ns) const { return doubted_.within(now_ns, doubt_lasts); }

    /// What the process has used, the system adds up from each of its threads: with a thousand that
    /// takes longer than the yields. Then it is asked for more rarely.
    bool may_ask(uint64_t now_ns) const { return now_ns >= next_question_.load(platform::relaxed); }
    /// The last answer came now, and took so long.
    void note_answer(uint64_t now_ns, uint64_t took_ns) {
        if (HEDDLE_UNLIKELY(took_ns > long_answer_ns))
            next_question_.store(now_ns + took_ns * worth_an_answer, platform::relaxed);
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

    YieldTimes yield_times; ///< of threads that exceed the CPUs, while it adapts
    Passers passers;        ///< noted by note_passer()

    /// Milliseconds without spinning. A try costs up to a time slice of 4 ms, so it takes 1% of the
    /// time at most in the end; and after 640 ms at the latest an empty machine is noticed.
    static constexpr uint32_t first_pause = 5, longest_pause = 640;

    /// Milliseconds between stops that belong together, or from a try to a stop that it was in
    /// vain. Another library's threads that compute in turn with our spins get a CPU at every
    /// second tick, 8 ms, if only for a moment; services of a busy system come each 40 to 200.
    static constexpr uint32_t soon = 20;

    /// A try was in vain, too, if others got an eighth of the time since.
    static constexpr uint64_t worth = 8;

    /// Milliseconds in which yields are followed after one that took long. To ask what the process
    /// has used takes as long as a quick yield, so it is not done always.
    static constexpr uint32_t doubt_lasts = 100;

    /// Of more than some 100 threads. Then asking takes a sixteenth of the time at most.
    static constexpr uint64_t long_answer_ns = 2'000, worth_an_answer = 16;

private:
    /// Counts the stops that come one soon after another; several threads' in the same millisecond
    /// are one.
    bool is_third_in_a_row(uint32_t now) {
        const uint32_t before = now - interrupted_.exchange(now, platform::relaxed);
        uint32_t count = before <= soon ? in_a_row_.load(platform::relaxed) : 0;
        if (count == 0 || before != 0)
            in_a_row_.store(++count, platform::relaxed);
        return count >= 3;
    }

    /// Twice as long if trying was in vain; else half as long, for each time that it has paid.
    static uint32_t next_pause(uint32_t last, uint64_t since, uint64_t lost_ns) {
        if (last == 0)
            return first_pause;
        const uint64_t pays = worth * lost_ns / 1'000'000;
        const uint64_t paid = since / (pays > soon ? pays : soon + 1);
        if (paid == 0)
            return last < longest_pause ? last * 2 : last;
        const uint32_t shorter = paid < 32 ? last >> paid : 0;
        return shorter < first_pause ? first_pause : shorter;
    }

    uint64_t own() const { return static_cast<uint32_t>(cpus_.load(platform::relaxed)); }

    platform::Atomic<uint64_t> state_{1}; ///< {end of the time without spinning or 0, spinners}
    platform::Atomic<int32_t> cpus_{1};
    platform::Atomic<uint32_t> adapts_{0};
    platform::Atomic<uint32_t> most_spins_{~uint32_t{0}};
    platform::Atomic<int32_t> threads_{1};
    platform::Atomic<uint32_t> pause_{0};       ///< the last one's length; ms
    platform::Atomic<uint32_t> tried_{0};       ///< when spinning was allowed again; ms
    platform::Atomic<uint32_t> interrupted_{0}; ///< when a spin was, for the last time; ms
    platform::Atomic<uint32_t> in_a_row_{0};    ///< such stops, up to that one
    Recently doubted_;                          ///< a yield took a slice
    platform::Atomic<uint32_t> naps_{0};
    platform::Atomic<uint64_t> next_question_{0}; ///< not before: what has the process used?
};

} // namespace heddle::concurrent
