// SPDX-License-Identifier: Apache-2.0
// The slow paths of a lock that is one word: to sleep for it, and to unlock it while threads sleep.
// Who runs may overtake who sleeps, until a sleeper is late: then the lock goes to sleepers only.
// Called by FutexLock and NestLock, by threads that hold the lock or want it; every change is an
// RMW, but the holder may store `busy` alone.
// Ordering: the acquire of a taker pairs with give_back()'s release, or the lock's own.
// After the starvation mode of Go's sync.Mutex. Protocol: docs/protocols/futex-lock.md.
#pragma once

#include "concurrent/waiting.hpp"

#include <concepts>

namespace heddle::concurrent {

/// How a lock divides its word. `busy` is nonzero in it while the lock is held, `sleepers` is one
/// bit, and `late` counts in steps of `one_late` the threads that have waited for too long; other
/// bits may stay from an earlier holder. The lock's fast paths take no word with `busy` or `late`,
/// and leave `sleepers` as it is.
template <class L>
concept LockLayout =
    std::unsigned_integral<typename L::Word> && L::busy != 0 && (L::late & L::one_late) != 0 &&
    (L::busy & L::sleepers) == 0 && (L::busy & L::late) == 0 && (L::sleepers & L::late) == 0 &&
    requires(const void* lock) {
        // Before a thread sleeps for the lock. False: its wake-up may be missed.
        { L::announce_sleeper(lock) } -> std::same_as<bool>;
    };

/// False in a forked child: those who were late are threads of the parent, so what is promised to
/// them is free, and nothing is promised any more. Written by the child's only thread.
inline bool hands_over = true;

/// A sleeper that has waited for so long, in nanoseconds, is late at its next wake-up in vain.
inline constexpr uint64_t late_after_ns = 1'000'000;

/// A sleeper whose wake-up may be missed looks by itself after so long.
inline constexpr uint64_t cautious_nap_ns = 1'000'000;

/// May a thread that has not slept take the lock?
template <LockLayout L>
bool is_free(typename L::Word word) {
    return (word & (L::busy | L::late)) == 0 || (HEDDLE_UNLIKELY(!hands_over) && !(word & L::busy));
}

/// Polls as often as the limits allow, for as long as `take_if_free` fails. The pauses become
/// longer: each look at the word takes its cache line from the holder, who needs it to unlock. A
/// pause is no longer than a quarter of what was waited before, so that it adds little to that.
template <class Take>
bool poll_for(WaitLimits limits, Take take_if_free) {
    for (uint64_t spent = 0; spent < limits.spins;) {
        const uint64_t quarter = spent / 4 + 1;
        const uint64_t pauses = quarter < longest_pause ? quarter : longest_pause;
        for (uint64_t i = 0; i < pauses; ++i)
            platform::relax();
        if (take_if_free())
            return true;
        if (limits.share && limits.spins > limits.share->most_spins())
            break; // by settings of before
        spent += pauses;
    }
    if (limits.share && limits.share->adapts())
        limits.share->look_at_time(platform::now_ns());
    for (uint32_t i = 0; i < limits.yields; ++i) {
        platform::yield();
        if (take_if_free())
            return true;
    }
    return false;
}

/// Sleeps until the lock is the caller's, as `mine`: the word's fields of the holder.
template <LockLayout L>
void sleep_for(platform::Atomic<typename L::Word>& shared, typename L::Word mine) {
    using Word = typename L::Word;
    const uint64_t began = platform::now_ns();
    bool slept = false, announced = false;
    uint64_t nap = platform::forever;
    Word counted = 0; // what this thread has in the count of those who are late
    // relaxed: each decision on the word is confirmed by a compare-and-swap, or by the kernel
    Word word = shared.load(platform::relaxed);
    for (;;) {
        if (is_free<L>(word) || (slept && !(word & L::busy))) {
            HEDDLE_CHECK(!hands_over || (word & L::late) >= counted);
            const Word others = hands_over ? static_cast<Word>((word & L::late) - counted) : 0;
            // Who has slept does not know whether others still do.
            const Word taken = others | mine | (slept ? L::sleepers : word & L::sleepers);
            // acquire: pairs with the release of unlock() and give_back()
            if (shared.compare_exchange_strong(word, taken, platform::acquire, platform::relaxed))
                return;
            continue;
        }
        if (!announced) {
            announced = true;
            if (!L::announce_sleeper(&shared))
                nap = cautious_nap_ns;
            word = shared.load(platform::relaxed);
            continue;
        }
        const bool is_late = hands_over && slept && counted == 0 && (word & L::late) != L::late &&
                             platform::now_ns() - began >= late_after_ns;
        const Word one = is_late ? L::one_late : 0;
        const Word asleep = static_cast<Word>(word + one) | L::sleepers;
        // relaxed: publishes nothing but the sleeper, to whoever changes the word next
        if (asleep != word &&
            !shared.compare_exchange_strong(word, asleep, platform::relaxed, platform::relaxed))
            continue;
        counted = static_cast<Word>(counted + one);
        platform::wait_on(shared, asleep, nap);
        slept = true;
        word = shared.load(platform::relaxed);
    }
}

/// Unlocks: the holder has seen `word`, in which only the fields of others may have changed. With
/// somebody late the word stays nonzero, so that only who has slept will take it.
template <LockLayout L>
void give_back(platform::Atomic<typename L::Word>& shared, typename L::Word word) {
    const typename L::Word kept = hands_over ? L::late : 0;
    // release: pairs with the acquire of the next holder. Nothing of the lock is touched after it.
    while (!shared.compare_exchange_strong(word, word & kept, platform::release, platform::relaxed))
        ;
    // Who is late sleeps or is awake to take the lock: then this is not its holder.
    HEDDLE_CHECK(!(word & L::busy) || !(word & L::late) || (word & L::sleepers));
    if (word & L::sleepers)
        platform::wake(shared, 1);
}

} // namespace heddle::concurrent
