// SPDX-License-Identifier: Apache-2.0
// The teams construct (OpenMP 5.2 section 10.2), on the host and inside a target region.
// Called by the ABI layers on the encountering thread. That runs the teams one after another, for a
// league promises no concurrency; host teams whose threads are few enough run at once, each on a
// thread of its own. Each is the initial team of a contention group of its own, written by the
// thread that runs it; threads of regions inside read the league's words after a fork.
#pragma once

#include "team/told_league.hpp"

namespace heddle::construct {

/// A teams construct outside any target region: each team runs function(data). `num_teams` and
/// `thread_limit` are the clauses' values, 0 without one: nteams-var and teams-thread-limit-var.
/// `default_size` is the number of teams when nteams-var does not say either. A tool is told that
/// `caller` called.
void host_teams(team::TaskFunction function, void* data, unsigned num_teams, unsigned thread_limit,
                int default_size, team::Caller caller = {});

/// A teams construct inside a target region, whose code calls this before each team and stops at
/// false. `first` starts the league: of `num_teams` teams, 1 without a clause (0). A tool is told
/// that `caller` called.
bool next_team(team::Member& initial, unsigned num_teams, unsigned thread_limit, bool first,
               team::Caller caller = {});

/// The thread-limit-var of a team: the clause's value, else teams-thread-limit-var, else
/// `inherited`.
int thread_limit_of_team(unsigned clause, int inherited);

} // namespace heddle::construct
