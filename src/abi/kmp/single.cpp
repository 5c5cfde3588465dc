// SPDX-License-Identifier: Apache-2.0
// The single construct and its copyprivate clause (OpenMP 5.2 sections 11.1, 5.7.2).
// Called by generated code on each thread of the team. The end is called by the executing thread,
// for tools; the barrier is a call of its own. Facts: LLVM's OpenMP runtime interface.
#include "construct/single.hpp"

#include "abi/kmp/ident.hpp"
#include "schedule/cancel.hpp"
#include "schedule/wait.hpp"

using namespace heddle;
using abi::kmp::Gtid;
using abi::kmp::Ident;

/// 1 on one thread of the team.
HEDDLE_EXPORT int32_t __kmpc_single(Ident*, Gtid) {
    team::Member& member = team::self();
    const bool mine = construct::begin_single(member);
    if (HEDDLE_UNLIKELY(team::tells(member)))
        construct::tell_single(member, mine, false, __builtin_return_address(0));
    return mine;
}
HEDDLE_EXPORT void __kmpc_end_single(Ident*, Gtid) {
    if (team::tells_here())
        team::tell_work(team::self(), ompt_work_single_executor, ompt_scope_end, 1,
                        __builtin_return_address(0));
}

/// After the single region, on all threads: those that did not execute it (`executed` 0) have the
/// data of the one that did copied to their own. clang calls it once, with a list of all variables,
/// flang once for each variable.
HEDDLE_EXPORT void __kmpc_copyprivate(Ident*, Gtid, size_t, void* data,
                                      void (*copy)(void* to, void* from), int32_t executed) {
    team::Member& member = team::self();
    construct::next_copyprivate(member, executed);
    if (executed)
        construct::end_copyprivate(member, data);
    else
        copy(data, construct::await_copyprivate(member));
    // The data must stay until all have copied.
    if (HEDDLE_UNLIKELY(schedule::may_cancel(member)))
        schedule::wait_for_copies(member, __builtin_return_address(0));
    else
        schedule::wait_at_barrier(member);
}

/// The same without copying: returns what the executing thread brings, all others nullptr. The
/// caller copies, then waits at a barrier.
HEDDLE_EXPORT void* __kmpc_copyprivate_light(Ident*, Gtid, void* data) {
    team::Member& member = team::self();
    construct::next_copyprivate(member, data);
    if (!data)
        return construct::await_copyprivate(member);
    construct::end_copyprivate(member, data);
    return data;
}
