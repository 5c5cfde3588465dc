// SPDX-License-Identifier: Apache-2.0
// Memory allocators over malloc (OpenMP 5.2 chapter 6): alignment, pools, fallbacks; pinning and
// partitions have files of their own.
// Called by the omp_* routines and the allocate clause, from any thread at once. An allocator's
// traits are constant; `in_use` counts bytes, headers and padding among them as in other runtimes,
// and publishes nothing, so its order is relaxed.
#include "construct/allocator.hpp"

#include "construct/icvs.hpp"
#include "construct/memory_space.hpp"
#include "construct/partitioned_memory.hpp"
#include "construct/pinned_memory.hpp"
#include "platform.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace heddle::construct {

namespace {

using config::AllocatorTraits;

constexpr size_t unlimited = SIZE_MAX;

/// What init_allocator() makes.
struct Allocator {
    AllocatorTraits traits;
    platform::Atomic<size_t> in_use{0}; ///< bytes of all blocks, of a limited pool
};

/// The count for the allocator that OMP_ALLOCATOR describes.
constinit platform::Atomic<size_t> environment_in_use{0};

constexpr AllocatorTraits predefined(bool pinned) {
    AllocatorTraits traits;
    traits.set(fallback_trait, null_fb); // they share one memory: no use in trying another
    traits.set(pinned_trait, pinned);
    return traits;
}
constexpr AllocatorTraits plain_memory = predefined(false);
constexpr AllocatorTraits pinned_memory = predefined(true);

/// An allocator as its handle names it.
struct View {
    const AllocatorTraits& traits;
    platform::Atomic<size_t>* in_use; ///< nullptr: the pool is unlimited
};

/// Lies before every block, so that it can be released without knowing its allocator.
struct alignas(16) Header {
    void* start;  ///< what malloc returned
    size_t total; ///< what it was asked for, and what counts in the pool
    size_t size;  ///< what the user asked for
    AllocatorHandle allocator;
};
constexpr size_t least_alignment = alignof(Header);
static_assert(sizeof(Header) % least_alignment == 0);

Header& header_of(void* block) { return static_cast<Header*>(block)[-1]; }

/// The allocator behind a handle. What init_allocator() made is an address; the numbers of any
/// compiler's omp.h (gcc has 200 and 201, clang 100 to 102) lie in the page that is never mapped.
constexpr AllocatorHandle least_address = 4096;
View view_of(AllocatorHandle handle) {
    if (handle >= least_address) {
        auto* allocator = reinterpret_cast<Allocator*>(handle);
        const bool limited = allocator->traits[pool_size_trait] != unlimited;
        return {allocator->traits, limited ? &allocator->in_use : nullptr};
    }
    if (handle == config::environment_allocator) {
        const AllocatorTraits& traits = config::settings().allocator;
        return {traits, traits[pool_size_trait] != unlimited ? &environment_in_use : nullptr};
    }
    return {handle == gnu_pinned_mem_alloc ? pinned_memory : plain_memory, nullptr};
}

/// One of the eight that every omp.h names, all of plain memory: malloc() and a header.
bool is_predefined(AllocatorHandle handle) { return handle - 1 < 8; }

bool is_power_of_two(size_t n) { return n != 0 && (n & (n - 1)) == 0; }

/// Counts `size` bytes more as in use; false when the pool does not have them.
bool take_from_pool(const View& allocator, size_t size) {
    if (allocator.in_use == nullptr)
        return true;
    size_t in_use = allocator.in_use->load(platform::relaxed);
    do
        if (size > allocator.traits[pool_size_trait] - in_use)
            return false;
    while (!allocator.in_use->compare_exchange_strong(in_use, in_use + size, platform::relaxed,
                                                      platform::relaxed));
    return true;
}

void give_to_pool(const View& allocator, size_t size) {
    if (allocator.in_use != nullptr)
        allocator.in_use->fetch_sub(size, platform::relaxed);
}

size_t alignment_with(const View& allocator, size_t alignment) {
    if (allocator.traits[alignment_trait] > alignment)
        alignment = allocator.traits[alignment_trait];
    return alignment > least_alignment ? alignment : least_alignment;
}

/// The bytes of a block with its header and room to align it; false when that is no number.
bool bytes_of_block(size_t alignment, size_t size, size_t& total) {
    // malloc aligns to 16: only more than that needs room to move.
    return !__builtin_add_overflow(size, sizeof(Header) + (alignment - least_alignment), &total);
}

/// A block of `total` bytes with its header; nullptr when there is no memory.
void* new_block(const View& allocator, size_t alignment, size_t size, size_t total, bool zeroed,
                AllocatorHandle handle) {
    void* start = is_partitioned(allocator.traits, total)
                      ? allocate_partitioned(allocator.traits, total)
                  : allocator.traits[pinned_trait] ? allocate_pinned(total)
                  : zeroed                         ? calloc(1, total)
                                                   : malloc(total);
    if (start == nullptr)
        return nullptr;
    uintptr_t first = reinterpret_cast<uintptr_t>(start) + sizeof(Header);
    void* block = reinterpret_cast<void*>((first + alignment - 1) & ~(alignment - 1));
    header_of(block) = {start, total, size, handle};
    return block;
}

/// Gives a block's memory back. `header` is part of it, and therefore a copy.
void free_block(const View& allocator, Header header) {
    if (is_partitioned(allocator.traits, header.total))
        release_partitioned(header.start);
    else if (allocator.traits[pinned_trait])
        release_pinned(header.start, header.total);
    else
        free(header.start);
}

/// What obtain() comes to for a predefined allocator and no alignment.
void* allocate_plain(size_t size, AllocatorHandle handle) {
    size_t total;
    if (!bytes_of_block(least_alignment, size, total))
        return nullptr;
    void* start = malloc(total);
    if (start == nullptr)
        return nullptr;
    void* block = static_cast<Header*>(start) + 1;
    header_of(block) = {start, total, size, handle};
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
        const View allocator = view_of(handle);
        const size_t larger = alignment_with(allocator, alignment);
        size_t total;
        if (!exhausted && bytes_of_block(larger, size, total) && take_from_pool(allocator, total)) {
            void* block = new_block(allocator, larger, size, total, zeroed, handle);
            if (block != nullptr)
                return block;
            give_to_pool(allocator, total);
        }
        const uintptr_t fallback = allocator.traits[fallback_trait];
        const AllocatorHandle next = allocator.traits[fb_data_trait];
        if (fallback == null_fb)
            return nullptr;
        if (fallback == abort_fb)
            die_out_of_memory();
        // An fb_data that was not given must not come back here by way of def-allocator-var.
        handle = fallback == allocator_fb && next != null_allocator ? next : default_mem_alloc;
    }
}

