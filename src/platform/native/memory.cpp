// SPDX-License-Identifier: Apache-2.0
// Pages of memory and the NUMA nodes they lie on, by system calls: no library is needed.
// Called by place/ through platform.hpp, on any thread. A refusal (an old kernel, seccomp as in
// containers) is an answer, not an error. Source: the manual pages of mbind and move_pages.
#include "platform/contract.hpp"

#include <cerrno>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heddle::platform {

namespace {

/// Leaves errno as it was: what the runtime tries must be invisible to the user's program.
class KeepErrno {
public:
    KeepErrno() = default;
    ~KeepErrno() { errno = saved_; }
    KeepErrno(const KeepErrno&) = delete;
    KeepErrno& operator=(const KeepErrno&) = delete;

private:
    int saved_ = errno;
};

constexpr int word_bits = 64;

/// The kernel takes the number of bits in a mask plus one.
constexpr unsigned long mask_bits = most_nodes + 1;

void set_bit(uint64_t* mask, int bit) { mask[bit / word_bits] |= uint64_t{1} << (bit % word_bits); }

} // namespace

size_t page_size() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

void* map_pages(size_t size) {
    const KeepErrno keep;
    void* start = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return start == MAP_FAILED ? nullptr : start;
}

void unmap_pages(void* start, size_t size) {
    const KeepErrno keep;
    munmap(start, size);
}

void use_small_pages(void* start, size_t size) {
    const KeepErrno keep;
    madvise(start, size, MADV_NOHUGEPAGE); // refused: there are no huge pages
}

bool prefer_node_for(void* start, size_t size, int node) {
    const KeepErrno keep;
    uint64_t mask[most_nodes / word_bits] = {};
    set_bit(mask, node);
    return syscall(SYS_mbind, start, size, MPOL_PREFERRED, mask, mask_bits, 0) == 0;
}

bool interleave_on(void* start, size_t size, const uint64_t* nodes) {
    const KeepErrno keep;
    return syscall(SYS_mbind, start, size, MPOL_INTERLEAVE, nodes, mask_bits, 0) == 0;
}

bool read_memory_policy(MemoryPolicy& policy) {
    const KeepErrno keep;
    return syscall(SYS_get_mempolicy, &policy.mode, policy.nodes, mask_bits, nullptr, 0) == 0;
}

bool set_memory_policy(const MemoryPolicy& policy) {
    const KeepErrno keep;
    return syscall(SYS_set_mempolicy, policy.mode, policy.nodes, mask_bits) == 0;
}

MemoryPolicy preferring(int node) {
    MemoryPolicy policy{};
    policy.mode = MPOL_PREFERRED;
    set_bit(policy.nodes, node);
    return policy;
}

int node_of_page(const void* address) {
    const KeepErrno keep;
    void* page = const_cast<void*>(address);
    int node = -1;
    // Without nodes to move to it only tells where the page is; an error is a negative number.
    if (syscall(SYS_move_pages, 0, 1UL, &page, nullptr, &node, 0) != 0 || node < 0)
        return -1;
    return node;
}

} // namespace heddle::platform
