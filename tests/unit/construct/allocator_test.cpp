// SPDX-License-Identifier: Apache-2.0
// Allocators made of traits: what is refused, alignment, pools, each fallback, reallocation, and
// pinned memory, OMP_ALLOCATOR's own allocator, and the count of a pool under threads. The answers
// are those of libgomp where it has one.
#include "construct/allocator.hpp"

#include "construct/icvs.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

// Asking for more than there is must give null under a sanitizer too, as malloc does.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1"; }

namespace heddle::construct {
namespace {

constexpr uintptr_t default_space = 0;

/// Bytes before each block, which count in a pool.
constexpr size_t header = 32;

AllocatorHandle make(std::initializer_list<AllocatorTrait> traits) {
    return init_allocator(default_space, static_cast<int64_t>(traits.size()), traits.begin());
}

bool valid(std::initializer_list<AllocatorTrait> traits) {
    AllocatorHandle handle = make(traits);
    if (handle == null_allocator)
        return false;
    destroy_allocator(handle);
    return true;
}

/// An allocator for the length of a scope.
class Scoped {
public:
    Scoped(std::initializer_list<AllocatorTrait> traits) : handle_(make(traits)) {
        EXPECT_NE(handle_, null_allocator);
    }
    ~Scoped() { destroy_allocator(handle_); }
    operator AllocatorHandle() const { return handle_; }

private:
    AllocatorHandle handle_;
};

bool aligned(const void* block, size_t alignment) {
    return block != nullptr && reinterpret_cast<uintptr_t>(block) % alignment == 0;
}

TEST(Allocator, SpacesThatExist) {
    for (uintptr_t space : {0, 1, 2, 3, 4, 200}) {
        AllocatorHandle handle = init_allocator(space, 0, nullptr);
        EXPECT_NE(handle, null_allocator) << space;
        destroy_allocator(handle);
    }
    for (uintptr_t space : {5, 100, 201})
        EXPECT_EQ(init_allocator(space, 0, nullptr), null_allocator) << space;
}

TEST(Allocator, TraitsAreChecked) {
    struct Range {
        TraitKey key;
        uintptr_t low, high;
    };
    for (Range range : {Range{sync_hint_trait, 3, 6}, Range{access_trait, 7, 10},
                        Range{fallback_trait, 11, 14}, Range{partition_trait, 15, 18}}) {
        for (uintptr_t value = range.low - 1; value <= range.high + 1; value++)
            EXPECT_EQ(valid({{range.key, value}}), value >= range.low && value <= range.high)
                << range.key << " " << value;
    }
    for (uint32_t key = 1; key <= 8; key++)
        EXPECT_TRUE(valid({{key, default_value}})) << key;
    for (uint32_t key : {0u, 9u, 1000u})
        EXPECT_FALSE(valid({{key, 1}})) << key;
    EXPECT_FALSE(valid({{alignment_trait, 0}}));
    EXPECT_FALSE(valid({{alignment_trait, 3}}));
    EXPECT_TRUE(valid({{alignment_trait, 4096}}));
    EXPECT_TRUE(valid({{pinned_trait, 0}}));
    EXPECT_TRUE(valid({{pinned_trait, 1}}));
    EXPECT_FALSE(valid({{pinned_trait, 2}}));
}

TEST(Allocator, PredefinedOnesAllocate) {
    for (AllocatorHandle handle : {0, 1, 2, 3, 4, 5, 6, 7, 8, 201}) {
        void* block = allocate(1, 100, handle);
        EXPECT_TRUE(aligned(block, 16)) << handle;
        memset(block, 1, 100);
        release(block);
    }
    release(nullptr);
    destroy_allocator(null_allocator);
    destroy_allocator(default_mem_alloc);
}

TEST(Allocator, NothingForASizeOfZeroOrABadAlignment) {
    Scoped last_straw{{pool_size_trait, 1}, {fallback_trait, abort_fb}};
    for (AllocatorHandle handle : {default_mem_alloc, AllocatorHandle(last_straw)}) {
        EXPECT_EQ(allocate(64, 0, handle), nullptr);
        EXPECT_EQ(allocate_zeroed(1, 0, 64, handle), nullptr);
        EXPECT_EQ(allocate_zeroed(1, 64, 0, handle), nullptr);
        EXPECT_EQ(reallocate(nullptr, 0, handle, handle), nullptr);
        EXPECT_EQ(allocate(0, 8, handle), nullptr);
        EXPECT_EQ(allocate(24, 8, handle), nullptr);
    }
}

TEST(Allocator, TheLargerAlignmentCounts) {
    Scoped by_64{{alignment_trait, 64}};
    for (size_t alignment = 1; alignment <= 8192; alignment *= 2) {
        void* block = allocate(alignment, 24, by_64);
        EXPECT_TRUE(aligned(block, alignment > 64 ? alignment : 64)) << alignment;
        memset(block, 1, 24);
        release(block);
    }
}

TEST(Allocator, ZeroedMemoryIsZero) {
    for (size_t size : {1, 100, 1 << 20}) {
        char* dirty = static_cast<char*>(allocate(1, size, default_mem_alloc));
        memset(dirty, 0x55, size);
        release(dirty);
        char* block = static_cast<char*>(allocate_zeroed(128, size, 1, default_mem_alloc));
        ASSERT_TRUE(aligned(block, 128));
        for (size_t i = 0; i < size; i++)
            ASSERT_EQ(block[i], 0) << i;
        release(block);
    }
}

TEST(Allocator, ExhaustedMemoryIsNull) {
    EXPECT_EQ(allocate_zeroed(1, SIZE_MAX / 2, 4, default_mem_alloc), nullptr);
    EXPECT_EQ(allocate(1, SIZE_MAX - 4, default_mem_alloc), nullptr);
    EXPECT_EQ(allocate(1, SIZE_MAX / 2, default_mem_alloc), nullptr);
    EXPECT_EQ(allocate(size_t{1} << 63, SIZE_MAX / 2, default_mem_alloc), nullptr);
    Scoped pool{{pool_size_trait, 1000}};
    EXPECT_EQ(allocate_zeroed(1, SIZE_MAX / 2, 4, pool), nullptr);
}

TEST(Allocator, PoolCountsHeadersAndPadding) {
    constexpr size_t by_64 = header + 64 - 16, by_256 = header + 256 - 16; // malloc's are 16
    Scoped pool{{pool_size_trait, 4096}, {fallback_trait, null_fb}, {alignment_trait, 64}};
    void* first = allocate(1, 3072, pool);
    EXPECT_TRUE(aligned(first, 64));
    EXPECT_EQ(allocate(1, 1024, pool), nullptr);
    EXPECT_EQ(allocate(256, 1024 - by_64 - by_256 + 1, pool), nullptr);
    void* rest = allocate(256, 1024 - by_64 - by_256, pool);
    EXPECT_TRUE(aligned(rest, 256));
    EXPECT_EQ(allocate(1, 1, pool), nullptr);
    release(first);
    first = allocate_zeroed(1, 3, 1024, pool);
    EXPECT_NE(first, nullptr);
    release(first);
    release(rest);
    EXPECT_EQ(allocate(1, 4096, pool), nullptr);
    void* all = allocate(1, 4096 - by_64, pool);
    EXPECT_NE(all, nullptr);
    release(all);
}

TEST(Allocator, HalfAPoolDoesNotFitItTwice) {
    constexpr size_t half = 1024 * 1024;
    Scoped pool{{pool_size_trait, 2 * half}, {fallback_trait, null_fb}};
    void* first = allocate(1, half, pool);
    EXPECT_NE(first, nullptr);
    EXPECT_EQ(allocate(1, half, pool), nullptr);
    release(first);
}

TEST(Allocator, FailedMemoryIsNotCountedInThePool) {
    Scoped pool{{pool_size_trait, SIZE_MAX - 1}, {fallback_trait, null_fb}};
    EXPECT_EQ(allocate(1, SIZE_MAX - 256, pool), nullptr);
    void* block = allocate(1, 256, pool);
    EXPECT_NE(block, nullptr);
    release(block);
}

TEST(Allocator, FallbacksFollowEachOther) {
    Scoped last{{alignment_trait, 128}, {pool_size_trait, 1024}, {fallback_trait, null_fb}};
    Scoped first{{alignment_trait, 32},
                 {pool_size_trait, 512},
                 {fallback_trait, allocator_fb},
                 {fb_data_trait, last}};
    void* small = allocate(1, 420, first);
    EXPECT_TRUE(aligned(small, 32));
    void* large = allocate(1, 768, first);
    EXPECT_TRUE(aligned(large, 128));
    EXPECT_EQ(allocate(1, 768, first), nullptr);
    release(small);
    release(large); // must go back to the pool that it came from
    large = allocate(1, 1024 - header - (128 - 16), last);
    EXPECT_NE(large, nullptr);
    release(large);
}

TEST(Allocator, DefaultMemoryIsTheDefaultFallback) {
    for (uintptr_t fallback : {uintptr_t{default_mem_fb}, uintptr_t{default_value}}) {
        Scoped pool{{pool_size_trait, 16}, {fallback_trait, fallback}};
        void* block = allocate(1, 1000, pool);
        EXPECT_NE(block, nullptr);
        release(block);
    }
    Scoped none{{pool_size_trait, 0}, {fallback_trait, allocator_fb}};
    void* block = allocate(1, 8, none); // no fb_data: default memory
    EXPECT_NE(block, nullptr);
    release(block);
}

/// Kibibytes of the process that are locked in memory.
long locked_memory() {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word)
        if (word == "VmLck:") {
            long kibibytes = -1;
            status >> kibibytes;
            return kibibytes;
        }
    return -1;
}

/// Whether mlock() does it: sanitizers replace it by nothing, and not everybody may.
bool memory_can_be_locked() {
    alignas(4096) static char page[4096];
    const long before = locked_memory();
    const bool locked = mlock(page, sizeof page) == 0 && locked_memory() > before;
    munlock(page, sizeof page);
    return locked;
}

TEST(Allocator, PinnedMemoryIsLocked) {
    const bool lockable = memory_can_be_locked();
    Scoped pinned{{pinned_trait, 1}, {fallback_trait, null_fb}, {alignment_trait, 8192}};
    const long before = locked_memory();
    for (AllocatorHandle handle : {AllocatorHandle(pinned), gnu_pinned_mem_alloc}) {
        char* block = static_cast<char*>(allocate(1, 1000, handle));
        if (block == nullptr && !lockable)
            GTEST_SKIP() << "this machine lets nobody lock memory";
        ASSERT_NE(block, nullptr);
        EXPECT_EQ(locked_memory() > before, lockable);
        EXPECT_TRUE(aligned(block, handle == pinned ? 8192 : 16));
        memset(block, 7, 1000);
        block = static_cast<char*>(reallocate(block, 20000, handle, handle));
        ASSERT_NE(block, nullptr);
        EXPECT_EQ(block[999], 7);
        release(block);
        block = static_cast<char*>(allocate_zeroed(64, 100, 10, handle));
        ASSERT_NE(block, nullptr);
        EXPECT_EQ(block[999], 0);
        release(block);
        EXPECT_EQ(locked_memory(), before);
    }
}

TEST(Allocator, MemoryThatCannotBeLockedIsExhausted) {
    // More than any machine has can be mapped but not locked, whoever asks.
    constexpr size_t huge = size_t{1} << 45;
    Scoped nothing{{pinned_trait, 1}, {fallback_trait, null_fb}};
    EXPECT_EQ(allocate(1, huge, nothing), nullptr);
    EXPECT_EQ(allocate(1, huge, gnu_pinned_mem_alloc), nullptr);
    Scoped pool{{pool_size_trait, huge + 64}, {pinned_trait, 1}, {fallback_trait, null_fb}};
    EXPECT_EQ(allocate(1, huge, pool), nullptr);
    EXPECT_EQ(allocate(1, huge, pool), nullptr); // it was not counted either
}

TEST(AllocatorDeathTest, AbortFallbackEndsTheProcess) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    Scoped pool{{pool_size_trait, 16}, {fallback_trait, abort_fb}};
    EXPECT_DEATH(allocate(1, 1000, pool), "^heddle: out of memory: .*abort_fb.*\n");
}

