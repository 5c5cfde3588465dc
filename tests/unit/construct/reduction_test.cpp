// SPDX-License-Identifier: Apache-2.0
// Reduction blocks as gcc fills them in: where the copies lie, how an address finds the calling
// thread's copy (original, another thread's copy, many items, enclosing groups), and how long the
// copies of a worksharing region live.
#include "construct/reduction.hpp"

#include "construct/parallel.hpp"
#include "construct/taskgroup.hpp"
#include "construct/worksharing.hpp"
#include "schedule/wait.hpp"

#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

using namespace heddle;

namespace {

/// A block for originals at the given addresses; each copy takes 16 bytes.
class Block {
public:
    explicit Block(const std::vector<const void*>& originals, size_t alignment = 64)
        : words_(7 + 3 * originals.size()) {
        const size_t bytes = 16 * originals.size();
        words_[0] = originals.size();
        words_[1] = (bytes + alignment - 1) / alignment * alignment;
        words_[2] = alignment;
        words_[3] = ~uintptr_t{0};
        for (size_t i = 0; i < originals.size(); ++i) {
            words_[7 + 3 * i] = reinterpret_cast<uintptr_t>(originals[i]);
            words_[7 + 3 * i + 1] = 16 * i;
        }
    }
    uintptr_t* words() { return words_.data(); }
    char* base() const { return reinterpret_cast<char*>(words_[2]); }
    size_t bytes() const { return words_[1]; }
    /// Where generated code expects the copy.
    void* copy(int thread, size_t item = 0) const {
        return base() + static_cast<size_t>(thread) * bytes() + 16 * item;
    }

private:
    std::vector<uintptr_t> words_;
};

void* copy_of(const void* address) {
    void* pointer = const_cast<void*>(address);
    construct::find_reduction_copies(team::self(), 1, 0, &pointer);
    return pointer;
}

/// A taskgroup in the calling task, for the length of a scope.
class Taskgroup {
public:
    Taskgroup() { construct::begin_taskgroup(team::self()); }
    ~Taskgroup() { construct::end_taskgroup(team::self()); }
    Taskgroup(const Taskgroup&) = delete;
    Taskgroup& operator=(const Taskgroup&) = delete;
};

/// Runs `body(member)` on each of `threads` threads.
template <class Body>
void on_each_thread(unsigned threads, Body body) {
    construct::parallel([](void* raw) { (*static_cast<Body*>(raw))(team::self()); }, &body,
                        threads);
}

bool all_zero(const char* at, size_t size) {
    for (size_t i = 0; i < size; ++i)
        if (at[i] != 0)
            return false;
    return true;
}

} // namespace

TEST(Reduction, CopiesAreZeroedAndAligned) {
    for (size_t alignment : {8u, 64u, 4096u}) {
        int x;
        Block block({&x}, alignment);
        Taskgroup group;
        construct::register_reductions(team::self(), block.words());
        EXPECT_EQ(reinterpret_cast<uintptr_t>(block.base()) % alignment, 0u);
        EXPECT_TRUE(all_zero(block.base(), block.bytes()));
        construct::unregister_reductions(block.words());
    }
}

TEST(Reduction, EachThreadFindsItsOwnCopy) {
    constexpr int threads = 4;
    int x, y;
    Block block({&x, &y});
    on_each_thread(threads, [&](team::Member& member) {
        if (member.number == 0) {
            construct::begin_taskgroup(member);
            construct::register_reductions(member, block.words());
            EXPECT_TRUE(all_zero(block.base(), block.bytes() * threads));
            EXPECT_EQ(copy_of(&x), block.copy(0, 0));
            EXPECT_EQ(copy_of(&y), block.copy(0, 1));
            for (int other = 0; other < threads; ++other)
                EXPECT_EQ(copy_of(block.copy(other, 1)), block.copy(0, 1));
            construct::end_taskgroup(member);
            construct::unregister_reductions(block.words());
        }
    });
}

