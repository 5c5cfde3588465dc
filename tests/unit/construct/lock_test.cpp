// SPDX-License-Identifier: Apache-2.0
// Nestable locks: their counts, and the most levels that one has. Other threads are in
// interleaving.nest_lock and stress.locks.
#include "construct/lock.hpp"

#include <csignal>
#include <gtest/gtest.h>

namespace heddle::construct {
namespace {

struct alignas(16) Task {};
constexpr int most_levels = 65535;

TEST(NestLock, CountsEachLevelOfItsOwnerAndRefusesOthers) {
    NestLock lock;
    const Task tasks[2];
    for (const Task& task : tasks) { // the second finds what the first left
        const Task& other = &task == tasks ? tasks[1] : tasks[0];
        for (int level = 1; level <= most_levels; ++level) {
            ASSERT_EQ(lock.try_lock(&task), level);
            ASSERT_EQ(lock.count(), level);
            ASSERT_EQ(lock.try_lock(&other), 0);
        }
        for (int level = most_levels; level > 0; --level) {
            ASSERT_EQ(lock.count(), level);
            lock.unlock();
        }
    }
    EXPECT_EQ(lock.count(), 0);
    EXPECT_EQ(lock.try_lock(&tasks[1]), 1) << "its last owner";
    lock.unlock();
}

TEST(NestLockDeathTest, ALevelTooManyEndsTheProcessByName) {
    NestLock lock;
    const Task task;
    for (int level = 1; level <= most_levels; ++level)
        lock.lock(&task);
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(lock.lock(&task), testing::KilledBySignal(SIGABRT),
                "omp_set_nest_lock or omp_test_nest_lock: the task holds the lock 65535 times");
    while (lock.count() > 0)
        lock.unlock();
}

} // namespace
} // namespace heddle::construct
