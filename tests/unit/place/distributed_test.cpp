// SPDX-License-Identifier: Apache-2.0
// Distributed arrays on a machine that we say has four domains: what is remembered of them. Most
// of its nodes are not there; whether pages lie where they should is seen in tests/guest.
#include "place/distributed.hpp"

#include "machine.hpp"
#include "place/locality.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

// Asking for more than there is must give null under a sanitizer too, as malloc does.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1"; }

namespace heddle::place {
namespace {

const size_t page = platform::page_size();

class Distributed : public testing::Test {
protected:
    static void SetUpTestSuite() {
        Machine machine;
        machine.available = set_of({0, 1, 2, 3});
        machine.file("node/online", "0,1021-1023");
        for (int cpu = 0; cpu < 4; ++cpu)
            machine.file("node/node" + std::to_string(cpu == 0 ? 0 : 1020 + cpu) + "/cpulist",
                         std::to_string(cpu));
        assume_machine(machine.available, machine.root());
        ASSERT_EQ(domain_count(), 4);
        for (int domain = 0; domain < 4; ++domain)
            all.add(domain, 4);
        one.add(2, 4);
    }
    /// Some nodes are not there: that is one line, the first time.
    char* allocate(size_t size, size_t block, const DomainShares& shares) {
        testing::internal::CaptureStderr();
        auto* array = static_cast<char*>(allocate_distributed(size, block, shares));
        warnings_ = testing::internal::GetCapturedStderr();
        return array;
    }

