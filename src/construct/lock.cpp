// SPDX-License-Identifier: Apache-2.0
// Nestable locks: one word with owner, nesting count and a bit for sleepers.
// Acquire in lock()/try_lock() pairs with the release in the unlock() that freed the word.
#include "construct/lock.hpp"

namespace heddle::construct {

int NestLock::try_lock(const void* owner) {
    if (held_by(owner)) {
        const uint64_t word = word_.fetch_add(1, platform::relaxed) + 1; // only we change the count
        return static_cast<int>(word & count_mask);
    }
    uint64_t word = word_.load(platform::relaxed);
    while ((word & count_mask) == 0)
        if (word_.compare_exchange_strong(word, owner_bits(owner) | (word & sleepers) | 1,
                                          platform::acquire, platform::relaxed))
            return 1;
    return 0;
}

void NestLock::lock(const void* owner) {
    if (try_lock(owner))
        return;
    concurrent::Waiting waiting(team::wait_limits(team::self().team_size));
    while (!try_lock(owner)) {
        if (waiting.again())
            continue;
        uint64_t word = word_.load(platform::relaxed);
        if ((word & count_mask) == 0)
            continue;
        if (!(word & sleepers) && !word_.compare_exchange_strong(
                                      word, word | sleepers, platform::relaxed, platform::relaxed))
            continue;
        // The low half holds the bit and the count: it changes when the lock is freed.
        platform::wait_on(word_, word | sleepers, platform::forever);
    }
}

void NestLock::unlock() {
    const uint64_t word = word_.load(platform::relaxed); // only the owner changes the count
    if ((word & count_mask) > 1) {
        word_.fetch_sub(1, platform::relaxed);
        return;
    }
    // release: pairs with the acquire of the next owner. All sleepers compete anew.
    if (word_.exchange(0, platform::release) & sleepers)
        platform::wake(word_, 1 << 30);
}

} // namespace heddle::construct