TEST(AllocatorDeathTest, EnvironmentDescribesAnAllocator) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe"; // a process that reads it afresh
    setenv("OMP_ALLOCATOR", "omp_default_mem_space:pool_size=1544,alignment=256,fallback=null_fb",
           1);
    EXPECT_EXIT(
        {
            void* block = allocate(1, 700, null_allocator);
            bool good = task_icvs().default_allocator == config::environment_allocator;
            good = good && aligned(block, 256) && allocate(1, 301, null_allocator) == nullptr;
            void* rest = allocate(1, 300, config::environment_allocator);
            good = good && rest != nullptr;
            release(block);
            block = allocate(1, 700, null_allocator);
            _exit(good && block != nullptr ? 0 : 1);
        },
        testing::ExitedWithCode(0), "^$");
    unsetenv("OMP_ALLOCATOR");
}

TEST(Allocator, NullHandleIsTheTasksDefault) {
    Scoped pool{{pool_size_trait, header + 100}, {fallback_trait, null_fb}};
    EXPECT_EQ(task_icvs().default_allocator, default_mem_alloc);
    task_icvs_for_write().default_allocator = pool;
    EXPECT_EQ(allocate(1, 101, null_allocator), nullptr);
    void* block = allocate(1, 100, null_allocator);
    EXPECT_NE(block, nullptr);
    release(block);
    task_icvs_for_write().default_allocator = default_mem_alloc;
}