TEST(Reduction, OriginalsAreAnsweredToo) {
    int x, y;
    Block block({&x, &y});
    Taskgroup group;
    construct::register_reductions(team::self(), block.words());
    // Three items, the originals of the first two.
    void* pointers[5] = {&y, block.copy(0, 0), &x, nullptr, nullptr};
    construct::find_reduction_copies(team::self(), 3, 2, pointers);
    EXPECT_EQ(pointers[0], block.copy(0, 1));
    EXPECT_EQ(pointers[1], block.copy(0, 0));
    EXPECT_EQ(pointers[2], block.copy(0, 0));
    EXPECT_EQ(pointers[3], &y);
    EXPECT_EQ(pointers[4], &x);
    construct::unregister_reductions(block.words());
}

TEST(Reduction, ManyItemsInAnyOrderAreFound) {
    for (size_t count : {1u, 8u, 9u, 10u, 33u, 100u}) {
        std::vector<char> variables(count);
        std::vector<const void*> originals;
        for (size_t i = 0; i < count; ++i) // all of them: 101 is a prime
            originals.push_back(&variables[count == 100 ? (i + 1) * 37 % 101 - 1 : count - 1 - i]);
        Block block(originals);
        Taskgroup group;
        construct::register_reductions(team::self(), block.words());
        for (size_t i = 0; i < count; ++i)
            EXPECT_EQ(copy_of(originals[i]), block.copy(0, i)) << i << " of " << count;
        construct::unregister_reductions(block.words());
    }
}

TEST(Reduction, TheInnermostGroupThatKnowsTheItemCounts) {
    int x, y;
    Block outer({&x, &y}), inner({&x});
    Taskgroup group;
    construct::register_reductions(team::self(), outer.words());
    {
        Taskgroup plain;
        EXPECT_EQ(copy_of(&x), outer.copy(0, 0));
        Taskgroup reducing;
        construct::register_reductions(team::self(), inner.words());
        EXPECT_EQ(copy_of(&x), inner.copy(0, 0));
        EXPECT_EQ(copy_of(&y), outer.copy(0, 1));
        EXPECT_EQ(copy_of(outer.copy(0, 0)), outer.copy(0, 0));
    }
    EXPECT_EQ(copy_of(&x), outer.copy(0, 0));
    construct::unregister_reductions(inner.words());
    construct::unregister_reductions(outer.words());
}

TEST(Reduction, ACopyCanBeTheOriginalOfAnotherReduction) {
    int x;
    Block outer({&x});
    Taskgroup group;
    construct::register_reductions(team::self(), outer.words());
    void* copy = copy_of(&x);
    Block inner({copy});
    {
        Taskgroup nested;
        construct::register_reductions(team::self(), inner.words());
        EXPECT_EQ(copy_of(copy), inner.copy(0, 0));
        EXPECT_EQ(copy_of(&x), copy);
    }
    construct::unregister_reductions(inner.words());
    construct::unregister_reductions(outer.words());
}

TEST(ReductionDeathTest, AnItemThatNobodyReducesStopsTheProgram) {
    int x, y;
    EXPECT_DEATH(copy_of(&y), "^heddle: in_reduction: no enclosing task_reduction");
    Block block({&x});
    Taskgroup group;
    construct::register_reductions(team::self(), block.words());
    EXPECT_DEATH(copy_of(&y), "^heddle: in_reduction: no enclosing task_reduction");
    void* pointers[2] = {static_cast<char*>(block.copy(0)) + 4, nullptr};
    EXPECT_DEATH(construct::find_reduction_copies(team::self(), 1, 1, pointers),
                 "^heddle: in_reduction: the address is within");
    construct::unregister_reductions(block.words());
}

