// SPDX-License-Identifier: Apache-2.0
// A mutual exclusion lock in 4 bytes, 0 = free, as omp_lock_t and zeroed critical names need it.
// Any thread locks; any thread may unlock (a lock belongs to a task, not to a thread).
// Ordering: lock()'s acquire takes what unlock() released. Protocol: docs/protocols/futex-lock.md.
#pragma once

#include "concurrent/hand_over.hpp"

namespace heddle::concurrent {

class FutexLock {
public:
    /// False: somebody holds the lock, or it is promised to those who sleep for it.
    bool try_lock() {
        if (platform::own::has_locks())
            return platform::own::try_lock(word_);
        uint32_t word = free;
        if (HEDDLE_LIKELY(
                word_.compare_exchange_strong(word, held, platform::acquire, platform::relaxed)))
            return true;
        // In a forked child it may be promised to threads of the parent.
        return is_free<Layout>(word) &&
               word_.compare_exchange_strong(word, held, platform::acquire, platform::relaxed);
    }

    void lock(WaitLimits limits) {
        if (platform::own::has_locks())
            return platform::own::lock(word_);
        if (HEDDLE_UNLIKELY(!try_lock()))
            lock_slow(limits);
    }

    void unlock() {
        if (platform::own::has_locks())
            return platform::own::unlock(word_);
        uint32_t word = held;
        // release: pairs with the acquire of the next holder
        if (HEDDLE_UNLIKELY(
                !word_.compare_exchange_strong(word, free, platform::release, platform::relaxed)))
            unlock_slow(word);
    }

    bool is_held() const { return word_.load(platform::relaxed) != free; }

    /// Will one of those who sleep now be the next holder? A hint, for tests.
    bool is_promised() const { return (word_.load(platform::relaxed) & Layout::late) != 0; }

private:
    static constexpr uint32_t free = 0, held = 1;
    struct Layout {
        using Word = uint32_t;
        static constexpr uint32_t busy = held, sleepers = 2, one_late = 4, late = ~3u;
    };

    bool poll() {
        // relaxed: only a hint that trying is worth a write
        return is_free<Layout>(word_.load(platform::relaxed)) && try_lock();
    }

    [[gnu::noinline]] void lock_slow(WaitLimits limits) {
        if (!poll_for(limits, [this] { return poll(); }))
            sleep_for<Layout>(word_, held);
    }

    [[gnu::noinline]] void unlock_slow(uint32_t word) { give_back<Layout>(word_, word); }

    platform::Atomic<uint32_t> word_{free};
};

static_assert(sizeof(FutexLock) == 4);

} // namespace heddle::concurrent
