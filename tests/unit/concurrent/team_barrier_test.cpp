// SPDX-License-Identifier: Apache-2.0
// The team barrier and the event count on real threads: nobody passes early, with threads that turn
// active again while they wait, and nobody sleeps for ever.
#include "concurrent/team_barrier.hpp"

#include "concurrent/event_count.hpp"

#include "threads.hpp"

#include <gtest/gtest.h>

namespace {

using heddle::concurrent::EventCount;
using heddle::concurrent::TeamBarrier;
namespace platform = heddle::platform;

TEST(TeamBarrier, keeps_the_phases_apart) {
    for (int threads : test::thread_counts) {
        const int phases = 2000 / test::slower;
        const auto size = static_cast<uint32_t>(threads);
        TeamBarrier barrier;
        EventCount sleep;
        barrier.reset(size);
        std::vector<int> phase_of(size);
        test::on_threads(threads, [&](int me) {
            test::Random random(me);
            for (int phase = 1; phase <= phases; ++phase) {
                phase_of[static_cast<size_t>(me)] = phase;
                const uint32_t epoch = barrier.epoch();
                bool last = barrier.arrive(size);
                while (!last && !barrier.completed(epoch)) {
                    if (random.below(2) == 0 && barrier.rejoin(epoch)) {
                        EXPECT_GT(barrier.active(), 0u);
                        last = barrier.arrive(size);
                        continue;
                    }
                    const uint32_t key = sleep.announce();
                    if (barrier.surely_completed(epoch))
                        sleep.withdraw();
                    else
                        sleep.sleep(key);
                }
                if (last)
                    sleep.notify_all();
                // Plain reads: the barrier orders them. Nobody writes before the second one.
                for (int other : phase_of)
                    EXPECT_EQ(other, phase);
                const uint32_t second = barrier.epoch();
                if (barrier.arrive(size))
                    sleep.notify_all();
                while (!barrier.completed(second))
                    platform::yield();
            }
        });
        EXPECT_FALSE(sleep.has_sleepers());
    }
}

TEST(TeamBarrier, refuses_to_rejoin_another_epoch) {
    TeamBarrier barrier;
    barrier.reset(2);
    const uint32_t epoch = barrier.epoch();
    EXPECT_FALSE(barrier.arrive(2));
    EXPECT_TRUE(barrier.rejoin(epoch));
    EXPECT_EQ(barrier.active(), 2u);
    EXPECT_FALSE(barrier.arrive(2));
    EXPECT_FALSE(barrier.completed(epoch));
    EXPECT_TRUE(barrier.arrive(2));
    EXPECT_TRUE(barrier.completed(epoch));
    EXPECT_FALSE(barrier.rejoin(epoch));
    EXPECT_EQ(barrier.active(), 2u);
}

TEST(EventCount, wakes_all_who_wait_for_a_number) {
    for (int threads : test::thread_counts) {
        const uint32_t last = 3000u / test::slower;
        EventCount event;
        platform::Atomic<uint32_t> number{0};
        test::on_threads(threads + 1, [&](int me) {
            for (uint32_t i = 1; i <= last; ++i) {
                if (me == threads) {
                    number.fetch_add(1, platform::seq_cst);
                    event.notify_all();
                    continue;
                }
                while (number.load(platform::acquire) < i) {
                    const uint32_t key = event.announce();
                    if (number.load(platform::seq_cst) >= i)
                        event.withdraw();
                    else
                        event.sleep(key);
                }
            }
        });
        EXPECT_FALSE(event.has_sleepers());
    }
}

} // namespace
