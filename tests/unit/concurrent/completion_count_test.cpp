// SPDX-License-Identifier: Apache-2.0
// The split counter with a parker, on real threads: waiting owners are woken, abandoned counters
// are reclaimed once, and what the children wrote is seen.
#include "concurrent/completion_count.hpp"

#include "concurrent/parker.hpp"

#include "threads.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace {

using heddle::concurrent::Completion;
using heddle::concurrent::Parker;
using heddle::concurrent::SplitCounter;
namespace platform = heddle::platform;

TEST(SplitCounter, wakes_the_owner_after_the_last_child) {
    for (int threads : test::thread_counts) {
        const int rounds = 400 / test::slower;
        SplitCounter counter;
        Parker parker;
        platform::Atomic<int> round{0};
        std::vector<int> results(static_cast<size_t>(threads));
        counter.reset();
        test::on_threads(threads + 1, [&](int me) {
            if (me != threads) { // a child a round
                for (int i = 1; i <= rounds; ++i) {
                    while (round.load(platform::acquire) < i)
                        platform::yield();
                    results[static_cast<size_t>(me)] = i;
                    if (counter.done() == Completion::wake)
                        parker.unpark();
                }
                return;
            }
            for (int i = 1; i <= rounds; ++i) {
                for (int child = 0; child < threads + 2; ++child)
                    counter.add_local();
                round.store(i, platform::release);
                EXPECT_TRUE(counter.done_local());
                EXPECT_TRUE(counter.done_local());
                while (!counter.complete()) {
                    if (!counter.prepare_wait())
                        parker.park(platform::forever);
                    counter.end_wait();
                }
                for (int result : results)
                    EXPECT_EQ(result, i);
            }
        });
    }
}

TEST(SplitCounter, is_reclaimed_once) {
    for (int threads : test::thread_counts) {
        for (int round = 0; round < 300 / test::slower; ++round) {
            auto counter = std::make_unique<SplitCounter>();
            counter->reset();
            platform::Atomic<int> reclaims{0};
            for (int child = 0; child < threads; ++child)
                counter->add_local();
            test::on_threads(threads + 1, [&](int me) {
                if (me == threads ? counter->abandon() : counter->done() == Completion::reclaim)
                    reclaims.fetch_add(1, platform::relaxed);
            });
            EXPECT_EQ(reclaims.load(platform::relaxed), 1);
            EXPECT_FALSE(counter->done_local());
        }
    }
}

} // namespace
