// SPDX-License-Identifier: Apache-2.0
// GOMP_teams_reg for host teams; GOMP_teams4 and its predecessor for teams inside target regions.
// Called by code that gcc generates, on the encountering thread. Generated code calls GOMP_teams4
// before each team of a league, GOMP_teams (before gcc 12) once: then the league has one team.
#include "construct/teams.hpp"

#include "abi/export.hpp"

using namespace heddle;

namespace {

/// How many teams a host league has when neither clause nor nteams-var says so, as in libgomp.
constexpr int default_league_size = 3;

} // namespace

/// `num_teams` and `thread_limit` are 0 without the clause.
HEDDLE_EXPORT void GOMP_teams_reg(void (*function)(void*), void* data, unsigned num_teams,
                                  unsigned thread_limit, unsigned /*flags*/) {
    construct::host_teams(function, data, num_teams, thread_limit, default_league_size,
                          HEDDLE_CALLER);
}

/// Whether there is another team to run. The bounds of the num_teams clause are 0 without it; the
/// lower one is enough.
HEDDLE_EXPORT bool GOMP_teams4(unsigned lower, unsigned /*upper*/, unsigned thread_limit,
                               bool first) {
    return construct::next_team(team::self(), lower, thread_limit, first, HEDDLE_CALLER);
}

HEDDLE_EXPORT void GOMP_teams(unsigned /*num_teams*/, unsigned thread_limit) {
    construct::next_team(team::self(), 1, thread_limit, true, HEDDLE_CALLER);
}
