// SPDX-License-Identifier: Apache-2.0
// The grammar and the names of OMP_ALLOCATOR (OpenMP 5.2 section 21.5.1).
// Called while the settings are read, by one thread, and for OMP_DISPLAY_ENV.
// Pure functions of their arguments.
#include "config/allocator_traits.hpp"

#include "config/scanner.hpp"
#include "config/text.hpp"

#include <span>

namespace heddle::config {

namespace {

struct Name {
    std::string_view text;
    uintptr_t number;
};

constexpr Name allocators[] = {
    {"omp_default_mem_alloc", 1},       {"omp_large_cap_mem_alloc", 2},
    {"omp_const_mem_alloc", 3},         {"omp_high_bw_mem_alloc", 4},
    {"omp_low_lat_mem_alloc", 5},       {"omp_cgroup_mem_alloc", 6},
    {"omp_pteam_mem_alloc", 7},         {"omp_thread_mem_alloc", 8},
    {"ompx_gnu_pinned_mem_alloc", 200}, {"ompx_gnu_managed_mem_alloc", 201}};

/// The memory spaces, and the allocators that take their memory from them with default traits.
struct Space {
    Name name;
    uintptr_t allocator;
};
constexpr Space spaces[] = {
    {{"omp_default_mem_space", 0}, 1}, {{"omp_large_cap_mem_space", 1}, 2},
    {{"omp_const_mem_space", 2}, 3},   {{"omp_high_bw_mem_space", 3}, 4},
    {{"omp_low_lat_mem_space", 4}, 5}, {{"ompx_gnu_managed_mem_space", 200}, 201}};

constexpr Name sync_hints[] = {
    {"contended", 3}, {"uncontended", 4}, {"serialized", 5}, {"sequential", 5}, {"private", 6}};
constexpr Name accesses[] = {{"all", 7}, {"thread", 8}, {"pteam", 9}, {"cgroup", 10}};
constexpr Name fallbacks[] = {
    {"default_mem_fb", 11}, {"null_fb", 12}, {"abort_fb", 13}, {"allocator_fb", 14}};
constexpr Name booleans[] = {{"false", 0}, {"true", 1}};
constexpr Name partitions[] = {
    {"environment", 15}, {"nearest", 16}, {"blocked", 17}, {"interleaved", 18}};

/// A trait's key and the names of its values; numbers have none.
struct Trait {
    std::string_view name;
    TraitKey key;
    std::span<const Name> values;
};
constexpr Trait traits_by_name[] = {
    {"sync_hint", sync_hint_trait, sync_hints}, {"alignment", alignment_trait, {}},
    {"access", access_trait, accesses},         {"pool_size", pool_size_trait, {}},
    {"fallback", fallback_trait, fallbacks},    {"fb_data", fb_data_trait, allocators},
    {"pinned", pinned_trait, booleans},         {"partition", partition_trait, partitions}};

/// The entry called `word`, or nullptr.
const Name* find(std::span<const Name> names, std::string_view word) {
    for (const Name& name : names)
        if (same_word(word, name.text))
            return &name;
    return nullptr;
}

/// The name of `number`, or nothing.
std::string_view name_of(std::span<const Name> names, uintptr_t number) {
    for (const Name& name : names)
        if (name.number == number)
            return name.text;
    return {};
}

const Space* find_space(std::string_view word) {
    for (const Space& space : spaces)
        if (same_word(word, space.name.text))
            return &space;
    return nullptr;
}

/// Takes one `trait=value`.
bool parse_trait(Scanner& scanner, AllocatorTraits& traits) {
    std::string_view word = scanner.word();
    for (const Trait& trait : traits_by_name) {
        if (!same_word(word, trait.name))
            continue;
        if (!scanner.take('='))
            return false;
        if (trait.values.empty()) {
            uint64_t number = 0;
            return scanner.number(number) && number > 0 && number != default_value &&
                   traits.set(trait.key, number);
        }
        const Name* value = find(trait.values, scanner.word());
        return value != nullptr && traits.set(trait.key, value->number);
    }
    return false;
}

} // namespace

bool parse_allocator(std::string_view text, AllocatorTraits& traits, uintptr_t& handle) {
    Scanner scanner(text);
    std::string_view word = scanner.word();
    const Name* allocator = find(allocators, word);
    const Space* space = find_space(word);
    if (allocator == nullptr && space == nullptr)
        return false;
    if (scanner.at_end()) {
        handle = allocator != nullptr ? allocator->number : space->allocator;
        return true;
    }
    if (space == nullptr || !scanner.take(':'))
        return false;
    AllocatorTraits parsed;
    parsed.memory_space = space->name.number;
    do
        if (!parse_trait(scanner, parsed))
            return false;
    while (scanner.take(','));
    // An allocator to fall back on must be named exactly where it is asked for.
    if (!scanner.at_end() ||
        (parsed[fallback_trait] == allocator_fb) == parsed.is_default(fb_data_trait))
        return false;
    traits = parsed;
    handle = environment_allocator;
    return true;
}

void print_allocator(Text& out, const AllocatorTraits& traits, uintptr_t handle) {
    if (handle != environment_allocator) {
        std::string_view name = name_of(allocators, handle);
        if (name.empty())
            out << handle;
        else
            out << name;
        return;
    }
    for (const Space& space : spaces)
        if (space.name.number == traits.memory_space)
            out << space.name.text;
    std::string_view separator = ":";
    for (const Trait& trait : traits_by_name) {
        if (traits.is_default(trait.key))
            continue;
        out << separator << trait.name << "=";
        if (trait.values.empty())
            out << traits[trait.key];
        else
            out << name_of(trait.values, traits[trait.key]);
        separator = ",";
    }
}

} // namespace heddle::config
