// SPDX-License-Identifier: Apache-2.0
// The traits of a memory allocator, and OMP_ALLOCATOR, which may be a list of them (OpenMP 5.2
// sections 6.2 and 21.5.1). Called by the table of control variables and by construct/allocator.
// Values; an allocator's are constant once it is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::config {

class Text;

/// omp_alloctrait_key_t.
enum TraitKey : uint32_t {
    sync_hint_trait = 1,
    alignment_trait = 2,
    access_trait = 3,
    pool_size_trait = 4,
    fallback_trait = 5,
    fb_data_trait = 6,
    pinned_trait = 7,
    partition_trait = 8,
};
inline constexpr uint32_t last_trait = partition_trait;

/// omp_alloctrait_value_t, as far as the number itself matters.
enum TraitValue : uintptr_t {
    default_value = UINTPTR_MAX,
    contended_value = 3,
    private_value = 6,
    all_value = 7,
    cgroup_value = 10,
    default_mem_fb = 11,
    null_fb = 12,
    abort_fb = 13,
    allocator_fb = 14,
    environment_value = 15,
    nearest_value = 16,
    blocked_value = 17,
    interleaved_value = 18,
};

class AllocatorTraits {
public:
    /// All default.
    constexpr AllocatorTraits() : values_{} {
        for (uint32_t key = 1; key <= last_trait; key++)
            values_[key] = ranges[key].usual;
    }

    /// Takes one trait by its numbers in omp.h; false when the key or its value is none.
    constexpr bool set(uint32_t key, uintptr_t value) {
        if (key < 1 || key > last_trait)
            return false;
        const bool power_of_two = (value & (value - 1)) == 0;
        if (value == default_value)
            value = ranges[key].usual;
        else if (value < ranges[key].low || value > ranges[key].high ||
                 (key == alignment_trait && !power_of_two))
            return false;
        values_[key] = value;
        return true;
    }

    /// The value in force: the last that was set, or the default.
    constexpr uintptr_t operator[](TraitKey key) const { return values_[key]; }

    constexpr bool is_default(TraitKey key) const { return values_[key] == ranges[key].usual; }

    uintptr_t memory_space = 0; ///< omp_memspace_handle_t, for display: all are the same memory

private:
    static constexpr uintptr_t any = UINTPTR_MAX;
    struct Range {
        uintptr_t low, high, usual;
    };
    static constexpr Range ranges[] = {
        {}, // no key
        {contended_value, private_value, contended_value},
        {1, any, 1},
        {all_value, cgroup_value, all_value},
        {0, any, any}, // a pool of `any` bytes is unlimited
        {default_mem_fb, allocator_fb, default_mem_fb},
        {0, any, 0},
        {0, 1, 0},
        {environment_value, interleaved_value, environment_value},
    };

    uintptr_t values_[last_trait + 1];
};

/// The handle of the allocator that OMP_ALLOCATOR describes by its traits. Handles below 4096 are
/// no addresses, and no compiler's omp.h has this one.
inline constexpr uintptr_t environment_allocator = 1000;

/// `allocator`, `space` or `space:trait=value,...` with the names of predefined allocators and
/// spaces. Sets `handle` to the omp_allocator_handle_t of the first two, of the last to
/// environment_allocator and `traits` to what it says.
bool parse_allocator(std::string_view text, AllocatorTraits& traits, uintptr_t& handle);

/// The name of a predefined allocator, what `traits` say for environment_allocator, or the number.
void print_allocator(Text& out, const AllocatorTraits& traits, uintptr_t handle);

} // namespace heddle::config
