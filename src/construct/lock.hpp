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

private:
    // owner address >> 4 in the upper 44 bits | sleepers bit | nesting count in 19 bits.
    static constexpr uint64_t count_mask = (1u << 19) - 1, sleepers = 1u << 19;
    static constexpr int owner_shift = 20;
    static uint64_t owner_bits(const void* owner) {
        return reinterpret_cast<uint64_t>(owner) >> 4 << owner_shift;
    }
    bool held_by(const void* owner) const {
        const uint64_t word = word_.load(platform::relaxed); // our own owner bits are our own write
        return (word & count_mask) != 0 && word >> owner_shift << owner_shift == owner_bits(owner);
    }

    platform::Atomic<uint64_t> word_{0};
};
static_assert(sizeof(SimpleLock) == 4 && sizeof(NestLock) == 8);

} // namespace heddle::construct
