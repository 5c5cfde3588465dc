// SPDX-License-Identifier: Apache-2.0
// A thread of the user whose regions are bound: its mask inside of short and of long ones, and
// outside. This program has places of one CPU each.
#include "config/cpu_set.hpp"
#include "construct/parallel.hpp"
#include "place/places.hpp"

#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

namespace {

using namespace heddle;

/// Before any call into the runtime.
[[maybe_unused]] const int asked = setenv("OMP_PLACES", "threads", 1);

config::CpuSet mask() {
    config::CpuSet now;
    EXPECT_TRUE(now.read());
    return now;
}

struct Seen {
    int cpus = 0, place = -1;
    bool is_assumed = false;
    std::chrono::microseconds lasts{0};
};

/// What the primary sees in a region of two.
Seen region(std::chrono::microseconds lasts = {}) {
    Seen seen;
    seen.lasts = lasts;
    construct::parallel(
        [](void* raw) {
            if (team::self().number != 0)
                return;
            Seen& found = *static_cast<Seen*>(raw);
            const place::ThreadBinding& binding = team::self().worker->binding;
            found.cpus = mask().count();
            found.place = binding.place;
            found.is_assumed = binding.is_assumed;
            std::this_thread::sleep_for(found.lasts);
        },
        &seen, 2);
    EXPECT_EQ(seen.place, 0);
    return seen;
}

class BoundRoot : public testing::Test {
protected:
    void SetUp() override {
        if (before_.count() < 2)
            GTEST_SKIP() << "on one CPU the masks inside and outside are the same";
    }
    /// As after many short regions, however long they take here. Then one only counts as bound as
    /// soon as it finds the thread at its place, where a bound one has just brought it.
    bool one_is_assumed() {
        for (int i = 0; i < 100'000; ++i) {
            team::self().worker->binding.short_regions = place::many_regions;
            const Seen seen = region();
            EXPECT_EQ(seen.cpus, seen.is_assumed ? before_.count() : 1);
            EXPECT_TRUE(mask() == before_);
            if (seen.is_assumed)
                return true;
        }
        return false;
    }
    const config::CpuSet before_ = mask();
};

TEST_F(BoundRoot, IsBoundInItsFirstRegionsAndNeverOutside) {
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(region().cpus, 1);
        EXPECT_TRUE(mask() == before_);
    }
}

TEST_F(BoundRoot, OnlyCountsAsBoundInShortRegionsUntilALongOne) {
    ASSERT_TRUE(one_is_assumed());
    region(std::chrono::milliseconds(2));
    EXPECT_TRUE(mask() == before_);
    const Seen next = region();
    EXPECT_FALSE(next.is_assumed);
    EXPECT_EQ(next.cpus, 1);
    EXPECT_TRUE(mask() == before_);
}

TEST_F(BoundRoot, LearnsFromHowLongRegionsTake) {
    static place::ThreadBinding binding; // like those of workers it keeps its memory
    for (int i = 0; i < 100'000 && binding.short_regions < place::many_regions; ++i) {
        const uint32_t so_far = binding.short_regions;
        place::bind_root_for_region(binding, 0);
        EXPECT_FALSE(binding.is_assumed);
        place::unbind_root_after_region(binding);
        EXPECT_LE(binding.short_regions, so_far + 1);
    }
    ASSERT_EQ(binding.short_regions, place::many_regions);
    place::bind_root_for_region(binding, 0);
    binding.region_began = 0; // long ago
    place::unbind_root_after_region(binding);
    EXPECT_EQ(binding.short_regions, 0u);
    EXPECT_TRUE(mask() == before_);
}

TEST_F(BoundRoot, IsBoundInTheFirstRegionsOfALaterThread) {
    std::thread([this] { ASSERT_TRUE(one_is_assumed()); }).join();
    std::thread([] { EXPECT_EQ(region().cpus, 1); }).join();
}

TEST_F(BoundRoot, KeepsAMaskThatItsUserHasSet) {
    ASSERT_TRUE(one_is_assumed());
    const config::CpuSet last = place::places()[place::places().count() - 1];
    ASSERT_TRUE(last.apply());
    region();
    EXPECT_TRUE(mask() == last);
    region(std::chrono::milliseconds(2));
    region();
    EXPECT_TRUE(mask() == last);
    ASSERT_TRUE(before_.apply());
}

TEST_F(BoundRoot, MovesToAnotherPlaceWhereItOnlyCountsAsBound) {
    ASSERT_TRUE(one_is_assumed());
    place::ThreadBinding& binding = team::self().worker->binding;
    binding.place = 0;
    binding.is_assumed = true;
    place::bind_thread(binding, 1);
    EXPECT_EQ(mask().count(), 1);
    place::unbind_root(binding);
    EXPECT_TRUE(mask() == before_);
}

} // namespace