TEST(WorkshareReduction, MembersShareTheCopies) {
    constexpr int threads = 4, regions = 50;
    int x;
    std::atomic<char*> bases[regions] = {};
    on_each_thread(threads, [&](team::Member& member) {
        for (int region = 0; region < regions; ++region) {
            Block block({&x});
            construct::enter_workshare(member, [](team::Workshare&) {});
            construct::begin_workshare_reductions(member, block.words());
            char* base = nullptr;
            if (!bases[region].compare_exchange_strong(base, block.base())) {
                EXPECT_EQ(base, block.base());
            }
            auto& mine = *static_cast<int*>(copy_of(&x));
            EXPECT_EQ(&mine, block.copy(member.number));
            EXPECT_EQ(mine, 0) << "the copies of an earlier region";
            mine = region + member.number;
            schedule::wait_at_barrier(member);
            if (member.number == 0) {
                for (int thread = 0; thread < threads; ++thread)
                    EXPECT_EQ(*static_cast<int*>(block.copy(thread)), region + thread);
            }
            construct::end_workshare_reductions(member, false);
        }
    });
}

TEST(WorkshareReduction, CopiesOutliveTheRegionsInsideAScope) {
    constexpr int threads = 4;
    int x, y;
    on_each_thread(threads, [&](team::Member& member) {
        Block outer({&x});
        construct::enter_workshare(member, [](team::Workshare&) {});
        construct::begin_workshare_reductions(member, outer.words());
        *static_cast<int*>(copy_of(&x)) = 10 + member.number;
        for (int i = 0; i < 5; ++i) { // regions that would get the scope's node again, and its like
            Block inner({&y});
            construct::enter_workshare(member, [](team::Workshare&) {});
            construct::begin_workshare_reductions(member, inner.words());
            *static_cast<int*>(copy_of(&y)) = -1;
            EXPECT_EQ(copy_of(&x), outer.copy(member.number));
            schedule::wait_at_barrier(member);
            construct::end_workshare_reductions(member, false);
        }
        for (int thread = 0; thread < threads; ++thread)
            EXPECT_EQ(*static_cast<int*>(outer.copy(thread)), 10 + thread);
        construct::end_workshare_reductions(member, false);
    });
}

TEST(WorkshareReduction, ACancelledRegionLeavesTheCopiesToThoseWhoNeedThem) {
    constexpr int threads = 4;
    int x;
    std::atomic<int> left{0};
    on_each_thread(threads, [&](team::Member& member) {
        Block block({&x});
        construct::enter_workshare(member, [](team::Workshare&) {});
        construct::begin_workshare_reductions(member, block.words());
        auto& mine = *static_cast<int*>(copy_of(&x));
        mine = member.number;
        if (member.number == threads - 1) // all others leave, without a barrier
            while (left.load(std::memory_order_acquire) != threads - 1)
                platform::yield();
        EXPECT_EQ(mine, member.number);
        construct::end_workshare_reductions(member, true);
        construct::enter_workshare(member, [](team::Workshare&) {});
        left.fetch_add(1, std::memory_order_release);
    });
}

TEST(ParallelReduction, EveryImplicitTaskFindsItsCopy) {
    struct Shared {
        uintptr_t* block; ///< the first word, as in gcc's data
        int x;
        Block* description;
    };
    for (unsigned threads : {1u, 3u, 8u}) {
        Shared shared{};
        Block block({&shared.x});
        shared.block = block.words();
        shared.description = &block;
        const auto body = [](void* raw) {
            auto& region = *static_cast<Shared*>(raw);
            auto* mine = static_cast<int*>(copy_of(&region.x));
            EXPECT_EQ(mine, region.description->copy(team::self().number));
            *mine = 1 + team::self().number;
        };
        const unsigned size =
            construct::parallel_with_reductions(body, &shared, threads, shared.block);
        EXPECT_EQ(size, threads);
        for (unsigned thread = 0; thread < size; ++thread)
            EXPECT_EQ(*static_cast<int*>(block.copy(static_cast<int>(thread))),
                      1 + static_cast<int>(thread));
        construct::unregister_reductions(block.words());
    }
}
