// SPDX-License-Identifier: Apache-2.0
// The five locks of the Cyclops-64 paper on real threads: plain counters inside come out right.
// Interleavings are explored in tests/interleaving; here ThreadSanitizer sees the orders.
#include "concurrent/locks/mcs.hpp"
#include "concurrent/locks/mcs_sleep.hpp"
#include "concurrent/locks/test_and_set.hpp"
#include "concurrent/locks/test_and_set_backoff.hpp"
#include "concurrent/locks/ticket.hpp"

#include "threads.hpp"

#include <gtest/gtest.h>

namespace {

using namespace heddle::concurrent;

template <class L>
class Locks : public testing::Test {};
using All = testing::Types<TestAndSet, TestAndSetBackoff, Ticket, Mcs, McsSleep>;
TYPED_TEST_SUITE(Locks, All);

TYPED_TEST(Locks, exclude) {
    for (int threads : test::thread_counts) {
        TypeParam lock;
        long count = 0;
        const int rounds = 4000 / test::slower / threads;
        test::on_threads(threads, [&](int me) {
            test::Random random(me);
            typename TypeParam::Node node;
            for (int i = 0; i < rounds; ++i) {
                if (random.below(4) != 0 || !lock.try_lock(node))
                    lock.lock(node, test::impatient);
                ++count;
                lock.unlock(node);
            }
        });
        EXPECT_EQ(count, long{threads} * rounds);
    }
}

TYPED_TEST(Locks, try_without_waiting) {
    TypeParam lock;
    typename TypeParam::Node mine, other;
    EXPECT_TRUE(lock.try_lock(mine));
    EXPECT_FALSE(lock.try_lock(other));
    lock.unlock(mine);
    EXPECT_TRUE(lock.try_lock(other));
    lock.unlock(other);
}

} // namespace