/// Resizes a block where it keeps its allocator; nullptr, with all as it was, when that has no
/// room. realloc() can grow a large block without a copy.
void* resize(void* block, size_t size) {
    const Header old = header_of(block);
    const View allocator = view_of(old.allocator);
    const size_t alignment = alignment_with(allocator, 1);
    size_t total;
    if (!bytes_of_block(alignment, size, total))
        return nullptr;
    const size_t more = total > old.total ? total - old.total : 0;
    const size_t less = total < old.total ? old.total - total : 0;
    if (!take_from_pool(allocator, more))
        return nullptr;
    void* moved = nullptr;
    const bool is_mallocs = !allocator.traits[pinned_trait] &&
                            !is_partitioned(allocator.traits, old.total) &&
                            !is_partitioned(allocator.traits, total);
    if (is_mallocs && alignment == least_alignment && old.start == &header_of(block)) {
        if (void* start = realloc(old.start, total)) {
            moved = static_cast<Header*>(start) + 1;
            header_of(moved) = {start, total, size, old.allocator};
        }
    } else {
        moved = new_block(allocator, alignment, size, total, false, old.allocator);
        if (moved) {
            memcpy(moved, block, size < old.size ? size : old.size);
            free_block(allocator, old);
        }
    }
    give_to_pool(allocator, moved != nullptr ? less : more);
    return moved;
}

} // namespace

AllocatorHandle init_allocator(uintptr_t memspace, int64_t count, const AllocatorTrait* traits) {
    if (!is_memory_space(memspace))
        return null_allocator;
    void* memory = malloc(sizeof(Allocator));
    if (memory == nullptr)
        return null_allocator;
    Allocator* allocator = new (memory) Allocator;
    for (int64_t i = 0; i < count; i++)
        if (!allocator->traits.set(traits[i].key, traits[i].value)) {
            free(memory);
            return null_allocator;
        }
    return reinterpret_cast<AllocatorHandle>(allocator);
}

void destroy_allocator(AllocatorHandle handle) {
    if (handle >= least_address)
        free(reinterpret_cast<Allocator*>(handle));
}

void* allocate(size_t alignment, size_t size, AllocatorHandle handle) {
    if (HEDDLE_LIKELY(alignment == 1 && size != 0 && is_predefined(handle)))
        return allocate_plain(size, handle);
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
    if (const Header& plain = header_of(block); HEDDLE_LIKELY(is_predefined(plain.allocator)))
        return free(plain.start);
    const Header header = header_of(block);
    const View allocator = view_of(header.allocator);
    give_to_pool(allocator, header.total);
    free_block(allocator, header);
}

} // namespace heddle::construct