    static inline DomainShares all, one;
    std::string warnings_;
};

TEST_F(Distributed, ARefusalIsOneWarningAndMemory) {
    char* first = allocate(8 * page, 0, all);
    EXPECT_EQ(warnings_, "heddle: the system refuses to place memory on NUMA nodes: pages of "
                         "distributed arrays lie where they are touched first\n");
    char* second = allocate(8 * page, 0, all);
    EXPECT_EQ(warnings_, "");
    for (char* array : {first, second}) {
        ASSERT_NE(array, nullptr);
        for (size_t i = 0; i < 8 * page; ++i)
            ASSERT_EQ(array[i], 0);
        memset(array, 1, 8 * page);
        EXPECT_TRUE(free_distributed(array));
    }
}

TEST_F(Distributed, WhatIsRemembered) {
    char* array = allocate(8 * page - 5, 0, all);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(array) % page, 0u);
    EXPECT_EQ(size_of_distributed(array), 8 * page - 5);
    EXPECT_EQ(size_of_distributed(array + 1), 0u);
    for (size_t i = 0; i < 8; ++i)
        EXPECT_EQ(planned_domain(array + i * page), static_cast<int>(i / 2));
    EXPECT_EQ(planned_domain(array + 8 * page - 6), 3);
    EXPECT_EQ(planned_domain(array + 8 * page - 5), -1);
    EXPECT_EQ(planned_domain(array - 1), -1);
    EXPECT_FALSE(free_distributed(array + page));
    EXPECT_TRUE(free_distributed(array));
    EXPECT_FALSE(free_distributed(array));
    EXPECT_EQ(planned_domain(array), -1);
    EXPECT_EQ(size_of_distributed(array), 0u);
}

TEST_F(Distributed, EveryWayOfPlacing) {
    for (size_t block : {page, 3 * page})                            // by interleaving; run by run
        for (size_t pages : {size_t{1}, size_t{7}, size_t{30000}}) { // more runs than policies
            char* array = allocate(pages * page, block, all);
            ASSERT_NE(array, nullptr);
            memset(array, 3, pages * page);
            EXPECT_EQ(planned_domain(array + (pages - 1) * page),
                      static_cast<int>((pages - 1) * page / block % 4));
            EXPECT_TRUE(free_distributed(array));
        }
    char* plain = allocate(100, 0, one);
    memset(plain, 3, 100);
    EXPECT_EQ(planned_domain(plain), 2);
    EXPECT_TRUE(free_distributed(plain));
}

/// Whether the page at `address` has been touched.
bool in_memory(char* address) {
    unsigned char there = 0;
    EXPECT_EQ(mincore(address, page, &there), 0);
    return there & 1;
}

// Each run with a policy is a mapping, and the system does not give a process many: where all
// arrays together would have too many, the next one is touched instead.
TEST_F(Distributed, TheProgramKeepsMostMappings) {
    platform::MemoryPolicy policy;
    void* probe = platform::map_pages(page);
    const bool allowed = platform::read_memory_policy(policy) &&
                         platform::prefer_node_for(probe, page, 0) &&
                         platform::set_memory_policy(policy);
    platform::unmap_pages(probe, page);
    if (!allowed)
        GTEST_SKIP() << "this machine does not let us say where memory lies";
    DomainShares same; // a node that is there, twice
    same.add(0, 1);
    same.add(0, 1);
    const size_t runs = 4096;
    std::vector<char*> arrays;
    for (int i = 0; i < 4; ++i) {
        arrays.push_back(allocate(runs * 2 * page, 2 * page, same));
        EXPECT_FALSE(in_memory(arrays.back())) << i;
    }
    char* fifth = allocate(16 * page, 2 * page, same);
    EXPECT_TRUE(in_memory(fifth));
    EXPECT_TRUE(free_distributed(fifth));
    EXPECT_TRUE(free_distributed(arrays.back()));
    arrays.back() = allocate(16 * page, 2 * page, same);
    EXPECT_FALSE(in_memory(arrays.back()));
    for (char* array : arrays)
        EXPECT_TRUE(free_distributed(array));
}

TEST_F(Distributed, SizesThatNobodyHas) {
    EXPECT_EQ(allocate(0, 0, all), nullptr);
    EXPECT_EQ(allocate(SIZE_MAX, 0, all), nullptr);
    EXPECT_EQ(allocate(SIZE_MAX / 2, page, all), nullptr);
    EXPECT_EQ(allocate(SIZE_MAX / 2, 0, one), nullptr);
}

std::string parts(const void* first, size_t element, uint64_t count, int limit = 8) {
    IterationPart found[8];
    std::string text;
    for (int i = 0, n = iteration_parts(first, element, count, found, limit); i < n; ++i)
        text += std::to_string(found[i].domain) + ":" + std::to_string(found[i].end) + " ";
    return text;
}

TEST_F(Distributed, PartsOfALoop) {
    char* array = allocate(8 * page, 0, all);
    const uint64_t words = page / 8;
    const auto n = [&](uint64_t pages) { return std::to_string(pages * words) + " "; };
    EXPECT_EQ(parts(array, 8, 8 * words), "0:" + n(2) + "1:" + n(4) + "2:" + n(6) + "3:" + n(8));
    EXPECT_EQ(parts(array + 4 * page, 8, 4 * words), "2:" + n(2) + "3:" + n(4));
    EXPECT_EQ(parts(array + 3 * page, 8, 2 * words), "1:" + n(1) + "2:" + n(2)); // not to its end
    EXPECT_EQ(parts(array + 6 * page, 8, 90 * words), "3:" + n(90));             // and beyond
    EXPECT_EQ(parts(array, 8, 3), "0:3 ");
    EXPECT_EQ(parts(array, 3 * page, 3), "0:1 1:2 2:2 3:3 "); // by where an element begins
    EXPECT_EQ(parts(array, size_t{0} - 3 * page, 3), "0:1 1:1 2:1 3:3 "); // a step back
    EXPECT_EQ(parts(array, SIZE_MAX, 3), "0:1 1:1 2:1 3:3 ");
    EXPECT_EQ(parts(array, 8, 0), "");
    EXPECT_EQ(parts(array, 0, 8), "");
    EXPECT_EQ(parts(array, 8, 8 * words, 3), ""); // too many
    EXPECT_EQ(parts(&words, 8, 8), "");
    EXPECT_TRUE(free_distributed(array));
    char* cyclic = allocate(8 * page, 2 * page, all);
    EXPECT_EQ(parts(cyclic, 8, 8 * words), "");
    EXPECT_TRUE(free_distributed(cyclic));
}

TEST_F(Distributed, ManyThreadsAtOnceAndAChild) {
    std::atomic<bool> stop{false};
    const auto work = [&] {
        while (!stop) {
            auto* array = static_cast<char*>(allocate_distributed(3 * page, 0, one));
            EXPECT_EQ(planned_domain(array + page), 2);
            EXPECT_TRUE(free_distributed(array));
        }
    };
    std::thread first(work), second(work);
    auto* kept = static_cast<char*>(allocate_distributed(page, 0, one));
    for (int i = 0; i < 50; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            restart_arrays_in_forked_child();
            const bool right = size_of_distributed(kept) == page && free_distributed(kept) &&
                               size_of_distributed(kept) == 0;
            _exit(right ? 0 : 1);
        }
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    stop = true;
    first.join();
    second.join();
    EXPECT_TRUE(free_distributed(kept));
}

} // namespace
} // namespace heddle::place
