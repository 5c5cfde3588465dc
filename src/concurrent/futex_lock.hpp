// SPDX-License-Identifier: Apache-2.0
// A mutual exclusion lock in 4 bytes, 0 = free, as omp_lock_t and zeroed critical names need it.
// Any thread locks; any thread may unlock (a lock belongs to a task, not to a thread).
// Ordering: lock()'s acquire takes what unlock() released. Protocol: docs/protocols/futex-lock.md.
#pragma once

#include "concurrent/waiting.hpp"

namespace heddle::concurrent {

class FutexLock {
public:
    bool try_lock() {
        uint32_t expected = free;
        return word_.compare_exchange_strong(expected, held, platform::acquire, platform::relaxed);
    }

    void lock(WaitLimits limits) {
        if (HEDDLE_UNLIKELY(!try_lock()))
            lock_slow(limits);
    }

    void unlock() {
        // release: pairs with the acquire of the next holder
        if (HEDDLE_UNLIKELY(word_.exchange(free, platform::release) == contended))
            platform::wake(word_, 1);
    }

    bool is_held() const { return word_.load(platform::relaxed) != free; }

private:
    static constexpr uint32_t free = 0, held = 1, contended = 2;

    void lock_slow(WaitLimits limits) {
        Waiting waiting(limits);
        do {
            // relaxed: only a hint that trying is worth a write
            if (word_.load(platform::relaxed) == free && try_lock())
                return;
        } while (waiting.again());
        // From here on this thread holds the lock as `contended`, for it may not sleep alone.
        while (word_.exchange(contended, platform::acquire) != free)
            platform::wait_on(word_, contended, platform::forever);
    }

    platform::Atomic<uint32_t> word_{free};
};

static_assert(sizeof(FutexLock) == 4);

} // namespace heddle::concurrent
