// SPDX-License-Identifier: Apache-2.0
// What a launcher of parallel programs (mpirun, srun, torchrun) tells each process by environment
// variables: how many processes it has started on this machine, and which one of them this is.
// Called while the settings are read; place/shares and place/claims act on it. Keeps nothing.
#pragma once

#include "config/control_variables.hpp"
#include "config/load.hpp"

namespace heddle::config {

/// Of the first launcher, in the order of the table, whose variables are set and make sense:
/// 0 <= rank < size. Else, and where a process is alone, rank 0 of 1.
LocalRank read_local_rank(Environment environment);

} // namespace heddle::config
