// SPDX-License-Identifier: Apache-2.0
// A half-open range of chunk numbers in one word: its owner takes from the front, thieves take the
// back half. Every change is one compare-and-swap; a chunk number that was taken never returns, so
// no word value occurs twice (no ABA). Adaptive loop scheduling, "range" of the adaptive paper.
// Ordering: relaxed, the word itself is all that is communicated. docs/protocols/steal-range.md.
#pragma once

#include "concurrent/check.hpp"

namespace heddle::concurrent {

class alignas(cache_line) StealRange {
public:
    /// Gives the range [first, end) to the owner. Thieves may already be looking.
    void assign(uint32_t first, uint32_t end) {
        HEDDLE_CHECK(first <= end);
        word_.store(pack(first, end), platform::relaxed);
    }

    /// Takes the first chunk. By the owner.
    bool take(uint32_t& chunk) {
        uint64_t word = word_.load(platform::relaxed);
        while (first_of(word) < end_of(word)) {
            chunk = first_of(word);
            if (word_.compare_exchange_strong(word, pack(chunk + 1, end_of(word)),
                                              platform::relaxed, platform::relaxed))
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

    bool empty() const {
        const uint64_t word = word_.load(platform::relaxed);
        return first_of(word) >= end_of(word);
    }

private:
    static uint32_t first_of(uint64_t word) { return static_cast<uint32_t>(word); }
    static uint32_t end_of(uint64_t word) { return static_cast<uint32_t>(word >> 32); }
    static uint64_t pack(uint32_t first, uint32_t end) { return uint64_t{end} << 32 | first; }

    platform::Atomic<uint64_t> word_{0};
};

} // namespace heddle::concurrent
