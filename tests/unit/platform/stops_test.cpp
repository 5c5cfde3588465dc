// SPDX-License-Identifier: Apache-2.0
// How often a thread has stopped: sleeping counts as waiting.
#include "platform.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace {

using heddle::platform::Stops;
using heddle::platform::stops;

TEST(Stops, CountsSleeps) {
    const Stops before = stops();
    for (int i = 0; i < 3; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const Stops after = stops();
    EXPECT_GE(after.waiting, before.waiting + 3);
    EXPECT_GE(after.preempted, before.preempted);
}

} // namespace
