// SPDX-License-Identifier: Apache-2.0
// A centralized barrier whose waiting threads may turn active again to run stolen tasks.
// One word {epoch:32, counting:1, active:31}: arrive() takes one from active; who takes the last
// one opens the next epoch. rejoin() adds one only while active > 0 in the same epoch.
// Ordering: each arrive() is acq_rel, so completed() acquires everything done before the barrier.
// Protocol: docs/protocols/team-barrier.md.
#pragma once

#include "concurrent/check.hpp"

namespace heddle::concurrent {

class TeamBarrier {
public:
    /// Before the team starts: `size` active threads. Nobody else writes the barrier now. Release:
    /// threads that still look at it learn from this word, too, that the last epoch has ended.
    void reset(uint32_t size) {
        const uint64_t epoch = word_.load(platform::relaxed) >> 32;
        word_.store(epoch << 32 | size, platform::release); // pairs with completed()
    }

    /// The current epoch; constant while the calling thread is active.
    uint32_t epoch() const { return static_cast<uint32_t>(word_.load(platform::relaxed) >> 32); }

    /// Threads that have not arrived. Relaxed: a hint for whoever thinks of waking another.
    uint32_t active() const {
        return static_cast<uint32_t>(word_.load(platform::relaxed) & active_mask);
    }

    /// The caller has no task left. True: it was the last, and has opened the next epoch.
    /// The caller then notifies the sleepers (the opening store is a seq_cst read-modify-write).
    bool arrive(uint32_t size) {
        uint32_t unused;
        return arrive(size, unused);
    }

    /// The same, and the epoch in which the caller was active. For `count` threads at once that it
    /// has executed the parts of.
    bool arrive(uint32_t size, uint32_t& epoch, uint32_t count = 1) {
        const uint64_t before = word_.fetch_sub(count, platform::acq_rel);
        epoch = static_cast<uint32_t>(before >> 32);
        HEDDLE_CHECK((before & active_mask) >= count);
        if ((before & active_mask) != count)
            return false;
        // Nobody changes the word while active is 0: rejoin() refuses, all others have arrived.
        word_.exchange(((before >> 32) + 1) << 32 | size, platform::seq_cst);
        return true;
    }

    /// By an active thread, or for what holds the barrier already: the epoch does not end before a
    /// matching drop() or arrive(), which any thread may do.
    void hold() { word_.fetch_add(1, platform::relaxed); }
    /// By an active thread.
    void drop() { word_.fetch_sub(1, platform::release); }
    /// Is there a hold beside `active` threads? Acquire pairs with drop() and arrive().
    bool is_held(uint32_t active) const {
        return (word_.load(platform::acquire) & active_mask) > active;
    }

    /// Did the epoch end? Acquire pairs with every arrive() through the last one's exchange.
    bool completed(uint32_t epoch) const {
        return static_cast<uint32_t>(word_.load(platform::acquire) >> 32) != epoch;
    }

    /// The same with the seq_cst load that EventCount's Dekker needs before sleeping.
    bool surely_completed(uint32_t epoch) const {
        return static_cast<uint32_t>(word_.load(platform::seq_cst) >> 32) != epoch;
    }

    /// Before stealing: the caller counts as active again. False: the barrier is about to open.
    bool rejoin(uint32_t epoch) {
        uint64_t word = word_.load(platform::relaxed);
        while (static_cast<uint32_t>(word >> 32) == epoch && (word & active_mask) != 0)
            // acq_rel: only continues the release sequences of arrive(); steals acquire themselves
            if (word_.compare_exchange_strong(word, word + 1, platform::acq_rel, platform::relaxed))
                return true;
        return false;
    }

    /// For threads that arrive by a flag (arrival_flags.hpp), each of them active until it is
    /// counted.
    enum class State {
        gathers, ///< nobody was counted in this epoch
        counts,  ///< somebody was
        over
    };
    /// Acquire: pairs with the opening.
    State look(uint32_t epoch) const {
        const uint64_t word = word_.load(platform::acquire);
        return static_cast<uint32_t>(word >> 32) != epoch ? State::over
               : (word & counting) != 0                   ? State::counts
                                                          : State::gathers;
    }
    /// All have raised their flags. False: somebody was counted, or something holds the barrier.
    bool try_open(uint32_t epoch, uint32_t size) {
        uint64_t word = uint64_t{epoch} << 32 | size;
        return word_.compare_exchange_strong(word, uint64_t{epoch + 1} << 32 | size,
                                             platform::seq_cst, platform::relaxed);
    }
    /// Takes `threads` from active, and tells the others that they are to be counted, too. True:
    /// they were the last, and it has opened.
    bool count(uint32_t threads, uint32_t size, uint32_t epoch) {
        uint64_t word = word_.load(platform::relaxed);
        while (static_cast<uint32_t>(word >> 32) == epoch) {
            HEDDLE_CHECK((word & active_mask) >= threads);
            const bool last = (word & active_mask) == threads;
            const uint64_t next =
                last ? uint64_t{epoch + 1} << 32 | size : (word | counting) - threads;
            if (word_.compare_exchange_strong(word, next, platform::seq_cst, platform::relaxed))
                return last;
        }
        return false; // it was open already
    }

    /// One thread at the barrier, as TreeBarrier has it too.
    class Place {
    public:
        static constexpr bool sleeps = true; ///< threads may sleep here

        Place(TeamBarrier& barrier, uint32_t size) : barrier_(barrier), size_(size) {}
        bool arrive(uint32_t& epoch) { return barrier_.arrive(size_, epoch); }
        bool rejoin(uint32_t epoch) { return barrier_.rejoin(epoch); }
        bool completed(uint32_t epoch) const { return barrier_.completed(epoch); }
        bool surely_completed(uint32_t epoch) const { return barrier_.surely_completed(epoch); }

    private:
        TeamBarrier& barrier_;
        uint32_t size_;
    };

private:
    static constexpr uint64_t active_mask = 0x7fffffff, counting = 0x80000000;
    platform::Atomic<uint64_t> word_{0};
};

} // namespace heddle::concurrent
