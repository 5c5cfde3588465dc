// SPDX-License-Identifier: Apache-2.0
// GOMP_sections_* and GOMP_single_*.
// Called by code that gcc generates, on each thread of the team.
#include "construct/sections.hpp"

#include "abi/export.hpp"
#include "construct/reduction.hpp"
#include "construct/single.hpp"
#include "schedule/wait.hpp"

#include <cstring>

using namespace heddle;

static void tell_sections(team::Member& member, unsigned count, const void* code) {
    if (HEDDLE_UNLIKELY(team::tells(member)))
        team::begin_told_work(member, ompt_work_sections, count, code);
}

HEDDLE_EXPORT unsigned GOMP_sections_start(unsigned count) {
    team::Member& member = team::self();
    tell_sections(member, count, __builtin_return_address(0));
    construct::begin_sections(member, count);
    return construct::next_section(member);
}

/// Sections whose region shares memory (`*memory` bytes, answered with their address).
HEDDLE_EXPORT unsigned GOMP_sections2_start(unsigned count, uintptr_t* reductions, void** memory) {
    team::Member& member = team::self();
    const auto size = memory ? reinterpret_cast<uintptr_t>(*memory) : 0;
    construct::enter_workshare(member, [count, size](team::Workshare& node) {
        construct::describe_sections(node, count);
        if (size == 0)
            return;
        node.memory = platform::allocate(size, concurrent::cache_line);
        if (!node.memory)
            platform::die("no memory for the shared data of sections");
        memset(node.memory, 0, size);
    });
    if (memory)
        *memory = member.workshare.node->memory;
    if (reductions)
        construct::begin_workshare_reductions(member, reductions);
    tell_sections(member, count, __builtin_return_address(0)); // in the taskgroup of these
    return construct::next_section(member);
}

HEDDLE_EXPORT unsigned GOMP_sections_next() { return construct::next_section(team::self()); }
HEDDLE_EXPORT void GOMP_sections_end() {
    schedule::wait_at_barrier(team::self(), ompt_sync_region_barrier_implicit_workshare);
}
HEDDLE_EXPORT void GOMP_sections_end_nowait() {}

HEDDLE_EXPORT bool GOMP_single_start() {
    team::Member& member = team::self();
    const bool mine = construct::begin_single(member);
    if (HEDDLE_UNLIKELY(team::tells(member)))
        construct::tell_single(member, mine, true, __builtin_return_address(0));
    return mine;
}

HEDDLE_EXPORT void* GOMP_single_copy_start() {
    void* data = nullptr;
    team::Member& member = team::self();
    const bool mine = construct::begin_copyprivate(member, &data);
    if (HEDDLE_UNLIKELY(team::tells(member)))
        construct::tell_single(member, mine, true, __builtin_return_address(0));
    return data; // nullptr tells the executing thread that it is the one
}

HEDDLE_EXPORT void GOMP_single_copy_end(void* data) {
    construct::end_copyprivate(team::self(), data);
}
