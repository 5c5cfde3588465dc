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

HEDDLE_EXPORT bool GOMP_cancellation_point(int which) {
    return config::settings().cancellation &&
           construct::is_cancellation_due(team::self(), kind_of(which));
}

HEDDLE_EXPORT bool GOMP_cancel(int which, bool do_cancel) {
    return do_cancel ? construct::cancel(team::self(), kind_of(which))
                     : GOMP_cancellation_point(which);
}

HEDDLE_EXPORT bool GOMP_barrier_cancel() {
    return schedule::wait_at_cancellable_barrier(team::self());
}
HEDDLE_EXPORT bool GOMP_loop_end_cancel() { return GOMP_barrier_cancel(); }
HEDDLE_EXPORT bool GOMP_sections_end_cancel() { return GOMP_barrier_cancel(); }
