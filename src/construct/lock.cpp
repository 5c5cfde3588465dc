// SPDX-License-Identifier: Apache-2.0
// Nestable locks: one word with owner, nesting count, and what is known of those who sleep.
// Acquire in lock()/try_lock() pairs with the release in the unlock() that freed the word.
#include "construct/lock.hpp"

#include "team/watching.hpp"

namespace heddle::construct {

int NestLock::try_lock(const void* owner) {
    const uint64_t before = word_.load(platform::relaxed);
    if (is_held_by(before, owner)) {
        const uint64_t word = word_.fetch_add(1, platform::relaxed) + 1; // only we change the count
        return static_cast<int>(word & count_mask);
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
    const uint64_t word = word_.load(platform::relaxed); // only the owner changes the count
    if ((word & count_mask) > 1)
        word_.fetch_sub(1, platform::relaxed);
    else
        concurrent::give_back<Layout>(word_, word);
}

} // namespace heddle::construct
