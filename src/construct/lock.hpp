// SPDX-License-Identifier: Apache-2.0
// OpenMP locks (5.2 section 18.9) in the storage of every omp.h: 4 bytes simple, 8 bytes nestable.
// Zero is unlocked. A nestable lock is owned by a task (OpenMP 3.0 on) or a thread (2.5): `owner`
// is an address of theirs, aligned to 16. Any thread calls. Protocol: docs/protocols/nest-lock.md.
#pragma once

#include "concurrent/futex_lock.hpp"
#include "construct/critical.hpp"

namespace heddle::construct {

using SimpleLock = concurrent::FutexLock;

class NestLock {
public:
    /// Waits until `owner` holds the lock, once more if it held it already.
    void lock(const void* owner);
    void unlock();
    /// The new nesting count, 0 when another owner holds the lock.
    int try_lock(const void* owner);
    /// How often its owner, who asks, holds it.
    int count() const { return word_.load_low<Count>(platform::relaxed); }

private:
    // owner address >> 4 in the upper 44 bits | late sleepers in 2 | sleepers bit | unused |
    // nesting count in 16 bits, which the owner alone stores. More than 3 late sleepers are served
    // as well: see docs/protocols/nest-lock.md.
    using Count = uint16_t;
    static constexpr Count most_levels = UINT16_MAX;
    struct Layout {
        using Word = uint64_t;
        static constexpr uint64_t busy = most_levels, sleepers = 1u << 17, one_late = 1u << 18,
                                  late = 3u << 18;
        static bool announce_sleeper(const void* lock) {
            return concurrent::lock_slots.close(lock);
        }
    };
    static constexpr int owner_shift = 20;
    static uint64_t owner_bits(const void* owner) {
        return reinterpret_cast<uint64_t>(owner) >> 4 << owner_shift;
    }
    static bool is_held_by(uint64_t word, const void* owner) { // our owner bits are our own write
        return (word & Layout::busy) != 0 &&
               word >> owner_shift << owner_shift == owner_bits(owner);
    }
    bool take(uint64_t free_word, const void* owner) {
        const uint64_t taken = owner_bits(owner) | (free_word & Layout::sleepers) | 1;
        return word_.compare_exchange_strong(free_word, taken, platform::acquire,
                                             platform::relaxed);
    }

    [[gnu::noinline]] void lock_slow(const void* owner);
    [[gnu::noinline]] void unlock_slow();

    platform::Atomic<uint64_t> word_{0};
};
static_assert(sizeof(SimpleLock) == 4 && sizeof(NestLock) == 8);

} // namespace heddle::construct
