// SPDX-License-Identifier: Apache-2.0
// __kmpc_sections_init and _next_section for code that asks section by section (clang itself makes
// a static loop of them), and the scope construct, of which only tools hear. Called on each
// thread of the team; the counter is construct/sections. OpenMP 5.2 sections 11.2 and 11.3.
#include "construct/sections.hpp"

#include "abi/kmp/ident.hpp"

using namespace heddle;
using abi::kmp::Gtid;
using abi::kmp::Ident;

/// 0: the thread is alone and executes all sections without asking.
HEDDLE_EXPORT int32_t __kmpc_sections_init(Ident*, Gtid) {
    team::Member& member = team::self();
    if (HEDDLE_UNLIKELY(team::tells(member)))
        team::begin_told_work(member, ompt_work_sections, 0, __builtin_return_address(0));
    if (member.team_size == 1)
        return 0;
    construct::begin_sections(member, INT32_MAX); // their number comes with the next call
    return 1;
}

/// The next section, counted from 0; `count` when there is none left.
HEDDLE_EXPORT int32_t __kmpc_next_section(Ident*, Gtid, int32_t count) {
    const unsigned section = construct::next_section(team::self()) - 1;
    return section < static_cast<unsigned>(count) ? static_cast<int32_t>(section) : count;
}

HEDDLE_EXPORT void __kmpc_end_sections(Ident*, Gtid) {
    team::Member& member = team::self();
    if (HEDDLE_UNLIKELY(team::tells(member)))
        team::end_told_work(member);
}

static void tell_scope(ompt_scope_endpoint_t endpoint, const void* code) {
    team::Member& member = team::self();
    if (HEDDLE_UNLIKELY(team::tells(member)))
        team::tell_work(member, ompt_work_scope, endpoint, 0, code);
}

HEDDLE_EXPORT void __kmpc_scope(Ident*, Gtid, void*) {
    tell_scope(ompt_scope_begin, __builtin_return_address(0));
}
HEDDLE_EXPORT void __kmpc_end_scope(Ident*, Gtid, void*) {
    tell_scope(ompt_scope_end, __builtin_return_address(0));
}
