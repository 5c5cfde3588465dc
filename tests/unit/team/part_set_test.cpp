// SPDX-License-Identifier: Apache-2.0
// Sets of parts against std::set, blocks: each part without a CPU is dealt out once, and what
// others find untried; side stacks that are kept.
#include "team/part_set.hpp"
#include "team/spare_stacks.hpp"

#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace heddle::team;

std::set<int32_t> numbers_in(const PartSet& set) {
    std::set<int32_t> found;
    for (uint32_t i = 0; i < set.words(); ++i)
        for (uint32_t k = 0; k < PartSet::word_bits; ++k)
            if ((set.word(i) >> k & 1) != 0)
                found.insert(static_cast<int32_t>(i * PartSet::word_bits + k));
    return found;
}

TEST(PartSet, is_a_set) {
    std::mt19937 random(1);
    for (const int32_t size : {1, 2, 16, 63, 64, 65, 128, 200, most_parts}) {
        PartSet set;
        std::set<int32_t> model;
        set.begin(size);
        EXPECT_FALSE(set.any());
        EXPECT_EQ(set.highest(), -1);
        for (int step = 0; step < 2000; ++step) {
            const auto number = static_cast<int32_t>(random() % static_cast<uint32_t>(size));
            if (random() % 2 != 0) {
                set.add(number);
                model.insert(number);
            } else {
                set.remove(number);
                model.erase(number);
            }
            ASSERT_EQ(set.has(number), model.count(number) != 0);
            ASSERT_EQ(set.any(), !model.empty());
            ASSERT_EQ(set.highest(), model.empty() ? -1 : *model.rbegin());
            const auto next = model.upper_bound(number);
            ASSERT_EQ(set.next_after(number), model.empty()         ? -1
                                              : next != model.end() ? *next
                                                                    : *model.begin());
        }
        EXPECT_EQ(numbers_in(set), model);
        set.clear();
        EXPECT_FALSE(set.any());
    }
}

TEST(PartSet, what_was_in_it_is_forgotten_with_the_region) {
    PartSet set;
    set.begin(most_parts);
    set.add_range(0, most_parts);
    set.begin(3);
    EXPECT_FALSE(set.any());
    set.begin(most_parts);
    EXPECT_FALSE(set.any());
}

TEST(PartSet, takes_ranges_and_others) {
    constexpr int32_t size = 200;
    for (int32_t first = 0; first < size; first += 3)
        for (int32_t end = 0; end <= size; ++end) {
            PartSet set;
            set.begin(size);
            set.add_range(first, end);
            std::set<int32_t> model;
            for (int32_t i = first; i < end; ++i)
                model.insert(i);
            ASSERT_EQ(numbers_in(set), model) << first << " to " << end;
            PartSet rest;
            rest.begin(size);
            rest.add_range(0, size);
            rest.remove(set);
            ASSERT_EQ(numbers_in(rest).size(), size - model.size());
        }
}

/// What each thread with a CPU takes, in that order.
std::vector<std::vector<int32_t>> taken(int32_t with_cpu, int32_t size) {
    const Blocks blocks(with_cpu, size);
    std::vector<std::vector<int32_t>> all;
    for (int32_t i = 0; i < with_cpu; ++i) {
        Untried untried;
        untried.begin(i, with_cpu, size, blocks.size(i));
        std::vector<int32_t>& own = all.emplace_back();
        while (untried.has_block())
            own.push_back(untried.take_of_block());
    }
    return all;
}

TEST(Blocks, deal_each_part_out_once) {
    for (int32_t with_cpu = 1; with_cpu <= 16; ++with_cpu)
        for (int32_t size = with_cpu + 1; size <= 100; ++size) {
            std::set<int32_t> all;
            for (const std::vector<int32_t>& own : taken(with_cpu, size)) {
                EXPECT_LE(static_cast<int32_t>(own.size()) + 1, Blocks(with_cpu, size).share());
                all.insert(own.begin(), own.end());
                EXPECT_TRUE(std::is_sorted(own.rbegin(), own.rend())) << "from the highest down";
            }
            ASSERT_EQ(static_cast<int32_t>(all.size()), size - with_cpu);
            EXPECT_EQ(*all.begin(), with_cpu);
            EXPECT_EQ(*all.rbegin(), size - 1);
        }
}

TEST(Blocks, go_there_and_back) {
    const std::vector<std::vector<int32_t>> expected{{5, 4, 3}, {7, 6, 2}};
    EXPECT_EQ(taken(2, 8), expected);
}

TEST(Blocks, others_find_what_is_untried) {
    for (const int32_t with_cpu : {1, 2, 3, 7})
        for (const int32_t size : {8, 16, 65, 300}) {
            const Blocks blocks(with_cpu, size);
            for (int32_t i = 0; i < with_cpu; ++i) {
                Untried untried;
                untried.begin(i, with_cpu, size, blocks.size(i));
                std::set<int32_t> model;
                for (int32_t k = 0; k < untried.count(); ++k)
                    model.insert(untried.number_of(k));
                for (;;) {
                    PartSet set;
                    set.begin(size);
                    blocks.add(i, untried.count(), set);
                    ASSERT_EQ(numbers_in(set), model);
                    if (!untried.has_block())
                        break;
                    model.erase(untried.take_of_block());
                }
            }
        }
}

TEST(Untried, ends_with_those_of_others) {
    Untried untried;
    untried.begin(0, 2, 100, 1);
    EXPECT_TRUE(untried.any());
    EXPECT_TRUE(untried.has_block());
    untried.take_of_block();
    EXPECT_FALSE(untried.has_block());
    EXPECT_TRUE(untried.any()) << "it does not know of others yet";
    PartSet& others = untried.learn_all();
    others.add(1);
    others.add(70);
    EXPECT_TRUE(untried.any());
    EXPECT_EQ(untried.take_other(), 70);
    EXPECT_EQ(untried.take_other(), 1);
    EXPECT_EQ(untried.take_other(), -1);
    EXPECT_FALSE(untried.any());
}

TEST(SpareStacks, gives_back_what_it_keeps) {
    SpareStacks spare;
    EXPECT_EQ(spare.take().size, 0u);
    std::set<char*> kept;
    for (int i = 0; i < 40; ++i) {
        const heddle::platform::SideStack stack = heddle::platform::map_stack(1 << 16);
        ASSERT_NE(stack.size, 0u);
        kept.insert(stack.low);
        spare.keep(stack);
    }
    EXPECT_EQ(kept.size(), 40u);
    for (int i = 0; i < 10; ++i) {
        const heddle::platform::SideStack stack = spare.take();
        EXPECT_EQ(kept.erase(stack.low), 1u);
        heddle::platform::unmap_stack(stack);
    }
    spare.release();
    EXPECT_EQ(spare.take().size, 0u);
}

} // namespace
