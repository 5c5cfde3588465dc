// SPDX-License-Identifier: Apache-2.0
// OMP_ALLOCATOR in its three forms: what is taken, what is refused, and how it is shown.
#include "config/allocator_traits.hpp"

#include "config/text.hpp"

#include <gtest/gtest.h>
#include <string>

namespace heddle::config {
namespace {

struct Parsed {
    AllocatorTraits traits;
    uintptr_t handle = 77;
    bool good;

    explicit Parsed(const char* text) : good(parse_allocator(text, traits, handle)) {}

    std::string shown() const {
        char buffer[300];
        Text out(buffer, sizeof buffer);
        print_allocator(out, traits, handle);
        return buffer;
    }
};

TEST(AllocatorVariable, NamesAPredefinedAllocator) {
    const char* names[] = {"omp_default_mem_alloc", "omp_large_cap_mem_alloc",
                           "omp_const_mem_alloc",   "omp_high_bw_mem_alloc",
                           "omp_low_lat_mem_alloc", "omp_cgroup_mem_alloc",
                           "omp_pteam_mem_alloc",   "omp_thread_mem_alloc"};
    for (uintptr_t handle = 1; handle <= 8; handle++) {
        const Parsed parsed(names[handle - 1]);
        EXPECT_TRUE(parsed.good) << handle;
        EXPECT_EQ(parsed.handle, handle);
        EXPECT_EQ(parsed.shown(), names[handle - 1]);
    }
    EXPECT_EQ(Parsed(" OMP_Cgroup_MEM_ALLOC ").handle, 6u);
    EXPECT_EQ(Parsed("ompx_gnu_pinned_mem_alloc").handle, 200u);
}

TEST(AllocatorVariable, ASpaceAloneIsItsPredefinedAllocator) {
    EXPECT_EQ(Parsed("omp_default_mem_space").handle, 1u);
    EXPECT_EQ(Parsed("omp_low_lat_mem_space").handle, 5u);
    EXPECT_EQ(Parsed("ompx_gnu_managed_mem_space").handle, 201u);
}

TEST(AllocatorVariable, ASpaceWithTraits) {
    const Parsed parsed("omp_large_cap_mem_space : alignment = 64, POOL_SIZE=1000,pinned=true,"
                        "fallback=allocator_fb,fb_data=omp_high_bw_mem_alloc,sync_hint=private,"
                        "access=cgroup,partition=interleaved");
    ASSERT_TRUE(parsed.good);
    EXPECT_EQ(parsed.handle, environment_allocator);
    EXPECT_EQ(parsed.traits.memory_space, 1u);
    EXPECT_EQ(parsed.traits[alignment_trait], 64u);
    EXPECT_EQ(parsed.traits[pool_size_trait], 1000u);
    EXPECT_EQ(parsed.traits[pinned_trait], 1u);
    EXPECT_EQ(parsed.traits[fallback_trait], allocator_fb);
    EXPECT_EQ(parsed.traits[fb_data_trait], 4u);
    EXPECT_EQ(parsed.traits[sync_hint_trait], private_value);
    EXPECT_EQ(parsed.traits[access_trait], cgroup_value);
    EXPECT_EQ(parsed.traits[partition_trait], interleaved_value);
    EXPECT_EQ(parsed.shown(),
              "omp_large_cap_mem_space:sync_hint=private,alignment=64,access=cgroup,pool_size=1000,"
              "fallback=allocator_fb,fb_data=omp_high_bw_mem_alloc,pinned=true,"
              "partition=interleaved");
    EXPECT_EQ(Parsed("omp_default_mem_space:pinned=false").shown(), "omp_default_mem_space");
}

TEST(AllocatorVariable, TheLastOfATraitCounts) {
    EXPECT_EQ(Parsed("omp_default_mem_space:alignment=8,alignment=32").traits[alignment_trait],
              32u);
}

TEST(AllocatorVariable, AnythingElseIsRefusedAndChangesNothing) {
    for (const char* bad : {"",
                            "3",
                            "omp_null_allocator",
                            "omp_default_mem_alloc:alignment=16",
                            "omp_default_mem_space:",
                            "omp_default_mem_space alignment=16",
                            "omp_default_mem_space:alignment",
                            "omp_default_mem_space:alignment=",
                            "omp_default_mem_space:alignment=0",
                            "omp_default_mem_space:alignment=24",
                            "omp_default_mem_space:alignment=-8",
                            "omp_default_mem_space:alignment=16,",
                            "omp_default_mem_space:alignment=16;pinned=true",
                            "omp_default_mem_space:pool_size=0",
                            "omp_default_mem_space:pool_size=99999999999999999999",
                            "omp_default_mem_space:pinned=maybe",
                            "omp_default_mem_space:pinned=contended",
                            "omp_default_mem_space:colour=red",
                            "omp_default_mem_space:fallback=allocator_fb",
                            "omp_default_mem_space:fb_data=omp_low_lat_mem_alloc",
                            "omp_default_mem_space:fallback=allocator_fb,fb_data=5",
                            "omp_other_mem_space:pinned=true"}) {
        const Parsed parsed(bad);
        EXPECT_FALSE(parsed.good) << bad;
        EXPECT_EQ(parsed.handle, 77u) << bad;
        EXPECT_TRUE(parsed.traits.is_default(alignment_trait)) << bad;
    }
}

TEST(AllocatorVariable, OtherHandlesAreShownAsNumbers) {
    Parsed parsed("omp_default_mem_alloc");
    parsed.handle = 12345;
    EXPECT_EQ(parsed.shown(), "12345");
}

} // namespace
} // namespace heddle::config
