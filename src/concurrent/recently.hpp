// SPDX-License-Identifier: Apache-2.0
// When something was noticed for the last time, to the millisecond: it tells for a while how things
// are. Noted and asked by any thread, by Passers and CpuShare. Relaxed: a statistic, and whoever
// forgets one that comes at the same moment has lost nothing else.
#pragma once

#include "concurrent/check.hpp"

namespace heddle::concurrent {

/// Of a clock in nanoseconds; differences are modulo 2^32.
inline uint32_t milliseconds(uint64_t ns) { return static_cast<uint32_t>(ns / 1'000'000); }

/// Whoever has a CPU for so long computes there.
inline constexpr uint64_t slice_ns = 1'000'000;

class Recently {
public:
    void note(uint64_t now_ns) { last_.store(milliseconds(now_ns) | 1, platform::relaxed); }
    void forget() { last_.store(0, platform::relaxed); }

    /// Was it noted and not forgotten since? Takes no look at the clock.
    bool ever() const { return last_.load(platform::relaxed) != 0; }

    /// Was it noted at most `lasting` milliseconds ago, one more or less?
    bool within(uint64_t now_ns, uint32_t lasting) const {
        const uint32_t last = last_.load(platform::relaxed);
        return last != 0 && milliseconds(now_ns) - last + 1 <= lasting;
    }

private:
    platform::Atomic<uint32_t> last_{0}; ///< ms, odd; 0: never
};

} // namespace heddle::concurrent
