// SPDX-License-Identifier: Apache-2.0
// Memory allocators over malloc: alignment, pools and fallbacks (OpenMP 5.2 chapter 6).
// Called by the omp_* routines and the allocate clause, from any thread at once. An allocator's
// traits are constant; `in_use` counts bytes and publishes nothing, so its order is relaxed.
#include "construct/allocator.hpp"

#include "construct/icvs.hpp"
#include "platform.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace heddle::construct {

namespace {

struct Allocator {
    size_t alignment = 1;
    size_t pool_size = unlimited; ///< bytes that users ask for; what we add is not counted
    uintptr_t fallback = default_mem_fb;
    AllocatorHandle fb_data = null_allocator;
    platform::Atomic<size_t> in_use{0}; ///< of pool_size, unless unlimited

    static constexpr size_t unlimited = SIZE_MAX;
};

/// Lies before every block, so that it can be released without knowing its allocator.
struct alignas(16) Header {
    void* start; ///< what malloc returned
    size_t size; ///< as asked for
    AllocatorHandle allocator;
};
constexpr size_t least_alignment = alignof(Header);
static_assert(sizeof(Header) % least_alignment == 0);

Header& header_of(void* block) { return static_cast<Header*>(block)[-1]; }

/// The allocator behind a handle, nullptr for a predefined one. The predefined handles of any
/// compiler (gcc has 200 and 201, clang 100 to 102) lie in the page that is never mapped; all are
/// plain memory here.
Allocator* custom(AllocatorHandle handle) {
    return handle < 4096 ? nullptr : reinterpret_cast<Allocator*>(handle);
}

bool is_power_of_two(size_t n) { return n != 0 && (n & (n - 1)) == 0; }

/// Counts `size` bytes more as in use; false when the pool does not have them.
bool take_from_pool(Allocator* allocator, size_t size) {
    if (allocator == nullptr || allocator->pool_size == Allocator::unlimited)
        return true;
    size_t in_use = allocator->in_use.load(platform::relaxed);
    do
        if (size > allocator->pool_size - in_use)
            return false;
    while (!allocator->in_use.compare_exchange_strong(in_use, in_use + size, platform::relaxed,
                                                      platform::relaxed));
    return true;
}

void give_to_pool(Allocator* allocator, size_t size) {
    if (allocator != nullptr && allocator->pool_size != Allocator::unlimited)
        allocator->in_use.fetch_sub(size, platform::relaxed);
}

size_t alignment_with(const Allocator* allocator, size_t alignment) {
    if (allocator != nullptr && allocator->alignment > alignment)
        alignment = allocator->alignment;
    return alignment > least_alignment ? alignment : least_alignment;
}

/// A block with its header from malloc or calloc; nullptr when there is no memory.
void* block_from_heap(size_t alignment, size_t size, bool zeroed, AllocatorHandle handle) {
    // malloc aligns to 16: only more than that needs room to move.
    size_t total;
    if (__builtin_add_overflow(size, sizeof(Header) + (alignment - least_alignment), &total))
        return nullptr;
    void* start = zeroed ? calloc(1, total) : malloc(total);
    if (start == nullptr)
        return nullptr;
    uintptr_t first = reinterpret_cast<uintptr_t>(start) + sizeof(Header);
    void* block = reinterpret_cast<void*>((first + alignment - 1) & ~(alignment - 1));
    header_of(block) = {start, size, handle};
    return block;
}

[[noreturn]] void die_out_of_memory() {
    platform::die("out of memory: an allocator with the trait fallback=abort_fb has no more");
}

/// Tries the allocator and then its fallbacks. `exhausted`: the size is not even a number.
void* obtain(size_t alignment, size_t size, bool exhausted, bool zeroed, AllocatorHandle handle) {
    for (;;) {
        if (handle == null_allocator)
            handle = task_icvs().default_allocator;
        Allocator* allocator = custom(handle);
        if (!exhausted && take_from_pool(allocator, size)) {
            void* block =
                block_from_heap(alignment_with(allocator, alignment), size, zeroed, handle);
            if (block != nullptr)
                return block;
            give_to_pool(allocator, size);
        }
        if (allocator == nullptr || allocator->fallback == null_fb)
            return nullptr; // the predefined allocators share one memory: no use in trying others
        if (allocator->fallback == abort_fb)
            die_out_of_memory();
        // An fb_data that was not given must not come back here by way of def-allocator-var.
        const bool has_next = allocator->fallback == allocator_fb && allocator->fb_data != 0;
        handle = has_next ? allocator->fb_data : default_mem_alloc;
    }
}

/// Resizes a block where it keeps its allocator; nullptr, with all as it was, when that has no
/// room. realloc() can grow a large block without a copy.
void* resize(void* block, size_t size) {
    Header& old = header_of(block);
    Allocator* allocator = custom(old.allocator);
    size_t alignment = alignment_with(allocator, 1);
    size_t more = size > old.size ? size - old.size : 0;
    size_t less = size < old.size ? old.size - size : 0;
    if (!take_from_pool(allocator, more))
        return nullptr;
    void* moved = nullptr;
    size_t total;
    if (alignment == least_alignment && old.start == &old) {
        if (!__builtin_add_overflow(size, sizeof(Header), &total))
            if (void* start = realloc(old.start, total)) {
                moved = static_cast<Header*>(start) + 1;
                header_of(moved).start = start;
                header_of(moved).size = size;
            }
    } else {
        moved = block_from_heap(alignment, size, false, old.allocator);
        if (moved) {
            memcpy(moved, block, size < old.size ? size : old.size);
            free(old.start);
        }
    }
    give_to_pool(allocator, moved != nullptr ? less : more);
    return moved;
}

/// Takes one trait; false when its value is not one of the key.
bool set_trait(Allocator& allocator, bool& pinned, const AllocatorTrait& trait) {
    const bool is_default = trait.value == default_value;
    auto within = [&](uintptr_t low, uintptr_t high) {
        return is_default || (trait.value >= low && trait.value <= high);
    };
    switch (trait.key) {
    case sync_hint_trait:
        return within(contended_value, private_value);
    case access_trait:
        return within(all_value, cgroup_value);
    case partition_trait:
        return within(environment_value, interleaved_value);
    case alignment_trait:
        allocator.alignment = is_default ? 1 : trait.value;
        return is_power_of_two(allocator.alignment);
    case pool_size_trait:
        allocator.pool_size = is_default ? Allocator::unlimited : trait.value;
        return true;
    case fallback_trait:
        allocator.fallback = is_default ? uintptr_t{default_mem_fb} : trait.value;
        return within(default_mem_fb, allocator_fb);
    case fb_data_trait:
        allocator.fb_data = is_default ? null_allocator : trait.value;
        return true;
    case pinned_trait:
        pinned = trait.value == 1;
        return within(0, 1);
    default:
        return false;
    }
}

} // namespace

