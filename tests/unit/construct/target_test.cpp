// SPDX-License-Identifier: Apache-2.0
// Target regions on the host: what they capture, the environment that they run in, device numbers.
#include "construct/target.hpp"

#include "construct/icvs.hpp"
#include "construct/parallel.hpp"
#include "construct/task.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>

extern "C" {
int omp_get_max_progress_width(int device);
uintptr_t omp_get_device_memspace(int device, uintptr_t space);
int omp_pause_resource(int kind, int device);
void* omp_target_alloc(size_t size, int device);
int omp_target_is_present(const void* pointer, int device);
int omp_target_memcpy(void* to, const void* from, size_t length, size_t to_offset,
                      size_t from_offset, int to_device, int from_device);
}

extern "C" void GOMP_target_ext(int device, void (*function)(void*), size_t count, void** addresses,
                                size_t* sizes, unsigned short* kinds, unsigned flags, void** depend,
                                void** arguments);

namespace heddle::construct {
namespace {

constexpr unsigned short map_tofrom = 3;

constexpr unsigned short firstprivate(unsigned log2_alignment) {
    return static_cast<unsigned short>(log2_alignment << 8 | firstprivate_kind);
}

/// A mapped int, an array and a byte of the region's own, and what the compiler calls a
/// FIRSTPRIVATE_INT: a value where an address would be.
struct Mapped {
    int* result;
    long (*array)[4];
    char* byte;
    intptr_t value;
};

struct Region {
    int result = 0;
    long array[4] = {1, 2, 3, 4};
    char byte = 'x';
    void* addresses[4] = {&result, array, &byte, reinterpret_cast<void*>(intptr_t{42})};
    size_t sizes[4] = {sizeof result, sizeof array, sizeof byte, 0};
    unsigned short kinds[4] = {map_tofrom, firstprivate(6), firstprivate(0), 13};

