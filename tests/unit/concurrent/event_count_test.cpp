// SPDX-License-Identifier: Apache-2.0
// How a sleep at an event count ends, as the sleeper is told. That none is missed is explored:
// tests/interleaving/event_count_test.cpp.
#include "concurrent/event_count.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace {

using heddle::concurrent::EventCount;
using Sleep = EventCount::Sleep;

TEST(EventCount, ASleepThatNobodyEndsIsOver) {
    EventCount event;
    const uint32_t key = event.announce();
    EXPECT_EQ(event.sleep(key, 1'000), Sleep::undisturbed);
    EXPECT_FALSE(event.has_sleepers());
}

TEST(EventCount, ANotificationBeforeTheSleepIsTold) {
    EventCount event;
    const uint32_t key = event.announce();
    event.notify(1);
    EXPECT_EQ(event.sleep(key), Sleep::too_late);
    EXPECT_FALSE(event.has_sleepers());
}

TEST(EventCount, WhoIsAsleepIsNotified) {
    EventCount event;
    std::atomic<bool> notified{false};
    std::thread sleeper([&] {
        while (event.sleep(event.announce()) != Sleep::notified) {
        }
        notified = true;
    });
    while (!notified) {
        event.notify(1);
        std::this_thread::yield();
    }
    sleeper.join();
}

} // namespace
