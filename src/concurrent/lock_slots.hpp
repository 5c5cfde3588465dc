// SPDX-License-Identifier: Apache-2.0
// Which locks are unlocked by a plain store: those for which nobody has slept yet. A table that
// many locks share, since who unlocks may not touch the lock after that, and looks there instead.
// Called by FutexLock and NestLock, by threads that hold the lock or are about to sleep for it.
// Ordering: Dekker, whose fence on the unlocking side the sleeper imposes on all threads: the same
// as in the work-stealing deque. Protocol: docs/protocols/futex-lock.md.
#pragma once

#include "platform.hpp"

namespace heddle::concurrent {

class LockSlots {
public:
    /// May whoever holds the lock unlock it by a plain store? Relaxed: if so the holder asks again
    /// after that store.
    bool are_plain(const void* lock) const {
        return slots_[index(lock)].load(platform::relaxed) == plain;
    }

    /// By a thread that is about to sleep for the lock: from now on whoever unlocks it does so by a
    /// read-modify-write, or finds out after its store. False: the system does not allow that, and
    /// the sleeper may be overlooked.
    bool close(const void* lock) {
        platform::Atomic<uint32_t>& slot = slots_[index(lock)];
        uint32_t state = slot.load(platform::acquire); // pairs with the release of who has fenced
        if (state == closed)
            return true;
        if (state == plain) // relaxed: the fence follows
            slot.compare_exchange_strong(state, closing, platform::relaxed, platform::relaxed);
        if (!platform::fence_all_threads())
            return false;
        slot.store(closed, platform::release); // pairs with the acquire above
        return true;
    }

    /// While there is one thread, which sleeps for no lock.
    void open_all() {
        for (platform::Atomic<uint32_t>& slot : slots_)
            slot.store(plain, platform::relaxed);
    }

private:
    static constexpr uint32_t plain = 0, closing = 1, closed = 2;
    static constexpr uintptr_t count = 1024;
    static uintptr_t index(const void* lock) {
        return reinterpret_cast<uintptr_t>(lock) / sizeof(uint32_t) % count;
    }

    platform::Atomic<uint32_t> slots_[count];
};

inline LockSlots lock_slots;

} // namespace heddle::concurrent