    void run(void (*function)(void*), unsigned flags, void** arguments = nullptr) {
        GOMP_target_ext(-1, function, 4, addresses, sizes, kinds, flags, nullptr, arguments);
    }
};

TEST(Target, CopiesFirstprivateItemsAndPassesTheOthersOn) {
    Region region;
    region.run(
        [](void* raw) {
            auto& mapped = *static_cast<Mapped*>(raw);
            long sum = *mapped.byte == 'x' ? mapped.value : 0;
            for (long& element : *mapped.array) {
                sum += element;
                element = 0;
            }
            *mapped.byte = 'y';
            EXPECT_EQ(reinterpret_cast<uintptr_t>(mapped.array) % 64, 0u);
            *mapped.result = static_cast<int>(sum);
        },
        0);
    EXPECT_EQ(region.result, 42 + 1 + 2 + 3 + 4);
    EXPECT_EQ(region.array[0], 1);
    EXPECT_EQ(region.byte, 'x');
    EXPECT_EQ(region.addresses[1], region.array); // generated code may use them again
}

/// What gfortran from 14 on passes for an allocatable array: its descriptor, its data, and where
/// the descriptor points to them.
TEST(Target, AttachesTheCopyOfAllocatableDataToTheCopyOfTheDescriptor) {
    struct Descriptor {
        long bounds;
        long* data;
    };
    static long found, behind_data;
    for (const unsigned flags : {0u, 1u}) { // 1: nowait
        long data[] = {1, 2, 3}, lone = 7;
        Descriptor descriptor{3, data}, kept{1, &lone}, unallocated{0, nullptr};
        Descriptor* pointer_to_kept = &kept;
        void* addresses[8] = {&descriptor, data, nullptr, &lone, &pointer_to_kept, &unallocated};
        addresses[2] = &addresses[0];
        addresses[6] = nullptr;
        addresses[7] = &addresses[5];
        size_t sizes[] = {sizeof descriptor,
                          sizeof data,
                          offsetof(Descriptor, data),
                          sizeof lone,
                          offsetof(Descriptor, data),
                          sizeof unallocated,
                          0,
                          offsetof(Descriptor, data)};
        constexpr unsigned short item = firstprivate(3), attach = attach_kind;
        unsigned short kinds[] = {item, item, attach, item, attach, item, item, attach};
        GOMP_target_ext(
            -1,
            [](void* raw) {
                auto** mapped = static_cast<void**>(raw);
                auto& inner = *static_cast<Descriptor*>(mapped[0]);
                found = inner.data == mapped[1] ? inner.data[0] + inner.data[1] + inner.data[2] : 0;
                inner.data[0] = 100;
                auto& shared = **static_cast<Descriptor**>(mapped[4]); // no copy of this one
                behind_data = shared.data == mapped[3] ? *shared.data : 0;
                EXPECT_EQ(static_cast<Descriptor*>(mapped[5])->data, nullptr);
            },
            8, addresses, sizes, kinds, flags, nullptr, nullptr);
        taskwait(team::self());
        EXPECT_EQ(found, 1 + 2 + 3);
        EXPECT_EQ(behind_data, 7);
        EXPECT_EQ(data[0], 1);
        EXPECT_EQ(descriptor.data, data);
        EXPECT_EQ(addresses[0], &descriptor);
    }
}

TEST(Target, CopiesItemsTooLargeForTheStack) {
    constexpr size_t size = 1 << 20;
    std::vector<unsigned char> large(size, 7);
    static size_t sevens;
    void* addresses[] = {large.data()};
    size_t sizes[] = {size};
    unsigned short kinds[] = {firstprivate(12)};
    GOMP_target_ext(
        -2,
        [](void* raw) {
            auto* copy = *static_cast<unsigned char**>(raw);
            EXPECT_EQ(reinterpret_cast<uintptr_t>(copy) % 4096, 0u);
            for (size_t i = 0; i < size; ++i)
                sevens += copy[i] == 7;
            copy[0] = 0;
        },
        1, addresses, sizes, kinds, 0, nullptr, nullptr);
    EXPECT_EQ(sevens, size);
    EXPECT_EQ(large[0], 7);
}

TEST(Target, RunsInAnInitialTeamOfTheDevice) {
    task_icvs_for_write().nthreads = 55;
    static int threads, level, thread, limit, max_threads;
    const auto look = [](void*) {
        threads = team::self().team_size;
        thread = team::self().number;
        level = team::self().team->level;
        limit = task_icvs().thread_limit;
        max_threads = task_icvs().nthreads;
        task_icvs_for_write().nthreads = 66;
    };
    parallel(
        [](void* function) {
            if (team::self().number == 1)
                Region().run(reinterpret_cast<void (*)(void*)>(function), 0);
        },
        reinterpret_cast<void*>(+look), 2);
    EXPECT_EQ(threads, 1);
    EXPECT_EQ(thread, 0);
    EXPECT_EQ(level, 0);
    EXPECT_EQ(limit, config::settings().initial.thread_limit);
    EXPECT_EQ(max_threads, config::settings().initial.nthreads);
    EXPECT_EQ(task_icvs().nthreads, 55);
    task_icvs_for_write().nthreads = config::settings().initial.nthreads;
}

/// A word of the arguments' list: for all devices, with the value in the upper bits.
void* argument(intptr_t id, intptr_t value) { return reinterpret_cast<void*>(value << 16 | id); }

TEST(Target, FindsTheThreadLimitAmongItsArguments) {
    static int limit;
    const auto look = [](void*) { limit = task_icvs().thread_limit; };
    constexpr intptr_t num_teams = 0x100, thread_limit = 0x200, follows = 0x80, device_one = 1;
    void* near[] = {argument(num_teams, 9), argument(thread_limit, 3), nullptr};
    Region().run(look, 0, near);
    EXPECT_EQ(limit, 3);
    void* far[] = {reinterpret_cast<void*>(num_teams | follows), reinterpret_cast<void*>(0x205),
                   reinterpret_cast<void*>(thread_limit | follows), reinterpret_cast<void*>(70000),
                   nullptr};
    Region().run(look, 0, far);
    EXPECT_EQ(limit, 70000);
    void* other[] = {argument(thread_limit | device_one, 3), nullptr};
    Region().run(look, 0, other);
    EXPECT_EQ(limit, config::settings().initial.thread_limit);
}

TEST(Target, WithNowaitOwnsItsDataAndIsWaitedFor) {
    static constexpr int regions = 2000;
    static std::atomic<int> sum, runs;
    parallel(
        [](void*) {
            if (team::self().number != 0)
                return;
            for (int i = 1; i <= regions; ++i) {
                Region region; // gone, with its arrays, before a deferred task runs
                region.array[0] = i;
                region.run(
                    [](void* raw) {
                        sum += static_cast<int>((*static_cast<Mapped*>(raw)->array)[0]);
                        ++runs;
                    },
                    1);
            }
            taskwait(team::self());
            EXPECT_EQ(runs, regions);
        },
        nullptr, 4);
    EXPECT_EQ(sum, regions * (regions + 1) / 2);
}

TEST(DeviceNumbers, NameTheHost) {
    EXPECT_TRUE(is_host(host_device));
    EXPECT_TRUE(is_host(initial_device_alias));
    EXPECT_TRUE(is_host(default_device_alias));
    task_icvs_for_write().default_device = initial_device_alias;
    EXPECT_TRUE(is_host(default_device_alias));
    task_icvs_for_write().default_device = host_device;
    EXPECT_FALSE(is_host(invalid_device));
    EXPECT_FALSE(is_host(num_devices + 1));
    EXPECT_FALSE(is_host_or_end(num_devices + 1));
    require_device(num_devices + 1); // without a device of that number, the host
}

TEST(DeviceNumbers, AreTheSameInAllRoutines) {
    task_icvs_for_write().default_device = host_device;
    for (const int device : {host_device, initial_device_alias, default_device_alias}) {
        EXPECT_EQ(omp_get_max_progress_width(device), 1) << device;
        EXPECT_EQ(omp_get_device_memspace(device, 0), 0u) << device;
        EXPECT_EQ(omp_pause_resource(1, device), 0) << device;
        EXPECT_TRUE(omp_target_is_present("", device)) << device;
    }
    task_icvs_for_write().default_device = num_devices + 1;
    EXPECT_EQ(omp_get_max_progress_width(default_device_alias), 0);
    EXPECT_NE(omp_get_device_memspace(default_device_alias, 0), 0u);
    EXPECT_EQ(omp_pause_resource(1, default_device_alias), -1);
    EXPECT_FALSE(omp_target_is_present("", default_device_alias));
    task_icvs_for_write().default_device = host_device;
}

TEST(DeviceNumbersDeathTest, TheInvalidOneEndsTheProcess) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(require_device(invalid_device), testing::ExitedWithCode(EXIT_FAILURE),
                "omp_invalid_device");
    EXPECT_EXIT(
        {
            task_icvs_for_write().default_device = invalid_device;
            require_device(default_device_alias);
        },
        testing::ExitedWithCode(EXIT_FAILURE), "omp_invalid_device");
}

TEST(DeviceNumbersDeathTest, MandatoryOffloadNeedsTheHostByName) {
    GTEST_FLAG_SET(death_test_style, "threadsafe"); // a process that has not read its settings
    setenv("OMP_TARGET_OFFLOAD", "mandatory", 1);
    EXPECT_EXIT(
        {
            if (task_icvs().default_device != invalid_device)
                exit(2);
            require_device(host_device);
            require_device(initial_device_alias);
            task_icvs_for_write().default_device = host_device;
            require_device(default_device_alias);
            exit(0);
        },
        testing::ExitedWithCode(0), "");
    EXPECT_EXIT(require_device(default_device_alias), testing::ExitedWithCode(EXIT_FAILURE),
                "OMP_TARGET_OFFLOAD");
    EXPECT_EXIT(require_device(num_devices + 1), testing::ExitedWithCode(EXIT_FAILURE),
                "OMP_TARGET_OFFLOAD");
    int to = 0;
    const int from = 1;
    EXPECT_EXIT(
        {
            if (omp_target_memcpy(&to, &from, sizeof to, 0, 0, host_device, host_device) == 0)
                exit(to);
        },
        testing::ExitedWithCode(1), "");
    for (const int device : {num_devices + 1, default_device_alias}) {
        EXPECT_EXIT(omp_target_alloc(8, device), testing::ExitedWithCode(EXIT_FAILURE),
                    "OMP_TARGET_OFFLOAD");
        EXPECT_EXIT(omp_target_is_present(&from, device), testing::ExitedWithCode(EXIT_FAILURE),
                    "OMP_TARGET_OFFLOAD");
        EXPECT_EXIT(omp_target_memcpy(&to, &from, sizeof to, 0, 0, device, host_device),
                    testing::ExitedWithCode(EXIT_FAILURE), "OMP_TARGET_OFFLOAD");
    }
    unsetenv("OMP_TARGET_OFFLOAD");
}

} // namespace
} // namespace heddle::construct
