// SPDX-License-Identifier: Apache-2.0
// Reduction clauses: each thread brings its own copies, and is told who combines them and how.
// Called by generated code on each thread of the team, at the end of a region or construct. Answer
// 1: the caller combines its copies with the variables and calls the end; 2: the same with atomic
// operations; 0: its copies have been taken over. Facts: LLVM's OpenMP runtime interface.
#include "abi/kmp/critical.hpp"
#include "construct/reduction_tree.hpp"
#include "schedule/wait.hpp"
#include "team/tool_events.hpp"

using namespace heddle;
using abi::kmp::CriticalName;
using abi::kmp::Gtid;
using abi::kmp::Ident;
using construct::CombineParts;

namespace {

using config::ReductionMethod;

constexpr int32_t nothing_to_do = 0, combine_alone = 1, combine_atomically = 2;

/// In larger teams threads that combine their copies one by one keep each other waiting.
constexpr int largest_team_without_tree = 4;

/// How a team of two or more combines, or one of several that run at once. What the user asks for
/// counts where generated code has it.
ReductionMethod choose(const Ident* where, int team_size, void* part, CombineParts combine) {
    const config::Settings& settings = config::settings();
    const bool has_atomic = where && (where->flags & abi::kmp::ident_flag::atomic_reduction);
    // A thread that was cancelled does not come to its reduction, and the tree waits for all.
    const bool has_tree = part && combine && !settings.cancellation && team_size > 1;
    const bool small = team_size <= largest_team_without_tree;
    const ReductionMethod without_tree =
        has_atomic ? ReductionMethod::atomic : ReductionMethod::critical;
    switch (settings.kmp_reduction) {
    case ReductionMethod::critical:
        return ReductionMethod::critical;
    case ReductionMethod::atomic:
        return without_tree;
    case ReductionMethod::tree:
        return has_tree ? ReductionMethod::tree : ReductionMethod::critical;
    case ReductionMethod::automatic:
        break;
    }
    return has_tree && !small ? ReductionMethod::tree : without_tree;
}

/// `last`: a barrier follows at once, so that a part in the tree may stay where it is.
int32_t begin(team::Member& member, const Ident* where, void* part, CombineParts combine,
              CriticalName* name, bool last) {
    if (member.team_size == 1 && !member.team->league.at_once)
        return combine_alone;
    switch (choose(where, member.team_size, part, combine)) {
    case ReductionMethod::atomic:
        return combine_atomically;
    case ReductionMethod::tree:
        return construct::combine_in_tree(member, part, combine, !last) ? combine_alone
                                                                        : nothing_to_do;
    case ReductionMethod::critical:
    case ReductionMethod::automatic:
        break;
    }
    construct::acquire(name->lock);
    member.reduction.locked = true;
    return combine_alone;
}

void end(team::Member& member, CriticalName* name) {
    if (!member.reduction.locked)
        return;
    member.reduction.locked = false;
    name->lock.unlock();
}

/// The barrier at the end of the construct. With cancellation a thread may have skipped the
/// reduction; all of them come to the barrier that generated code has after it.
void finish(team::Member& member) {
    if (!config::settings().cancellation)
        schedule::wait_at_barrier(member, ompt_sync_region_barrier_implicit_workshare);
}

} // namespace

/// A reduction at whose end no barrier is due.
HEDDLE_EXPORT int32_t __kmpc_reduce_nowait(Ident* where, Gtid, int32_t, size_t, void* parts,
                                           CombineParts combine, CriticalName* name) {
    team::Member& member = team::self();
    const bool told = team::tells(member);
    if (HEDDLE_UNLIKELY(told))
        team::tell_reduction(member, ompt_scope_begin, __builtin_return_address(0));
    const int32_t answer = begin(member, where, parts, combine, name, false);
    if (HEDDLE_UNLIKELY(told) && answer != combine_alone) // no end call follows
        team::tell_reduction(member, ompt_scope_end, __builtin_return_address(0));
    return answer;
}

HEDDLE_EXPORT void __kmpc_end_reduce_nowait(Ident*, Gtid, CriticalName* name) {
    team::Member& member = team::self();
    end(member, name);
    if (HEDDLE_UNLIKELY(team::tells(member)))
        team::tell_reduction(member, ompt_scope_end, __builtin_return_address(0));
}

/// A reduction that ends with a barrier: here for who is told 0, in the end for all others.
HEDDLE_EXPORT int32_t __kmpc_reduce(Ident* where, Gtid, int32_t, size_t, void* parts,
                                    CombineParts combine, CriticalName* name) {
    team::Member& member = team::self();
    if (HEDDLE_UNLIKELY(team::tells(member)))
        team::tell_reduction(member, ompt_scope_begin, __builtin_return_address(0));
    const int32_t answer = begin(member, where, parts, combine, name, true);
    if (answer == nothing_to_do) {
        if (HEDDLE_UNLIKELY(team::tells(member)))
            team::tell_reduction(member, ompt_scope_end, __builtin_return_address(0));
        finish(member);
    }
    return answer;
}

HEDDLE_EXPORT void __kmpc_end_reduce(Ident*, Gtid, CriticalName* name) {
    team::Member& member = team::self();
    end(member, name);
    if (HEDDLE_UNLIKELY(team::tells(member)))
        team::tell_reduction(member, ompt_scope_end, __builtin_return_address(0));
    finish(member);
}
