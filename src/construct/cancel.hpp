// SPDX-License-Identifier: Apache-2.0
// The cancel and cancellation point constructs (OpenMP 5.2 chapter 11), active while cancel-var is
// true. Called by the ABI layers on the encountering thread. A request is a flag where those whom
// it concerns look: in the team or in the taskgroup.
#pragma once

#include "team/team.hpp"

namespace heddle::construct {

/// What is cancelled: the innermost region of that kind.
enum class CancelKind { parallel, worksharing, taskgroup };

/// True: the caller must go to the end of the region (or task). False: cancel-var is false.
bool cancel(team::Member& member, CancelKind kind);

/// True: somebody has cancelled the region, and the caller must go to its end.
bool is_cancellation_due(const team::Member& member, CancelKind kind);

} // namespace heddle::construct
