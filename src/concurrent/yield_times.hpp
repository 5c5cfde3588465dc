// SPDX-License-Identifier: Apache-2.0
// Do yields take long, with more threads than CPUs? Where the other threads yield, too, they take
// microseconds, and polls before them only keep the CPU from the one waited for. Where others
// compute, or spin in the program's own code, a yield takes as long as they do: then polls are
// cheap. Called by Waiting, on any thread that has yielded. Relaxed: a statistic, in which the
// yields of two threads that meet may get lost.
#pragma once

#include "concurrent/check.hpp"
#include "concurrent/scatter.hpp"

#include <algorithm>

namespace heddle::concurrent {

class alignas(cache_line) YieldTimes {
public:
    /// Do long yields take a good part of the time that all yields take: more than a third, or a
    /// fifth if they did before, for polls make them rare?
    bool are_long() const { return (state_.load(platform::relaxed) & long_ones) != 0; }

    /// A yield took `took_ns` until now. Of short ones, one of 8 at random counts for all.
    void note(uint64_t now_ns, uint64_t took_ns) {
        if (took_ns >= long_ns)
            add(std::min(took_ns, most_ns), std::min(took_ns, most_ns));
        else if (scattered_bits(now_ns, 3) == 0)
            add(0, took_ns * 8);
    }
    void forget() { state_.store(0, platform::relaxed); }

    /// Nobody who only polls and yields takes so long.
    static constexpr uint64_t long_ns = 200'000;

private:
    static constexpr uint64_t long_ones = uint64_t{1} << 63;
    /// What one yield counts at most, and what is remembered; both fit into 31 bits.
    static constexpr uint64_t most_ns = 16'000'000, memory_ns = 32'000'000;

    void add(uint64_t long_part, uint64_t whole) {
        const uint64_t state = state_.load(platform::relaxed);
        long_part += state >> 32 & 0x7fffffff;
        whole += state & 0xffffffff;
        if (whole > memory_ns) {
            long_part /= 2;
            whole /= 2;
        }
        const bool are_long = long_part * ((state & long_ones) != 0 ? 5 : 3) > whole;
        state_.store((are_long ? long_ones : 0) | long_part << 32 | whole, platform::relaxed);
    }

    platform::Atomic<uint64_t> state_{0}; ///< {are they long, ns in long ones, ns in all}
};

} // namespace heddle::concurrent
