// SPDX-License-Identifier: Apache-2.0
// A half-open range of a loop's units in one word: its owner takes batches from the front, thieves
// take the back half. Beside it one unit that its owner has first, or another thread instead. Every
// change of what is not empty is one compare-and-swap, and what was taken is its taker's alone.
// Adaptive loop scheduling, "range" of the adaptive-loops paper.
// Ordering: relaxed, the word itself is all that is communicated. docs/protocols/steal-range.md.
#pragma once

#include "concurrent/check.hpp"

#include <algorithm>

namespace heddle::concurrent {

/// Units [first, end) of a loop, counted from 0.
struct Units {
    uint32_t first = 0, end = 0;

    uint32_t count() const { return end - first; }
};

/// What the ranges of a loop are before anybody has come to them: each its block of `dealt` units.
/// `odd` tells them from what the loop before has left in the same words.
struct Deal {
    uint32_t dealt = 0; ///< units of all ranges
    uint32_t share = 0; ///< of each range; the last ones may reach beyond `dealt`
    uint32_t more = 0;  ///< so many of the first ranges have one more
    bool odd = false;
    uint32_t fronts = 0; ///< so many of the first owners have a unit of their own before that

    Units share_of(uint32_t number) const {
        const uint64_t first = uint64_t{share} * number + std::min(number, more);
        const uint64_t end = first + share + (number < more ? 1 : 0);
        return {static_cast<uint32_t>(std::min<uint64_t>(first, dealt)),
                static_cast<uint32_t>(std::min<uint64_t>(end, dealt))};
    }
};

/// Range `number` of those that a Deal describes; whoever calls says so.
class alignas(cache_line) StealRange {
public:
    static constexpr uint32_t most_units = 0x7fffffff;

    /// Sets the range, before there are an owner and thieves, to something else than its share.
    void deal(bool odd, Units units) {
        HEDDLE_CHECK(units.first <= units.end && units.end <= most_units);
        word_.store(pack(odd, false, units), platform::relaxed);
    }

    /// Gives the units to the owner, who has none. Thieves may already be looking.
    void assign(const Deal& deal, [[maybe_unused]] uint32_t number, Units units) {
        // Empty, and the owner has had the unit in front: no thief could have changed it.
        HEDDLE_CHECK(may_be_assigned(deal, number, word_.load(platform::relaxed)));
        HEDDLE_CHECK(units.first <= units.end && units.end <= most_units);
        word_.store(pack(deal.odd, true, units), platform::relaxed);
    }

    /// Takes the unit in front: by the owner, before it takes anything else; or by another thread.
    /// False: it has been taken. The shares need not be known yet.
    bool take_front(const Deal& deal, uint32_t number) {
        uint64_t word = word_.load(platform::relaxed);
        while (has_front(word, deal, number)) {
            const Units units = is_odd(word) == deal.odd ? units_of(word) : whole_share;
            if (word_.compare_exchange_strong(word, pack(deal.odd, true, units), platform::relaxed,
                                              platform::relaxed))
                return true;
        }
        return false;
    }

    /// Takes the first size(n) units, where n > 0 are left and the size is from 1 to n; it is asked
    /// again when a thief was faster. By the owner, whose first call of a loop leaves the mark of
    /// that loop even where nothing is left.
    template <class Size>
    bool take(const Deal& deal, uint32_t number, Size&& size, Units& taken) {
        uint64_t word = word_.load(platform::relaxed);
        for (;;) {
            const Units left = now(word, deal, number);
            if (left.count() == 0) {
                if (is_odd(word) != deal.odd)
                    this->deal(deal.odd, left); // empty, so no thief could have changed it
                return false;
            }
            taken = {left.first, left.first + size(left.count())};
            HEDDLE_CHECK(taken.first < taken.end && taken.end <= left.end);
            if (word_.compare_exchange_strong(word, after(word, deal, {taken.end, left.end}),
                                              platform::relaxed, platform::relaxed))
                return true;
        }
    }

    /// What a thief takes: the back half, rounded up; or all, if nobody has taken anything.
    enum class Part { half, whole };

    /// By a thief.
    bool steal(const Deal& deal, uint32_t number, Part part, Units& taken) {
        uint64_t word = word_.load(platform::relaxed);
        for (;;) {
            const Units left = now(word, deal, number);
            if (left.count() == 0)
                return false;
            const bool all = part == Part::whole && is_odd(word) != deal.odd;
            taken = {all ? left.first : left.end - (left.count() + 1) / 2, left.end};
            if (word_.compare_exchange_strong(word, after(word, deal, {left.first, taken.first}),
                                              platform::relaxed, platform::relaxed))
                return true;
        }
    }

    /// How many units are left at this moment.
    uint32_t left(const Deal& deal, uint32_t number) const {
        return now(word_.load(platform::relaxed), deal, number).count();
    }

    /// Is all there that was dealt, which is something: neither its owner nor a thief has come?
    bool is_whole(const Deal& deal, uint32_t number) const {
        return !was_left(deal.odd) && (number < deal.fronts || deal.share_of(number).count() != 0);
    }

    /// Whether a loop marked that way has been the last one here.
    bool was_left(bool odd) const { return is_odd(word_.load(platform::relaxed)) == odd; }

private:
    static constexpr int end_bit = 32;
    static constexpr uint64_t odd_bit = uint64_t{1} << 31;
    static constexpr uint64_t front_bit = uint64_t{1} << 63; ///< the unit in front is taken

    /// Stands for the share, as a word without the loop's mark does.
    static constexpr Units whole_share{most_units, 0};

    static bool is_odd(uint64_t word) { return (word & odd_bit) != 0; }
    static Units units_of(uint64_t word) {
        return {static_cast<uint32_t>(word) & most_units,
                static_cast<uint32_t>(word >> end_bit) & most_units};
    }
    static Units now(uint64_t word, const Deal& deal, uint32_t number) {
        const Units units = units_of(word);
        return HEDDLE_LIKELY(is_odd(word) == deal.odd && units.first <= units.end)
                   ? units
                   : deal.share_of(number);
    }
    static bool may_be_assigned(const Deal& deal, uint32_t number, uint64_t word) {
        return is_odd(word) == deal.odd && now(word, deal, number).count() == 0 &&
               (deal.fronts == 0 || (word & front_bit) != 0);
    }
    static bool has_front(uint64_t word, const Deal& deal, uint32_t number) {
        return number < deal.fronts && (is_odd(word) != deal.odd || (word & front_bit) == 0);
    }
    static uint64_t pack(bool odd, bool front_is_taken, Units units) {
        return uint64_t{units.end} << end_bit | (odd ? odd_bit : 0) |
               (front_is_taken ? front_bit : 0) | units.first;
    }
    /// The word after some of what it stood for was taken.
    static uint64_t after(uint64_t word, const Deal& deal, Units units) {
        return pack(deal.odd, is_odd(word) == deal.odd && (word & front_bit) != 0, units);
    }

    platform::Atomic<uint64_t> word_{0};
};

} // namespace heddle::concurrent
