// SPDX-License-Identifier: Apache-2.0
// The ICVs with device scope that a program may change: nteams-var and teams-thread-limit-var.
// Called by omp_set_num_teams and its kin and by the teams construct, from any thread.
// A relaxed word each: whoever changes one while another thread reads it gets one or the other
// (OpenMP 5.2 sections 2.2 and 18.4).
#pragma once

#include "config/control_variables.hpp"

namespace heddle::config {

/// nteams-var, 0 when not set. `settings` gives the value from the environment.
int num_teams(const Settings& settings);
/// Sets nteams-var; 0 unsets it and a negative `count` changes nothing.
void set_num_teams(int count);

/// teams-thread-limit-var, 0 when not set. `settings` gives the value from the environment.
int teams_thread_limit(const Settings& settings);
/// Sets teams-thread-limit-var; 0 unsets it and a negative `limit` changes nothing.
void set_teams_thread_limit(int limit);

} // namespace heddle::config
