// SPDX-License-Identifier: Apache-2.0
// Leagues. Host teams are new initial teams, one after another on the calling thread or, where
// their threads are few enough, each on a thread of its own; teams of a target region are turns of
// its initial team, which is made as good as new in between. Called by the ABI layers.
#include "construct/teams.hpp"

#include "config/device_variables.hpp"
#include "construct/icvs.hpp"
#include "schedule/wait.hpp"
#include "team/fork_join.hpp"
#include "team/placement.hpp"
#include "team/watching.hpp"

#include <climits>

namespace heddle::construct {

namespace {

int to_int(unsigned value) { return value > INT_MAX ? INT_MAX : static_cast<int>(value); }

/// Host teams, as the threads see them that run them.
struct League {
    team::TaskFunction function;
    void* data;
    const config::Icvs& icvs; ///< of the teams' initial tasks
    int size;
    team::ToldLeague& told;
};

/// Team `number` of the league, in the initial team of `initial`, from its begin to its end.
void run_team(team::Member& initial, const League& league, int number) {
    initial.team->league.size = league.size;
    initial.team->league.number = number;
    team::ToldTeam told;
    told.run(league.told, initial, league.function, league.data);
    team::Member& at_end = team::self(); // another one where the team's code has forked a process
    schedule::wait_at_barrier(at_end);
    told.end(at_end);
    team::end_initial_team(at_end);
}

void run_in_turn(team::Member& outer, const League& league) {
    const int32_t from = outer.worker->binding.place;
    for (int number = 0; number < league.size; ++number) {
        team::Member& initial = team::begin_initial_team(outer, league.icvs);
        team::place_initial_thread(initial, outer, from, number, league.size);
        run_team(initial, league, number);
    }
    team::leave_league(outer, from);
}

/// A league's teams run at once if each has a limit, and all together no more threads than a
/// parallel region would have here.
bool may_run_at_once(const team::Member& outer, const League& league) {
    const config::Icvs& icvs = league.icvs;
    return league.size > 1 && outer.team->nesting == 0 &&
           static_cast<int64_t>(league.size) * icvs.thread_limit <= icvs.nthreads &&
           config::settings().kmp_teams_bind != config::ProcBind::false_;
}

/// Its teams on one of the threads that run the league.
void run_teams_of(team::Member& member, const League& league) {
    const int step = member.team_size;
    for (int number = member.number; number < league.size; number += step) {
        team::Member& initial = team::begin_initial_team(team::self(), league.icvs);
        initial.partition = member.partition;
        initial.team->league.at_once = true;
        run_team(initial, league, number);
    }
}

/// The same on a thread of the pool.
void run_on_other_thread(team::Member& member, team::TaskFunction function, void* data) {
    const League& league = *static_cast<const League*>(data);
    const bool watched = (member.team->at_begin & team::watched) != 0;
    if (watched)
        team::note_implicit_begin(member, function, league.data);
    run_teams_of(member, league);
    team::exit_if_forked(member);
    schedule::wait_at_region_end(member);
    if (watched)
        team::note_implicit_end(member);
}

void run_at_once(team::Member& outer, const League& league) {
    team::Member& primary = team::form(outer, league.size, config::settings().kmp_teams_bind);
    if ((primary.team->at_begin & team::watched) != 0)
        team::note_region_begin(primary, league.function, league.data);
    if (primary.team_size > 1)
        team::start(*primary.team, league.function, const_cast<League*>(&league),
                    run_on_other_thread);
    run_teams_of(primary, league);
    team::Member& at_end = team::self();
    schedule::wait_at_barrier(at_end);
    team::dissolve(at_end);
}

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
    team::ToldLeague told(outer, size, caller);
    const League league{function, data, icvs, size, told};
    if (may_run_at_once(outer, league))
        run_at_once(outer, league);
    else
        run_in_turn(outer, league);
}

bool next_team(team::Member& initial, unsigned num_teams, unsigned thread_limit, bool first,
               team::Caller caller) {
    team::Team& team = team::initial_team(initial);
    if (first) {
        team.league.size = num_teams ? to_int(num_teams) : 1;
        team.league.number = 0;
        team::tell_league_begin(initial, team.league.size, caller);
    } else {
        renew(initial);
        const bool was_last = team.league.number + 1 == team.league.size;
        if (!was_last)
            ++team.league.number;
        team::tell_next_team(initial, was_last);
        if (was_last)
            return false;
    }
    const int inherited = task_icvs().thread_limit;
    const int limit = thread_limit_of_team(thread_limit, inherited);
    if (limit != inherited)
        task_icvs_for_write().thread_limit = limit;
    return true;
}

} // namespace heddle::construct
