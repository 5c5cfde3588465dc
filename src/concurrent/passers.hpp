// SPDX-License-Identifier: Apache-2.0
// Threads of the program that open regions, and come and go: each takes a CPU when it begins, and
// whoever waits for its end takes one after it. All are occupied by spins then, of their teams and
// of others; a spin that yields now and then lets them have one at once.
// Noted by such a thread, asked by waits, on any thread. Relaxed: a statistic.
#pragma once

#include "concurrent/check.hpp"

namespace heddle::concurrent {

class Passers {
public:
    /// One comes, or is about to go, and there are other threads that open regions.
    void note(uint64_t now_ns) { last_.store(milliseconds(now_ns) | 1, platform::relaxed); }

    /// Are there some, as far as can be told without a look at the clock?
    bool any() const { return last_.load(platform::relaxed) != 0; }

    /// Does it help them if spins yield?
    bool want_yields(uint64_t now_ns) {
        const uint32_t now = milliseconds(now_ns), last = last_.load(platform::relaxed);
        if (last == 0)
            return false;
        if (now - last + 1 > lasting) {
            last_.store(0, platform::relaxed); // loses one that comes right now
            return false;
        }
        return !are_refused(now_ns);
    }

    /// Has a yield for them gone to somebody else lately?
    bool are_refused(uint64_t now_ns) const {
        const uint32_t refused = refused_.load(platform::relaxed);
        return refused != 0 && milliseconds(now_ns) - refused + 1 <= refusal;
    }

    /// A yield for them took `took_ns` until now. Passers are quick: somebody else computes here.
    void yielded(uint64_t now_ns, uint64_t took_ns) {
        if (HEDDLE_UNLIKELY(took_ns >= slice_ns))
            refused_.store(milliseconds(now_ns) | 1, platform::relaxed);
    }

    void forget() {
        last_.store(0, platform::relaxed);
        refused_.store(0, platform::relaxed);
    }

    /// Milliseconds after the last one, as long as its team's threads spin for their next region.
    static constexpr uint32_t lasting = 4;
    /// Milliseconds without such yields. Another process's slice takes 4 ms, and until all have
    /// their places again it may have ten: 2% of the time.
    static constexpr uint32_t refusal = 2000;
    /// Whoever has a CPU for so long computes.
    static constexpr uint64_t slice_ns = 1'000'000;

private:
    static uint32_t milliseconds(uint64_t ns) { return static_cast<uint32_t>(ns / 1'000'000); }

    platform::Atomic<uint32_t> last_{0};    ///< when one came or went; ms, 0: long ago
    platform::Atomic<uint32_t> refused_{0}; ///< when a yield took a slice; ms, 0: never
};

} // namespace heddle::concurrent
