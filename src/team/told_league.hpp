// SPDX-License-Identifier: Apache-2.0
// What a tool is told of a league: its begin and end, and of each team an initial task and, as by
// libomp, a parallel region of one thread that runs the team's code.
// Called by construct/teams and construct/target: the league on the encountering thread, which
// writes it, a team on the thread that runs it. Source: OpenMP 5.2 section 10.2. docs/ompt.md.
#pragma once

#include "team/tool_events.hpp"

namespace heddle::team {

/// Nothing where no tool is told of what `member` does, which meets the construct.
class ToldLeague : public ToolParallel {
public:
    ToldLeague(Member& member, int league_size, Caller caller);
    ~ToldLeague();
    ToldLeague(const ToldLeague&) = delete;
    ToldLeague& operator=(const ToldLeague&) = delete;

    bool is_told() const { return encountering != nullptr; }
};

/// One team of a league, or one after another.
class ToldTeam {
public:
    /// The team of `initial` runs function(data).
    void run(ToldLeague& league, Member& initial, TaskFunction function, void* data);
    /// The team of `initial` begins; the program calls its code. The league is told.
    void begin(ToldLeague& league, Member& initial);
    /// If it was told: it has done its tasks.
    void end(Member& initial);

private:
    ToolTask initial_;
    ToldRegion region_;                           ///< inside it
    ToolTask* before_ = nullptr;                  ///< what the thread was in
    ompt_state_t state_ = ompt_state_work_serial; ///< and did
    bool is_told_ = false;
};

/// A league in a target region, whose teams are turns of its initial team, and its first team.
void tell_league_begin(Member& initial, int size, Caller caller);
/// A team of such a league has done its tasks, and unless it `was_last` the next one begins.
void tell_next_team(Member& initial, bool was_last);

} // namespace heddle::team