AllocatorHandle init_allocator(uintptr_t memspace, int64_t count, const AllocatorTrait* traits) {
    constexpr uintptr_t high_bw_mem_space = 3, low_lat_mem_space = 4;
    if (memspace > low_lat_mem_space || memspace == high_bw_mem_space)
        return null_allocator;
    void* memory = malloc(sizeof(Allocator));
    if (memory == nullptr)
        return null_allocator;
    Allocator* allocator = new (memory) Allocator;
    bool pinned = false;
    for (int64_t i = 0; i < count; i++)
        if (!set_trait(*allocator, pinned, traits[i])) {
            free(memory);
            return null_allocator;
        }
    if (pinned) {
        free(memory);
        return null_allocator;
    }
    return reinterpret_cast<AllocatorHandle>(allocator);
}

void destroy_allocator(AllocatorHandle handle) { free(custom(handle)); }

void* allocate(size_t alignment, size_t size, AllocatorHandle handle) {
    if (size == 0 || !is_power_of_two(alignment))
        return nullptr;
    return obtain(alignment, size, false, false, handle);
}

void* allocate_zeroed(size_t alignment, size_t count, size_t size, AllocatorHandle handle) {
    if (count == 0 || size == 0 || !is_power_of_two(alignment))
        return nullptr;
    size_t total = 0;
    bool exhausted = __builtin_mul_overflow(count, size, &total);
    return obtain(alignment, total, exhausted, true, handle);
}

void* reallocate(void* block, size_t size, AllocatorHandle handle, AllocatorHandle free_handle) {
    if (block == nullptr)
        return allocate(1, size, handle);
    if (size == 0) {
        release(block);
        return nullptr;
    }
    const Header& old = header_of(block);
    if (handle == null_allocator)
        handle = free_handle != null_allocator ? free_handle : old.allocator;
    if (handle == old.allocator)
        if (void* resized = resize(block, size))
            return resized;
    void* moved = allocate(1, size, handle);
    if (moved != nullptr) {
        memcpy(moved, block, size < old.size ? size : old.size);
        release(block);
    }
    return moved;
}

void release(void* block) {
    if (block == nullptr)
        return;
    Header& header = header_of(block);
    give_to_pool(custom(header.allocator), header.size);
    free(header.start);
}

} // namespace heddle::construct