TEST(Allocator, ReallocationKeepsTheContents) {
    Scoped plain{};
    Scoped by_256{{alignment_trait, 256}};
    for (AllocatorHandle from :
         {default_mem_alloc, AllocatorHandle(plain), AllocatorHandle(by_256)})
        for (AllocatorHandle to :
             {null_allocator, default_mem_alloc, AllocatorHandle(plain), AllocatorHandle(by_256)})
            for (size_t size : {1, 50, 100, 5000, 1 << 22}) {
                char* block = static_cast<char*>(allocate(64, 100, from));
                for (char i = 0; i < 100; i++)
                    block[static_cast<size_t>(i)] = i;
                block = static_cast<char*>(reallocate(block, size, to, null_allocator));
                size_t alignment =
                    to == by_256 || (to == null_allocator && from == by_256) ? 256 : 16;
                ASSERT_TRUE(aligned(block, alignment));
                for (size_t i = 0; i < (size < 100 ? size : 100); i++)
                    ASSERT_EQ(block[i], static_cast<char>(i));
                memset(block, 3, size);
                release(block);
            }
}

TEST(Allocator, ReallocationCountsOnlyTheDifferenceInAPool) {
    for (uintptr_t alignment : {1, 64}) {
        const size_t extra = alignment > 16 ? header + alignment - 16 : header;
        Scoped pool{{pool_size_trait, 1000 + 2 * extra},
                    {fallback_trait, null_fb},
                    {alignment_trait, alignment}};
        void* block = reallocate(nullptr, 600, pool, null_allocator);
        block = reallocate(block, 1000 + extra, pool, pool);
        ASSERT_NE(block, nullptr);
        EXPECT_EQ(reallocate(block, 1001 + extra, pool, pool), nullptr);
        EXPECT_EQ(allocate(1, 1, pool), nullptr);
        block = reallocate(block, 400, null_allocator, null_allocator);
        ASSERT_NE(block, nullptr);
        void* other = allocate(1, 600, pool);
        EXPECT_NE(other, nullptr);
        EXPECT_EQ(reallocate(block, 401, pool, pool), nullptr);
        EXPECT_EQ(reallocate(other, 0, pool, pool), nullptr); // releases it
        EXPECT_EQ(reallocate(block, SIZE_MAX - 8, pool, pool), nullptr);
        void* moved = reallocate(block, 900, default_mem_alloc, pool);
        EXPECT_NE(moved, nullptr);
        void* all = allocate(1, 1000 + extra, pool); // everything came back
        EXPECT_NE(all, nullptr);
        release(all);
        release(moved);
    }
}

