// SPDX-License-Identifier: Apache-2.0
// Arriving at a TeamBarrier without a word that all write in turn: each thread raises a flag in a
// line of its own, and the team's first one, which fetches them all at the same time, opens. Who
// has tasks to look for, or is about to sleep, counts itself in the barrier's word, and then all
// do. A flag is raised by its thread (release), and lowered by that or the first one, who counts
// it. Protocol: docs/protocols/team-barrier.md. After: the shared flags of Nishtala & Yelick 2009.
#pragma once

#include "concurrent/team_barrier.hpp"

namespace heddle::concurrent {

class ArrivalFlags {
public:
    static constexpr int most_threads = 16;

    /// One thread at the barrier, with the interface of TeamBarrier's. Its owner's, for one
    /// barrier, at which all threads of the team have such places.
    class Place {
    public:
        static constexpr bool sleeps = true;

        Place(TeamBarrier& barrier, ArrivalFlags& flags, uint32_t number, uint32_t size)
            : barrier_(barrier), flags_(flags), number_(number), size_(size) {}

        /// True: the barrier is open, by this thread.
        bool arrive(uint32_t& epoch) {
            if (HEDDLE_UNLIKELY(is_counted_)) // it has rejoined
                return barrier_.arrive(size_, epoch);
            epoch = barrier_.epoch(); // active, so it stays
            if (number_ != 0)
                flags_.flags_[number_].raised.store(epoch + 1, platform::release);
            return false;
        }

        /// Before stealing. False: the barrier is open, or about to.
        bool rejoin(uint32_t epoch) {
            count(epoch);
            return barrier_.rejoin(epoch);
        }

        /// Did the epoch end? The first thread ends it when all others have raised their flags.
        bool completed(uint32_t epoch) {
            if (HEDDLE_UNLIKELY(is_counted_))
                return barrier_.completed(epoch);
            if (number_ == 0 && flags_.are_raised(next_, size_, epoch)) {
                if (HEDDLE_LIKELY(barrier_.try_open(epoch, size_)))
                    return true; // nobody sleeps, for nobody was counted
                count(epoch);
            }
            const TeamBarrier::State state = barrier_.look(epoch);
            if (HEDDLE_UNLIKELY(state == TeamBarrier::State::counts)) {
                count(epoch);
                return barrier_.completed(epoch);
            }
            return state == TeamBarrier::State::over;
        }

        /// For a thread that has announced its sleep.
        bool surely_completed(uint32_t epoch) {
            count(epoch);
            return barrier_.surely_completed(epoch);
        }

        /// After rejoin(), completed() or surely_completed(): this thread has opened the barrier,
        /// and then wakes the others.
        bool has_opened() const { return has_opened_; }

    private:
        /// From now on by the word: all do, for it tells them.
        void count(uint32_t epoch) {
            if (is_counted_)
                return;
            is_counted_ = true;
            uint32_t threads = 1;
            if (number_ == 0)
                threads += flags_.lower_all(size_, epoch); // the others see that the word counts
            else if (!flags_.lower(number_, epoch))
                return; // the first thread counts this one, or has opened
            has_opened_ = barrier_.count(threads, size_, epoch);
        }

        TeamBarrier& barrier_;
        ArrivalFlags& flags_;
        const uint32_t number_, size_;
        uint32_t next_ = 1; ///< whose flag the first thread waits for
        bool is_counted_ = false, has_opened_ = false;
    };

private:
    struct alignas(cache_line) Flag {
        platform::Atomic<uint32_t> raised{0}; ///< the epoch that its thread waits for
    };

    /// Those from `next` on, for the epoch's end? Goes on where it has found one missing. Acquire:
    /// pairs with the raising.
    bool are_raised(uint32_t& next, uint32_t size, uint32_t epoch) const {
        for (uint32_t i = next; i < size; ++i)
            platform::prefetch_for_read(&flags_[i]); // their lines come at the same time
        while (next < size && flags_[next].raised.load(platform::acquire) == epoch + 1)
            ++next;
        return next == size;
    }

    /// True: the caller is to count that thread. Relaxed: whose flag it is not has acquired it.
    bool lower(uint32_t number, uint32_t epoch) {
        uint32_t raised = epoch + 1;
        return flags_[number].raised.compare_exchange_strong(raised, epoch, platform::relaxed,
                                                             platform::relaxed);
    }

    /// Returns how many threads the caller is to count. Acquire: pairs with the raising.
    uint32_t lower_all(uint32_t size, uint32_t epoch) {
        uint32_t lowered = 0;
        for (uint32_t i = 1; i < size; ++i)
            if (flags_[i].raised.load(platform::acquire) == epoch + 1)
                lowered += lower(i, epoch) ? 1 : 0;
        return lowered;
    }

    Flag flags_[most_threads];
};

} // namespace heddle::concurrent
