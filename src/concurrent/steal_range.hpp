// SPDX-License-Identifier: Apache-2.0
// A half-open range of a loop's units in one word: its owner takes batches from the front, thieves
// take the back half. Every change of a range that is not empty is one compare-and-swap, and what
// was taken is its taker's alone. Adaptive loop scheduling, "range" of the adaptive-loops paper.
// Ordering: relaxed, the word itself is all that is communicated. docs/protocols/steal-range.md.
#pragma once

#include "concurrent/check.hpp"

namespace heddle::concurrent {

class alignas(cache_line) StealRange {
public:
    /// Sets the range to [first, end), before there are an owner and thieves.
    void deal(uint32_t first, uint32_t end) {
        HEDDLE_CHECK(first <= end);
        word_.store(pack(first, end), platform::relaxed);
    }

    /// Gives the range [first, end) to the owner, who has none. Thieves may already be looking.
    void assign(uint32_t first, uint32_t end) {
        HEDDLE_CHECK(empty());
        deal(first, end);
    }

    /// Takes the first size(n) units, as [first, end), where n > 0 are left and the size is from 1
    /// to n; it is asked again when a thief was faster. By the owner.
    template <class Size>
    bool take(Size&& size, uint32_t& first, uint32_t& end) {
        uint64_t word = word_.load(platform::relaxed);
        while (first_of(word) < end_of(word)) {
            first = first_of(word);
            end = first + size(end_of(word) - first);
            HEDDLE_CHECK(first < end && end <= end_of(word));
            if (word_.compare_exchange_strong(word, pack(end, end_of(word)), platform::relaxed,
                                              platform::relaxed))
                return true;
        }
        return false;
    }

    /// Takes the back half, rounded up, as [first, end). By a thief.
    bool steal(uint32_t& first, uint32_t& end) {
        uint64_t word = word_.load(platform::relaxed);
        while (first_of(word) < end_of(word)) {
            end = end_of(word);
            first = end - (end - first_of(word) + 1) / 2;
            if (word_.compare_exchange_strong(word, pack(first_of(word), first), platform::relaxed,
                                              platform::relaxed))
                return true;
        }
        return false;
    }

    /// How many units are left at this moment.
    uint32_t left() const {
        const uint64_t word = word_.load(platform::relaxed);
        return first_of(word) < end_of(word) ? end_of(word) - first_of(word) : 0;
    }

    bool empty() const { return left() == 0; }

private:
    static uint32_t first_of(uint64_t word) { return static_cast<uint32_t>(word); }
    static uint32_t end_of(uint64_t word) { return static_cast<uint32_t>(word >> 32); }
    static uint64_t pack(uint32_t first, uint32_t end) { return uint64_t{end} << 32 | first; }

    platform::Atomic<uint64_t> word_{0};
};

} // namespace heddle::concurrent
