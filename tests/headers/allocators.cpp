// SPDX-License-Identifier: Apache-2.0
// What omp.h has for C++ alone: default arguments, and allocators for containers (OpenMP 5.2
// sections 6.2 and 18.13). Started by test_headers.py; exits with 0 when all is well.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <new>
#include <omp.h>
#include <vector>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                           \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

namespace {

struct alignas(128) Wide {
    int value;
};

template <template <class> class Allocator>
void containers() {
    std::vector<Wide, Allocator<Wide>> wide(10);
    wide.resize(100);
    for (const Wide& element : wide)
        CHECK(reinterpret_cast<std::uintptr_t>(&element) % 128 == 0);
    std::list<int, Allocator<int>> list{1, 2, 3}; // rebinds the allocator
    list.push_back(4);
    CHECK(list.size() == 4);
    std::map<int, int, std::less<int>, Allocator<std::pair<const int, int>>> map;
    for (int i = 0; i < 100; i++)
        map[i] = i;
    CHECK(map.size() == 100 && map[99] == 99);
    CHECK(Allocator<int>() == Allocator<char>() && !(Allocator<int>() != Allocator<char>()));
}

/// Little of it: who may lock how much memory is for the machine to say.
void pinned_memory() {
    try {
        std::vector<int, ompx::allocator::gnu_pinned_mem<int>> few(10, 3);
        CHECK(few[9] == 3);
    } catch (const std::bad_alloc&) {
        std::puts("no memory may be locked here");
    }
}

void refuses_too_much() {
    bool refused = false;
    try {
        omp::allocator::default_mem<Wide> allocator;
        allocator.deallocate(allocator.allocate(static_cast<std::size_t>(-1) / 64), 0);
    } catch (const std::bad_alloc&) {
        refused = true;
    }
    CHECK(refused);
}

} // namespace

int main() {
    omp_free(omp_alloc(10));
    omp_free(omp_aligned_alloc(64, 10));
    omp_free(omp_realloc(omp_calloc(1, 10), 20));
    omp_free(omp_aligned_calloc(64, 1, 10));
    containers<omp::allocator::null_allocator>();
    containers<omp::allocator::default_mem>();
    containers<omp::allocator::large_cap_mem>();
    containers<omp::allocator::const_mem>();
    containers<omp::allocator::high_bw_mem>();
    containers<omp::allocator::low_lat_mem>();
    containers<omp::allocator::cgroup_mem>();
    containers<omp::allocator::pteam_mem>();
    containers<omp::allocator::thread_mem>();
    pinned_memory();
    containers<ompx::allocator::gnu_managed_mem>();
    refuses_too_much();
}
