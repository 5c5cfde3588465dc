// SPDX-License-Identifier: Apache-2.0
// The control variables of the calling task (data-environment scope, OpenMP 5.2 section 2.2).
// Called by omp_* routines on the task's own thread. A task that changes one gets its own copy;
// what it inherited, and what its deferred children inherit, stays as it was.
#pragma once

#include "team/team.hpp"

namespace heddle::construct {

/// The values in force for the calling task.
const config::Icvs& task_icvs();

/// The calling task's own copy, to be changed.
config::Icvs& task_icvs_for_write();

} // namespace heddle::construct
