// SPDX-License-Identifier: Apache-2.0
// Nestable locks: one word with owner, nesting count, and what is known of those who sleep.
// Acquire in lock()/try_lock() pairs with the release in the unlock() that freed the word.
#include "construct/lock.hpp"

#include "team/watching.hpp"

namespace heddle::construct {

int NestLock::try_lock(const void* owner) {
    const uint64_t before = word_.load(platform::relaxed);
    if (is_held_by(before, owner)) { // only we change the count
        const auto count = static_cast<Count>(before);
        if (HEDDLE_UNLIKELY(count == most_levels))
            platform::die("omp_set_nest_lock or omp_test_nest_lock: the task holds the lock 65535 "
                          "times, and no more is possible");
        word_.store_low(static_cast<Count>(count + 1), platform::relaxed);
        return count + 1;
    }
    return concurrent::is_free<Layout>(before) && take(before, owner);
}

void NestLock::lock(const void* owner) {
    if (HEDDLE_UNLIKELY(!try_lock(owner)))
        lock_slow(owner);
}

void NestLock::lock_slow(const void* owner) {
    team::Member& member = team::self();
    const team::WatchedWait watched(member, tool::WaitKind::nest_lock, this);
    // relaxed: what it reads is compared when the lock is taken
    if (!concurrent::poll_for(team::brief_wait_limits(member.team_size), [=, this] {
            const uint64_t word = word_.load(platform::relaxed);
            return concurrent::is_free<Layout>(word) && take(word, owner);
        }))
        concurrent::sleep_for<Layout>(word_, owner_bits(owner) | 1);
}

void NestLock::unlock() {
    // Only the owner changes the count. It is read alone: the store buffer has that.
    const Count count = word_.load_low<Count>(platform::relaxed);
    if (count > 1)
        return word_.store_low(static_cast<Count>(count - 1), platform::relaxed);
    if (platform::own::has_memory_atomics() ||
        HEDDLE_UNLIKELY(!concurrent::lock_slots.are_plain(this)))
        return unlock_slow();
    // release: pairs with the acquire of the next holder. The lock's memory is not read again.
    word_.store_low(Count{0}, platform::release);
    platform::compiler_fence(); // Dekker with LockSlots::close(), which has the fence
    if (HEDDLE_UNLIKELY(!concurrent::lock_slots.are_plain(this)))
        platform::wake(word_, 1);
}

void NestLock::unlock_slow() {
    concurrent::give_back<Layout>(word_, word_.load(platform::relaxed));
}

} // namespace heddle::construct
