// SPDX-License-Identifier: Apache-2.0
// How long a loop stays in order, and by how many chunks at a time, for chunks whose time is a
// script: of one member, which gets all of them.
#include "construct/loop_in_order.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace {

using namespace heddle::construct;

struct Handed {
    std::vector<uint32_t> batches;
    uint64_t chunks = 0; ///< in order

    bool stays(uint64_t all) const { return chunks == all; }
};

/// The batches of a loop of `chunks`, number i of which takes ns(i), until its order ends. What
/// earlier loops have left is in `spare_ns`.
template <class Ns>
Handed hand_out(const OrderRule& rule, uint64_t chunks, uint32_t& spare_ns, Ns&& ns) {
    Handed handed;
    uint32_t size = 1;
    while (size != 0 && handed.chunks < chunks) {
        uint64_t took = 0;
        for (uint32_t i = 0; i < size && handed.chunks + i < chunks; ++i)
            took += ns(handed.chunks + i);
        handed.batches.push_back(size);
        handed.chunks += size;
        if (handed.chunks < chunks)
            size = next_in_order(rule, size, took, chunks - handed.chunks, spare_ns);
    }
    return handed;
}

template <class Ns>
Handed hand_out(const OrderRule& rule, uint64_t chunks, Ns&& ns) {
    uint32_t spare_ns = 0;
    return hand_out(rule, chunks, spare_ns, ns);
}

TEST(LoopInOrder, TheLeastIsAQuarterOfAMicrosecondForEachThreadThatCanRun) {
    EXPECT_EQ(order_rule(2, 2, false).least_ns, 500u);
    EXPECT_EQ(order_rule(8, 2, false).least_ns, 500u);
    EXPECT_EQ(order_rule(8, 64, false).least_ns, 2000u);
    EXPECT_EQ(order_rule(5000, 5000, false).least_ns, 256000u);
    EXPECT_EQ(order_rule(5000, 5000, false).members, 5000u);
    EXPECT_EQ(order_rule(8, 64, true).least_ns, 16000u) << "on several nodes";
    EXPECT_EQ(order_rule(8, 64, true).batch_ns, order_rule(8, 64, false).batch_ns);
    const uint64_t most = OrderRule::most_batches * order_rule(5000, 5000, true).batch_ns;
    EXPECT_LE(most, 0xffffffffu) << "what is spare fits in its word";
}

TEST(LoopInOrder, LongChunksComeOneByOneToTheEnd) {
    for (int32_t threads : {2, 8, 192}) {
        const OrderRule rule = order_rule(threads, threads, false);
        const uint64_t ns = rule.batch_ns;
        const Handed handed = hand_out(rule, 1000, [&](uint64_t) { return ns; });
        EXPECT_TRUE(handed.stays(1000));
        for (uint32_t size : handed.batches)
            EXPECT_EQ(size, 1u);
    }
}

TEST(LoopInOrder, AShortChunkEndsIt) {
    for (int32_t threads : {2, 8, 192}) {
        const Handed handed =
            hand_out(order_rule(threads, threads, false), 100000, [](uint64_t) { return 20; });
        EXPECT_EQ(handed.batches, (std::vector<uint32_t>{1}));
    }
}

TEST(LoopInOrder, ChunksOfMiddlingLengthStayInBatches) {
    const OrderRule rule = order_rule(4, 4, false);
    for (uint64_t ns : {rule.least_ns, 2 * rule.least_ns, 4 * rule.least_ns}) {
        const Handed handed = hand_out(rule, 10000, [&](uint64_t) { return ns; });
        EXPECT_TRUE(handed.stays(10000));
        const uint64_t enough = rule.batch_ns / ns;
        for (size_t i = 2; i < 100; ++i)
            EXPECT_EQ(handed.batches[i], enough) << ns;
    }
    const uint64_t less = rule.least_ns - 50;
    EXPECT_LT(hand_out(rule, 10000, [&](uint64_t) { return less; }).chunks, 1000u);
}

TEST(LoopInOrder, BatchesAreAPartOfWhatIsLeft) {
    const OrderRule rule = order_rule(8, 8, false);
    uint32_t spare_ns = 1000000;
    EXPECT_EQ(next_in_order(rule, 4, 10, 64 * 15, spare_ns), 15u);
    EXPECT_EQ(next_in_order(rule, 4, 10, 255, spare_ns), 3u);
    EXPECT_EQ(next_in_order(rule, 4, 10, 128, spare_ns), 2u);
    EXPECT_EQ(next_in_order(rule, 4, 10, 20, spare_ns), 1u);
    EXPECT_EQ(next_in_order(rule, 4, 10, 0, spare_ns), 1u);
}

TEST(LoopInOrder, MonotonicLoopsHaveLargerBatches) {
    const OrderRule rule = order_rule(2, 2, false);
    constexpr uint64_t most = OrderRule::monotonic_most;
    EXPECT_EQ(batch_in_order(rule, 1, 10, 100000, most), OrderRule::growth);
    EXPECT_EQ(batch_in_order(rule, 32, 320, 100000, most), most);
    EXPECT_EQ(batch_in_order(rule, 64, 64 * 1000, 100000, most), 8u);
    EXPECT_EQ(batch_in_order(rule, 64, 640, 16 * 20, most), 20u);
    EXPECT_EQ(batch_in_order(rule, 64, 0, 0, most), 1u);
}

TEST(LoopInOrder, LongChunksPayForShortOnes) {
    const OrderRule rule = order_rule(2, 2, false);
    // One of twenty is long: on the average it is worth it.
    const Handed handed =
        hand_out(rule, 2000, [&](uint64_t i) { return i % 20 == 0 ? 40 * rule.least_ns : 50; });
    EXPECT_TRUE(handed.stays(2000));
    // But not for ever.
    const Handed ends =
        hand_out(rule, 1000000, [&](uint64_t i) { return i == 0 ? 10000 * rule.least_ns : 50; });
    EXPECT_LT(ends.chunks, OrderRule::most_batches * rule.batch_ns / rule.least_ns + 1000);
}

TEST(LoopInOrder, EarlierLoopsPayForThoseThatBeginWithShortChunks) {
    const OrderRule rule = order_rule(4, 4, false);
    const auto ns = [&](uint64_t i) { return i < 50 ? 50 : 20 * rule.least_ns; };
    EXPECT_FALSE(hand_out(rule, 100, ns).stays(100));
    uint32_t spare_ns = 0;
    EXPECT_TRUE(
        hand_out(rule, 100, spare_ns, [&](uint64_t) { return 20 * rule.least_ns; }).stays(100));
    EXPECT_TRUE(hand_out(rule, 100, spare_ns, ns).stays(100));
}

TEST(ChunkCounter, KeepsItsEndWhateverIsAdded) {
    const ChunkCounter goes_on = ChunkCounter::at(7);
    EXPECT_FALSE(goes_on.has_ended());
    EXPECT_EQ(goes_on.next(), 7u);
    ChunkCounter counter = goes_on.ended();
    counter.word += 5;
    counter.word |= ChunkCounter::last_bit;
    EXPECT_TRUE(counter.has_ended());
    EXPECT_EQ(counter.begin_of_ranges(), 7u);
    EXPECT_EQ(counter.next(), 12u);
    const uint64_t most = most_range_units - 1;
    EXPECT_EQ(ChunkCounter::at(most).ended().begin_of_ranges(), most);
    EXPECT_FALSE((ChunkCounter{goes_on.word | ChunkCounter::last_bit}.has_ended()));
}

} // namespace
