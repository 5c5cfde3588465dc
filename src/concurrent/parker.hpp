// SPDX-License-Identifier: Apache-2.0
// One thread's place to sleep: unpark() leaves a permit, park() takes it or sleeps for it.
// park() by the owner only, unpark() by any thread, in any order. Spurious returns are allowed.
// Ordering: park()'s acquire takes what unpark() released. Protocol: docs/protocols/parker.md.
#pragma once

#include "concurrent/check.hpp"

namespace heddle::concurrent {

class Parker {
public:
    /// Sleeps until a permit is there, at most `timeout_ns`; takes the permit.
    void park(uint64_t timeout_ns) {
        // acquire: pairs with the release of unpark()
        if (state_.exchange(idle, platform::acquire) == permit)
            return;
        uint32_t expected = idle;
        if (state_.compare_exchange_strong(expected, asleep, platform::acquire, platform::acquire))
            platform::wait_on(state_, asleep, timeout_ns);
        state_.exchange(idle, platform::acquire);
    }

    /// Lets the owner's current or next park() return.
    void unpark() {
        // release: what the caller wrote is seen by the owner after its park()
        if (state_.exchange(permit, platform::release) == asleep)
            platform::wake(state_, 1);
    }

private:
    static constexpr uint32_t idle = 0, permit = 1, asleep = 2;
    platform::Atomic<uint32_t> state_{idle};
};

} // namespace heddle::concurrent
