// SPDX-License-Identifier: Apache-2.0
// Cancellation (OpenMP 5.2 chapter 11): requests, cancellation points, barriers that are such.
// Called by generated code on each thread of the team; not 0: the caller branches to the end of the
// region. The cancel barrier is the one of regions that contain `cancel parallel`, and what it
// answers concerns the parallel region alone. Facts: LLVM's OpenMP runtime interface.
#include "construct/cancel.hpp"

#include "abi/kmp/ident.hpp"
#include "schedule/wait.hpp"
#include "team/tool_events.hpp"

using namespace heddle;
using abi::kmp::Gtid;
using abi::kmp::Ident;

namespace {

using construct::CancelKind;

/// 1 parallel, 2 loop, 3 sections, 4 taskgroup.
CancelKind kind_of(int32_t number) {
    return number == 1   ? CancelKind::parallel
           : number == 4 ? CancelKind::taskgroup
                         : CancelKind::worksharing;
}

} // namespace

namespace {

/// What a tool calls that region.
int flag_of(int32_t number) {
    return number == 1   ? ompt_cancel_parallel
           : number == 2 ? ompt_cancel_loop
           : number == 3 ? ompt_cancel_sections
                         : ompt_cancel_taskgroup;
}

} // namespace

HEDDLE_EXPORT int32_t __kmpc_cancel(Ident*, Gtid, int32_t kind) {
    team::Member& member = team::self();
    const bool cancelled = construct::cancel(member, kind_of(kind));
    if (HEDDLE_UNLIKELY(team::tells(member)) && cancelled)
        team::tell_cancel(member, flag_of(kind) | ompt_cancel_activated,
                          __builtin_return_address(0));
    return cancelled;
}

HEDDLE_EXPORT int32_t __kmpc_cancellationpoint(Ident*, Gtid, int32_t kind) {
    if (!config::settings().cancellation)
        return 0;
    team::Member& member = team::self();
    const bool due = construct::is_cancellation_due(member, kind_of(kind));
    if (HEDDLE_UNLIKELY(team::tells(member)) && due)
        team::tell_cancel(member, flag_of(kind) | ompt_cancel_detected,
                          __builtin_return_address(0));
    return due;
}

HEDDLE_EXPORT int32_t __kmpc_cancel_barrier(Ident*, Gtid) {
    return schedule::wait_at_cancellable_barrier(team::self());
}
