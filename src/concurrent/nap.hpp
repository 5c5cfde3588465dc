// SPDX-License-Identifier: Apache-2.0
// A short sleep of one thread. Called where a thread looks again after a while, and nobody is to
// wake it; it writes nothing that others see, and orders nothing.
#pragma once

#include "platform.hpp"

namespace heddle::concurrent {

/// Sleeps for `ns` nanoseconds, or less. No cancellation point.
inline void nap(uint64_t ns) {
    platform::Atomic<uint32_t> nobody_wakes{0};
    platform::wait_on(nobody_wakes, 0, ns);
}

} // namespace heddle::concurrent
