// SPDX-License-Identifier: Apache-2.0
// The barrier's tree: shapes for all sizes and groups, by one thread that plays all of them, and
// phases on real threads that also turn active again.
#include "concurrent/event_count.hpp"
#include "concurrent/tree_barrier.hpp"

#include "threads.hpp"

#include <gtest/gtest.h>
#include <memory>

namespace {

using heddle::concurrent::TeamBarrier;
using heddle::concurrent::TreeBarrier;
using heddle::concurrent::WaitLimits;
namespace platform = heddle::platform;

using Group = uint32_t (*)(int level, uint32_t thread);
uint32_t one_group(int, uint32_t) { return 0; }
/// Neighbours share a cache, by eights; two caches are a domain.
uint32_t blocks(int level, uint32_t thread) { return level == 0 ? thread / 8 : thread / 16; }
/// Threads dealt out to domains in turn, as scattered ones are.
uint32_t scattered(int level, uint32_t thread) { return level == 0 ? thread % 6 : thread % 6 / 3; }

struct Tree {
    TeamBarrier root;
    TreeBarrier* nodes;

    Tree(uint32_t size, int levels, Group group, uint32_t width)
        : nodes(TreeBarrier::create(size, levels, group, width)) {
        root.reset(nodes->root_width());
        nodes->reset(root);
    }
    ~Tree() { TreeBarrier::destroy(nodes); }
    TreeBarrier::Place place(uint32_t number) { return {*nodes, root, number}; }
};

/// Two barriers in a row: only the last arrival opens, in whatever order; all see it, each once.
void expect_barriers(Tree& tree, uint32_t size, uint32_t first) {
    for (int round = 0; round < 2; ++round) {
        uint32_t epoch = 0;
        std::vector<TreeBarrier::Place> places;
        for (uint32_t i = 0; i < size; ++i)
            places.push_back(tree.place((first + i * 7919) % size));
        for (uint32_t i = 0; i < size; ++i) {
            EXPECT_EQ(tree.nodes->active(size) != 0, true);
            const bool last = places[i].arrive(epoch);
            EXPECT_EQ(last, i + 1 == size) << "of " << size;
            if (i > 0 && i + 1 < size) { // there and back, for another thread
                EXPECT_TRUE(places[i - 1].rejoin(epoch));
                EXPECT_FALSE(places[i - 1].arrive(epoch));
            }
        }
        EXPECT_FALSE(places[0].rejoin(epoch));
        for (uint32_t i = 0; i + 1 < size; ++i)
            EXPECT_TRUE(places[i].surely_completed(epoch));
        for (uint32_t i = 0; i < size; ++i)
            EXPECT_TRUE(places[i].completed(epoch));
        EXPECT_EQ(tree.root.epoch(), epoch + 1);
    }
}

TEST(TreeBarrier, has_a_shape_for_every_size) {
    for (uint32_t size = 2; size <= 130; ++size) {
        if (7919 % size == 0)
            continue;
        for (uint32_t width : {2u, 3u, 4u, 8u}) {
            for (int levels = 0; levels <= 2; ++levels) {
                for (Group group : {one_group, blocks, scattered}) {
                    Tree tree(size, levels, group, width);
                    ASSERT_GE(tree.nodes->root_width(), 1u);
                    ASSERT_LE(tree.nodes->root_width(), width) << size;
                    expect_barriers(tree, size, size / 2);
                }
            }
        }
    }
}

TEST(TreeBarrier, forgets_threads_that_linger) {
    Tree tree(6, 0, one_group, 2);
    uint32_t epoch;
    for (uint32_t i = 0; i < 6; ++i)
        tree.place(i).arrive(epoch); // all but the opener's way stays closed
    EXPECT_EQ(tree.root.epoch(), epoch + 1);
    tree.root.reset(tree.nodes->root_width());
    tree.nodes->reset(tree.root);
    TreeBarrier::Place late = tree.place(0);
    EXPECT_FALSE(late.rejoin(epoch)) << "of the epoch before";
    EXPECT_TRUE(late.surely_completed(epoch));
    expect_barriers(tree, 6, 1); // what it opened is as it was
}

TEST(TreeBarrier, keeps_the_phases_apart) {
    for (int count : {3, 5, 9, 18}) {
        const auto size = static_cast<uint32_t>(count);
        const int phases = 2000 / count / test::slower + 2;
        Tree tree(size, 0, one_group, count < 9 ? 2 : 4);
        heddle::concurrent::EventCount sleep;
        platform::Atomic<int> arrived{0};
        test::on_threads(count, [&](int me) {
            test::Random random(me);
            for (int phase = 0; phase < phases; ++phase) {
                arrived.fetch_add(1, platform::relaxed);
                TreeBarrier::Place place = tree.place(static_cast<uint32_t>(me));
                uint32_t epoch;
                bool opened = place.arrive(epoch);
                heddle::concurrent::Waiting waiting(test::impatient);
                while (!opened && !place.completed(epoch)) {
                    if (random.below(4) == 0 && place.rejoin(epoch)) {
                        opened = place.arrive(epoch);
                        continue;
                    }
                    if (waiting.again())
                        continue;
                    const uint32_t key = sleep.announce();
                    if (place.surely_completed(epoch))
                        sleep.withdraw();
                    else
                        sleep.sleep(key);
                    waiting.restart(test::impatient);
                }
                if (opened)
                    sleep.notify_all();
                EXPECT_GE(arrived.load(platform::relaxed), (phase + 1) * count);
            }
        });
        EXPECT_EQ(arrived.load(platform::relaxed), phases * count);
    }
}

} // namespace
