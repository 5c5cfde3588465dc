// SPDX-License-Identifier: Apache-2.0
// A mutual exclusion lock in 4 bytes, 0 = free, as omp_lock_t and zeroed critical names need it.
// Any thread locks; any thread may unlock (a lock belongs to a task, not to a thread).
// Ordering: lock()'s acquire takes what unlock() released. Protocol: docs/protocols/futex-lock.md.
#pragma once

#include "concurrent/hand_over.hpp"
#include "concurrent/lock_slots.hpp"

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
        // Some may sleep; in a forked child it may be promised to threads of the parent.
        return is_free<Layout>(word) &&
               word_.compare_exchange_strong(word, held | (word & Layout::sleepers),
                                             platform::acquire, platform::relaxed);
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
        if (platform::own::has_memory_atomics() || HEDDLE_UNLIKELY(!lock_slots.are_plain(this)))
            return unlock_slow();
        // release: pairs with the acquire of the next holder. The lock's memory is not read again.
        word_.store_low(uint8_t{free}, platform::release);
        platform::compiler_fence(); // Dekker with LockSlots::close(), which has the fence
        if (HEDDLE_UNLIKELY(!lock_slots.are_plain(this)))
            platform::wake(word_, 1);
    }

    /// Or is it promised?
    bool is_held() const { return (word_.load(platform::relaxed) & ~Layout::sleepers) != free; }

    /// Will one of those who sleep now be the next holder? A hint, for tests.
    bool is_promised() const { return (word_.load(platform::relaxed) & Layout::late) != 0; }

private:
    static constexpr uint32_t free = 0, held = 1;
    struct Layout {
        using Word = uint32_t;
        static constexpr uint32_t busy = held, sleepers = 1u << 8, one_late = 1u << 16,
                                  late = 0xffffu << 16;
        static bool announce_sleeper(const void* lock) { return lock_slots.close(lock); }
    };

    bool poll() {
        // relaxed: only a hint that trying is worth a write
        return is_free<Layout>(word_.load(platform::relaxed)) && try_lock();
    }

    [[gnu::noinline]] void lock_slow(WaitLimits limits) {
        if (!poll_for(limits, [this] { return poll(); }))
            sleep_for<Layout>(word_, held);
    }

    [[gnu::noinline]] void unlock_slow() {
        uint32_t word = held;
        // release: pairs with the acquire of the next holder
        if (!word_.compare_exchange_strong(word, free, platform::release, platform::relaxed))
            give_back<Layout>(word_, word);
    }

    platform::Atomic<uint32_t> word_{free};
};

static_assert(sizeof(FutexLock) == 4);

/// For a lock of the runtime's own, which is held for a moment: who finds it held polls and yields
/// so often, then sleeps.
inline constexpr WaitLimits brief_lock_limits{200, 2};

/// Holds such a lock as long as it lives.
class LockGuard {
public:
    explicit LockGuard(FutexLock& lock) : lock_(lock) { lock_.lock(brief_lock_limits); }
    ~LockGuard() { lock_.unlock(); }
    LockGuard(const LockGuard&) = delete;
    LockGuard& operator=(const LockGuard&) = delete;

private:
    FutexLock& lock_;
};

} // namespace heddle::concurrent
