// SPDX-License-Identifier: Apache-2.0
// A thread's own stack of blocks in front of its BlockPool: an array, so that taking a block waits
// for one word in the cache and not for a link in the last block, and the blocks' contents are left
// alone while they lie here. Owner only, no atomics. Source: Cyclops-64 paper (per-worker memory).
#pragma once

#include "concurrent/check.hpp"

namespace heddle::concurrent {

class BlockCache {
public:
    /// The block put last; nullptr when there is none.
    void* take() {
        void* const block = blocks_[count_];
        if (HEDDLE_LIKELY(block != nullptr))
            --count_;
        return block;
    }

    /// False: there is no room.
    bool put(void* block) {
        if (HEDDLE_UNLIKELY(count_ == capacity))
            return false;
        blocks_[++count_] = block;
        return true;
    }

private:
    static constexpr size_t capacity = 62; // eight cache lines in all

    size_t count_ = 0;
    void* blocks_[capacity + 1] = {}; // the first stays nullptr: the bottom
};

} // namespace heddle::concurrent