TEST(Allocator, FailedReallocationLeavesTheBlock) {
    char* block = static_cast<char*>(allocate(1, 100, default_mem_alloc));
    memset(block, 7, 100);
    EXPECT_EQ(reallocate(block, SIZE_MAX - 64, null_allocator, null_allocator), nullptr);
    for (int i = 0; i < 100; i++)
        ASSERT_EQ(block[i], 7);
    release(block);
}

TEST(Allocator, PoolIsNeverOverdrawnByThreads) {
    constexpr size_t size = 64, blocks = 4;
    constexpr int rounds = 20000;
    Scoped pool{{pool_size_trait, blocks * (header + size)}, {fallback_trait, null_fb}};
    std::atomic<int> held{0};
    std::atomic<bool> overdrawn{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; t++)
        threads.emplace_back([&] {
            for (int i = 0; i < rounds; i++) {
                void* block = allocate(1, size, pool);
                if (block == nullptr)
                    continue;
                if (held.fetch_add(1) + 1 > static_cast<int>(blocks))
                    overdrawn = true;
                held.fetch_sub(1);
                release(block);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_FALSE(overdrawn);
    void* all = allocate(1, blocks * (header + size) - header, pool);
    EXPECT_NE(all, nullptr); // the count came back to zero
    release(all);
}

} // namespace
} // namespace heddle::construct
