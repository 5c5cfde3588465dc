// SPDX-License-Identifier: Apache-2.0
// Threads of the program that open regions, and come and go: each takes a CPU when it begins, and
// whoever waits for its end takes one after it. All are occupied by spins then, of their teams and
// of others; a spin that yields now and then lets them have one at once.
// Noted by such a thread, asked by waits, on any thread. Relaxed: a statistic.
#pragma once

#include "concurrent/recently.hpp"

namespace heddle::concurrent {

class Passers {
public:
    /// One comes, or is about to go, and there are other threads that open regions.
    void note(uint64_t now_ns) { last_.note(now_ns); }

    /// Are there some, as far as can be told without a look at the clock?
    bool any() const { return last_.ever(); }

    /// Does it help them if spins yield?
    bool want_yields(uint64_t now_ns) {
        if (!any())
            return false;
        if (!last_.within(now_ns, lasting)) {
            last_.forget();
            return false;
        }
        return !are_refused(now_ns);
    }

    /// Has a yield for them gone to somebody else lately?
    bool are_refused(uint64_t now_ns) const { return refused_.within(now_ns, refusal); }

    /// A yield for them took `took_ns` until now. Passers are quick: somebody else computes here.
    void yielded(uint64_t now_ns, uint64_t took_ns) {
        if (HEDDLE_UNLIKELY(took_ns >= slice_ns))
            refused_.note(now_ns);
    }

    void forget() {
        last_.forget();
        refused_.forget();
    }

    /// Milliseconds after the last one, as long as its team's threads spin for their next region.
    static constexpr uint32_t lasting = 4;
    /// Milliseconds without such yields. Another process's slice takes 4 ms, and until all have
    /// their places again it may have ten: 2% of the time.
    static constexpr uint32_t refusal = 2000;

private:
    Recently last_;    ///< one came or went
    Recently refused_; ///< a yield took a slice
};

} // namespace heddle::concurrent
