// SPDX-License-Identifier: Apache-2.0
// GOMP_cancel, cancellation points, and the barriers that are such points.
// Called by code that gcc generates, on each thread of the team; true: the caller branches to the
// end of the region. gcc calls the *_cancel entries where the region may be cancelled at all.
#include "construct/cancel.hpp"

#include "abi/export.hpp"
#include "schedule/wait.hpp"

using namespace heddle;

namespace {

using construct::CancelKind;

/// gcc's numbers: 1 parallel, 2 loop, 4 sections, 8 taskgroup.
CancelKind kind_of(int which) {
    return which & 1   ? CancelKind::parallel
           : which & 8 ? CancelKind::taskgroup
                       : CancelKind::worksharing;
}

} // namespace

namespace {

int flag_of(int which) {
    return which & 1   ? ompt_cancel_parallel
           : which & 2 ? ompt_cancel_loop
           : which & 4 ? ompt_cancel_sections
                       : ompt_cancel_taskgroup;
}

bool is_due(int which, const void* code) {
    if (!config::settings().cancellation)
        return false;
    team::Member& member = team::self();
    const bool due = construct::is_cancellation_due(member, kind_of(which));
    if (HEDDLE_UNLIKELY(team::tells(member)) && due)
        team::tell_cancel(member, flag_of(which) | ompt_cancel_detected, code);
    return due;
}

} // namespace

HEDDLE_EXPORT bool GOMP_cancellation_point(int which) {
    return is_due(which, __builtin_return_address(0));
}

HEDDLE_EXPORT bool GOMP_cancel(int which, bool do_cancel) {
    if (!do_cancel)
        return is_due(which, __builtin_return_address(0));
    team::Member& member = team::self();
    const bool cancelled = construct::cancel(member, kind_of(which));
    if (HEDDLE_UNLIKELY(team::tells(member)) && cancelled)
        team::tell_cancel(member, flag_of(which) | ompt_cancel_activated,
                          __builtin_return_address(0));
    return cancelled;
}

HEDDLE_EXPORT bool GOMP_barrier_cancel() {
    return schedule::wait_at_cancellable_barrier(team::self());
}
HEDDLE_EXPORT bool GOMP_loop_end_cancel() { return GOMP_barrier_cancel(); }
HEDDLE_EXPORT bool GOMP_sections_end_cancel() { return GOMP_barrier_cancel(); }
