// SPDX-License-Identifier: Apache-2.0
// A centralized barrier whose waiting threads may turn active again to run stolen tasks.
// One word {epoch:32, active:32}: arrive() takes one from active; who takes the last one opens the
// next epoch. rejoin() adds one only while active > 0 in the same epoch. Where many threads wait
// they poll another line, in which the opener tells the epoch: each arrival would take theirs away.
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
        const auto open = static_cast<uint32_t>(epoch);     // smaller teams have told nothing
        if (size > most_pollers && told_.load(platform::relaxed) != open)
            told_.store(open, platform::release); // pairs with is_told()
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

    /// The same, and the epoch in which the caller was active.
    bool arrive(uint32_t size, uint32_t& epoch) {
        const bool opened = arrive_unseen(size, epoch, 1);
        if (opened && size > most_pollers)
            tell(epoch + 1);
        return opened;
    }

    /// The same where all threads of the region poll the word itself, for few wait at the same
    /// time. For `count` threads at once that the caller has executed the parts of.
    bool arrive_unseen(uint32_t size, uint32_t& epoch, uint32_t count) {
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

    /// The same for those that poll in a team of more than `most_pollers`; a moment later.
    bool is_told(uint32_t epoch) const {
        // acquire: pairs with tell()
        return static_cast<int32_t>(told_.load(platform::acquire) - epoch) > 0;
    }

    /// The same with the seq_cst load that EventCount's Dekker needs before sleeping.
    bool surely_completed(uint32_t epoch) const {
        return static_cast<uint32_t>(word_.load(platform::seq_cst) >> 32) != epoch;
    }

    /// Before stealing: the caller counts as active again. False: the barrier is about to open.
    bool rejoin(uint32_t epoch) {
        uint64_t word = word_.load(platform::relaxed);
        while (static_cast<uint32_t>(word >> 32) == epoch && (word & active_mask) != 0)
            if (word_.compare_exchange_strong(word, word + 1, platform::acq_rel, platform::relaxed))
                return true;
        return false;
    }

    /// One thread at the barrier, as TreeBarrier has it too.
    class Place {
    public:
        static constexpr bool sleeps = true; ///< threads may sleep here

        /// `few`: as for arrive_unseen(), for all threads of the region or none.
        Place(TeamBarrier& barrier, uint32_t size, bool few)
            : barrier_(barrier), size_(size), few_(few) {}
        bool arrive(uint32_t& epoch) {
            return few_ ? barrier_.arrive_unseen(size_, epoch, 1) : barrier_.arrive(size_, epoch);
        }
        bool rejoin(uint32_t epoch) { return barrier_.rejoin(epoch); }
        bool completed(uint32_t epoch) const {
            return size_ > most_pollers && !few_ ? barrier_.is_told(epoch)
                                                 : barrier_.completed(epoch);
        }
        bool surely_completed(uint32_t epoch) const { return barrier_.surely_completed(epoch); }

    private:
        TeamBarrier& barrier_;
        uint32_t size_;
        bool few_;
    };

    /// Teams of so many threads poll the word itself: the opener has its line already. Measured on
    /// 16 CPUs, where four threads gain at barriers by the other line, and lose at regions' ends.
    static constexpr uint32_t most_pollers = 4;

private:
    /// Who opened an older epoch may come late: the newest one stays.
    void tell(uint32_t epoch) {
        uint32_t told = told_.load(platform::relaxed);
        while (static_cast<int32_t>(epoch - told) > 0 &&
               !told_.compare_exchange_strong(told, epoch, platform::release, platform::relaxed))
            ; // release: to is_told(), what the opener has acquired
    }

    static constexpr uint64_t active_mask = 0xffffffff;
    platform::Atomic<uint64_t> word_{0};
    alignas(cache_line) platform::Atomic<uint32_t> told_{0}; ///< the newest epoch that was opened
};

} // namespace heddle::concurrent
