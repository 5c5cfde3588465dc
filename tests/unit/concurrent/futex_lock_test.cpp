// SPDX-License-Identifier: Apache-2.0
// The simple and the nestable lock on real threads: plain counters inside come out right.
// Interleavings are explored in tests/interleaving; here ThreadSanitizer sees the orders.
#include "concurrent/futex_lock.hpp"

#include "construct/lock.hpp"

#include "threads.hpp"

#include <gtest/gtest.h>

namespace {

using heddle::concurrent::FutexLock;
using heddle::construct::NestLock;

TEST(FutexLock, excludes) {
    for (int threads : test::thread_counts) {
        FutexLock lock;
        long count = 0;
        const int rounds = 20000 / test::slower / threads;
        test::on_threads(threads, [&](int me) {
            test::Random random(me);
            for (int i = 0; i < rounds; ++i) {
                if (random.below(4) != 0 || !lock.try_lock())
                    lock.lock(test::impatient);
                ++count;
                lock.unlock();
            }
        });
        EXPECT_EQ(count, long{threads} * rounds);
        EXPECT_FALSE(lock.is_held());
    }
}

TEST(FutexLock, tries_without_waiting) {
    FutexLock lock;
    EXPECT_TRUE(lock.try_lock());
    EXPECT_FALSE(lock.try_lock());
    EXPECT_TRUE(lock.is_held());
    lock.unlock(); // by whom does not matter
    EXPECT_TRUE(lock.try_lock());
}

TEST(FutexLock, is_free_in_zeroed_memory) {
    alignas(FutexLock) unsigned char memory[sizeof(FutexLock)] = {};
    auto& lock = *reinterpret_cast<FutexLock*>(memory);
    EXPECT_FALSE(lock.is_held());
    EXPECT_TRUE(lock.try_lock());
}

/// One thread keeps the lock for long and comes again at once; another one sleeps for it. When
/// the second is late, the first does not get the lock again before it.
TEST(FutexLock, is_handed_to_a_late_sleeper) {
    FutexLock lock;
    int promises = 0;
    for (int round = 0; round < 100 && promises < 3; ++round) { // now and then luck is earlier
        heddle::platform::Atomic<int> turns{0};
        lock.lock(test::impatient);
        std::thread sleeper([&] {
            lock.lock({0, 0});
            turns.fetch_add(1, heddle::platform::relaxed);
            lock.unlock();
        });
        while (!lock.is_promised() && turns.load(heddle::platform::relaxed) == 0) {
            lock.unlock();
            lock.lock(test::impatient);
            const uint64_t until = heddle::platform::now_ns() + 200'000;
            while (heddle::platform::now_ns() < until) {
            }
        }
        const bool promised = lock.is_promised();
        lock.unlock();
        lock.lock(test::impatient);
        if (promised) {
            ++promises;
            EXPECT_EQ(turns.load(heddle::platform::relaxed), 1);
        }
        lock.unlock();
        sleeper.join();
        EXPECT_FALSE(lock.is_held());
    }
    EXPECT_EQ(promises, 3);
}

TEST(NestLock, excludes_and_counts) {
    for (int threads : test::thread_counts) {
        NestLock lock;
        long count = 0;
        const int rounds = 5000 / test::slower / threads;
        test::on_threads(threads, [&](int) {
            alignas(16) char owner[16];
            for (int i = 0; i < rounds; ++i) {
                lock.lock(owner);
                EXPECT_EQ(lock.try_lock(owner), 2);
                lock.lock(owner);
                ++count;
                lock.unlock();
                lock.unlock();
                ++count;
                lock.unlock();
            }
        });
        EXPECT_EQ(count, 2L * threads * rounds);
        alignas(16) char owner[2][16];
        EXPECT_EQ(lock.try_lock(owner[0]), 1);
        EXPECT_EQ(lock.try_lock(owner[1]), 0);
    }
}

} // namespace
