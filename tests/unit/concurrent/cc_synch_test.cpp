// SPDX-License-Identifier: Apache-2.0
// CC-Synch on real threads: plain data of an object that only combiners touch comes out right, and
// everybody gets the answer to their own request.
// Interleavings are explored in tests/interleaving; here ThreadSanitizer sees the orders.
#include "concurrent/cc_synch.hpp"

#include "threads.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace {

/// Asks for `count` tickets in a row and gets the first.
struct Request {
    long count, first;
};

template <uint32_t most_requests>
struct Tickets {
    using Synch = heddle::concurrent::CcSynch<Request, most_requests>;

    Synch synch;
    long next = 0; // plain: a combiner's

    Tickets() { EXPECT_TRUE(synch.prepare()); }
    long take(typename Synch::Handle& handle, long count) {
        Request request{count, -1};
        synch.apply(handle, request, [this](Request& announced) {
            announced.first = next;
            next += announced.count;
            if (announced.first % 16 == 0) // others announce meanwhile, so that there is something
                heddle::platform::yield(); // to combine
        });
        return request.first;
    }
};

template <uint32_t most_requests>
void answers_everybody() {
    for (int threads : test::thread_counts) {
        Tickets<most_requests> tickets;
        const long rounds = 3 * (12000 / test::slower / threads);
        const long each = 6 * (rounds / 3);
        std::vector<int> holders(static_cast<size_t>(each * threads), -1);
        test::on_threads(threads, [&](int me) {
            typename Tickets<most_requests>::Synch::Handle handle;
            ASSERT_TRUE(handle.prepare());
            long last = -1;
            for (long i = 0; i < rounds; ++i) {
                const long count = 1 + i % 3;
                const long first = tickets.take(handle, count);
                ASSERT_GT(first, last);
                last = first + count - 1;
                ASSERT_LT(last, each * threads);
                for (long ticket = first; ticket <= last; ++ticket)
                    holders[static_cast<size_t>(ticket)] = me;
            }
        });
        EXPECT_EQ(tickets.next, each * threads);
        std::vector<long> held(static_cast<size_t>(threads), 0);
        for (int holder : holders) {
            ASSERT_GE(holder, 0);
            ++held[static_cast<size_t>(holder)];
        }
        for (long count : held)
            EXPECT_EQ(count, each);
    }
}

TEST(CcSynch, answers_everybody) { answers_everybody<64>(); }
TEST(CcSynch, answers_everybody_when_combiners_do_little) { answers_everybody<1>(); }

TEST(CcSynch, serves_threads_that_come_and_go) {
    using Synch = Tickets<4>::Synch;
    for (int threads : test::thread_counts) {
        const int rounds = 64 / test::slower, calls = 50;
        std::array<Tickets<4>, 2> tickets;
        for (int round = 0; round < rounds; ++round)
            test::on_threads(threads, [&](int me) {
                Synch::Handle handle;
                ASSERT_TRUE(handle.prepare());
                for (size_t i = 0; i < calls; ++i)
                    tickets[(static_cast<size_t>(me) + i) % 2].take(handle, 1);
            });
        EXPECT_EQ(tickets[0].next + tickets[1].next, long{rounds} * threads * calls);
        EXPECT_EQ(tickets[0].next, tickets[1].next);
    }
}

TEST(CcSynch, handles_and_objects_die_in_any_order) {
    auto tickets = std::make_unique<Tickets<4>>();
    using Handle = Tickets<4>::Synch::Handle;
    auto brief = std::make_unique<Handle>(), lasting = std::make_unique<Handle>();
    ASSERT_TRUE(brief->prepare() && lasting->prepare());
    EXPECT_EQ(tickets->take(*brief, 1), 0);
    EXPECT_EQ(tickets->take(*lasting, 2), 1);
    brief = nullptr;
    EXPECT_EQ(tickets->take(*lasting, 1), 3);
    tickets = std::make_unique<Tickets<4>>();
    EXPECT_EQ(tickets->take(*lasting, 1), 0);
    tickets = nullptr;
    EXPECT_TRUE(lasting->prepare()); // again: nothing to do
}

} // namespace
