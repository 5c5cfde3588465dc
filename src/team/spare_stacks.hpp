// SPDX-License-Identifier: Apache-2.0
// Side stacks that a thread keeps for the next parts that it begins on one.
// Used by schedule/carried_parts and, at the thread's end, team/pool_thread; the thread's own.
#pragma once

#include "concurrent/check.hpp"

namespace heddle::team {

class SpareStacks {
public:
    /// None is left: size 0.
    platform::SideStack take() {
        return HEDDLE_LIKELY(count_ > 0) ? stacks_[--count_] : platform::SideStack{};
    }

    /// Without memory to note it, it goes back to the system.
    void keep(const platform::SideStack& stack) {
        if (HEDDLE_LIKELY(count_ < capacity_) || grow())
            stacks_[count_++] = stack;
        else
            platform::unmap_stack(stack);
    }

    /// At the thread's end.
    void release() {
        while (count_ > 0)
            platform::unmap_stack(stacks_[--count_]);
        platform::deallocate(stacks_);
        stacks_ = nullptr;
        capacity_ = 0;
    }

private:
    [[gnu::noinline]] bool grow() {
        const int32_t capacity = capacity_ == 0 ? 16 : capacity_ * 2;
        auto* stacks = static_cast<platform::SideStack*>(
            platform::allocate(sizeof(platform::SideStack) * static_cast<size_t>(capacity),
                               alignof(platform::SideStack)));
        if (!stacks)
            return false;
        for (int32_t i = 0; i < count_; ++i)
            ::new (&stacks[i]) platform::SideStack(stacks_[i]);
        platform::deallocate(stacks_);
        stacks_ = stacks;
        capacity_ = capacity;
        return true;
    }

    platform::SideStack* stacks_ = nullptr;
    int32_t count_ = 0, capacity_ = 0;
};

} // namespace heddle::team
