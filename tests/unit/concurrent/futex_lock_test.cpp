// SPDX-License-Identifier: Apache-2.0
// The simple and the nestable lock on real threads: plain counters inside come out right.
// Interleavings are explored in tests/interleaving; here ThreadSanitizer sees the orders.
#include "concurrent/futex_lock.hpp"

#include "construct/lock.hpp"

#include "threads.hpp"

#include <gtest/gtest.h>
#include <type_traits>

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

/// One thread keeps the lock for more than a millisecond, and who sleeps for it is woken in vain:
/// it is late, and the first, that comes again at once, does not get the lock before it. The test
/// wakes it, for unlocking would leave it to the system who has the lock next.
TEST(FutexLock, is_handed_to_a_late_sleeper) {
    using Word = heddle::platform::Atomic<uint32_t>;
    static_assert(sizeof(Word) == sizeof(FutexLock) && std::is_standard_layout_v<FutexLock>);
    FutexLock lock;
    for (int round = 0; round < 20; ++round) {
        heddle::platform::Atomic<int> turns{0};
        lock.lock(test::impatient);
        std::thread sleeper([&] {
            lock.lock({0, 0});
            turns.fetch_add(1, heddle::platform::relaxed);
            lock.unlock();
        });
        while (!lock.is_promised()) {
            heddle::platform::wake(reinterpret_cast<Word&>(lock), 1);
            heddle::platform::yield();
        }
        EXPECT_EQ(turns.load(heddle::platform::relaxed), 0);
        lock.unlock();
        lock.lock(test::impatient);
        EXPECT_EQ(turns.load(heddle::platform::relaxed), 1);
        lock.unlock();
        sleeper.join();
        EXPECT_FALSE(lock.is_held());
    }
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
