// SPDX-License-Identifier: Apache-2.0
// Leagues, one team at a time in the calling thread. Host teams enter a new initial team for each;
// teams of a target region are turns of its initial team, which is made as good as new in between.
// Called by the ABI layers.
#include "construct/teams.hpp"

#include "config/device_variables.hpp"
#include "construct/icvs.hpp"
#include "schedule/wait.hpp"
#include "team/fork_join.hpp"
#include "team/placement.hpp"

#include <climits>

namespace heddle::construct {

namespace {

int to_int(unsigned value) { return value > INT_MAX ? INT_MAX : static_cast<int>(value); }

/// The team before has done its tasks; its control variables are the region's again.
void renew(team::Member& initial) {
    schedule::wait_at_barrier(initial);
    initial.implicit_task.context_bits = reinterpret_cast<uintptr_t>(&initial.team->context);
}

} // namespace

int thread_limit_of_team(unsigned clause, int inherited) {
    if (clause)
        return to_int(clause);
    const int device = config::teams_thread_limit(config::settings());
    return device ? device : inherited;
}

void host_teams(team::TaskFunction function, void* data, unsigned num_teams, unsigned thread_limit,
                int default_size, team::Caller caller) {
    team::Member& outer = team::self();
    config::Icvs icvs = task_icvs();
    icvs.thread_limit = thread_limit_of_team(thread_limit, icvs.thread_limit);
    int size = to_int(num_teams);
    if (size == 0)
        size = config::num_teams(config::settings());
    if (size == 0)
        size = default_size;
    if (const int most = config::settings().kmp_most_teams; most != 0 && size > most)
        size = most;
    const int32_t from = outer.worker->binding.place;
    team::ToldLeague told(outer, size, caller);
    for (int number = 0; number < size; ++number) {
        team::Member& initial = team::begin_initial_team(outer, icvs);
        initial.team->league_size = size;
        initial.team->league_number = number;
        team::place_initial_thread(initial, outer, from, number, size);
        told.run_team(initial, function, data);
        schedule::wait_at_barrier(initial);
        told.end_team(initial);
        team::end_initial_team(initial);
    }
    team::leave_league(outer, from);
}

bool next_team(team::Member& initial, unsigned num_teams, unsigned thread_limit, bool first) {
    team::Team& team = team::initial_team(initial);
    if (first) {
        team.league_size = num_teams ? to_int(num_teams) : 1;
        team.league_number = 0;
    } else {
        renew(initial);
        if (team.league_number + 1 == team.league_size)
            return false;
        ++team.league_number;
    }
    const int inherited = task_icvs().thread_limit;
    const int limit = thread_limit_of_team(thread_limit, inherited);
    if (limit != inherited)
        task_icvs_for_write().thread_limit = limit;
    return true;
}

} // namespace heddle::construct
