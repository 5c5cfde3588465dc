// SPDX-License-Identifier: Apache-2.0
// Telling a tool of leagues and their teams: their events, in the order of libomp, and what
// tool_of() says of the thread meanwhile, so that what happens inside names its task and region.
// Called on the thread concerned, which alone writes: its ToolThread, the ToldLeague on its stack,
// the ToldTeam of the team that it runs. Nothing where no tool is told.
// Source: OpenMP 5.2 section 10.2. docs/ompt.md.
#include "team/told_league.hpp"

namespace heddle::team {

using tool::tell;

ToldLeague::ToldLeague(Member& member, int league_size, Caller caller) {
    if (HEDDLE_LIKELY(!tells(member)))
        return;
    ToolTask& task = *tool_of(member).task;
    encountering = &task;
    code = caller.code;
    size = league_size;
    flags = ompt_parallel_invoker_runtime | ompt_parallel_league;
    task.frame.enter_frame.ptr = caller.frame;
    task.frame.enter_frame_flags = runtime_frame;
    tell<ompt_callback_parallel_begin>(&task.data, &task.frame, &data, static_cast<unsigned>(size),
                                       flags, caller.code);
}

ToldLeague::~ToldLeague() {
    if (!is_told())
        return;
    tell<ompt_callback_parallel_end>(&data, &encountering->data, flags, code);
    encountering->frame.enter_frame.ptr = nullptr;
}

void ToldTeam::run(ToldLeague& league, Member& initial, TaskFunction function, void* data) {
    if (HEDDLE_LIKELY(!league.is_told())) {
        function(data);
        return;
    }
    begin(league, initial);
    call_from_frame(initial, function, data);
}

void ToldTeam::begin(ToldLeague& league, Member& initial) {
    ToolThread& thread = tool_of(initial);
    is_told_ = true;
    before_ = thread.task;
    state_ = thread.state;
    initial_ = {};
    initial_.flags = ompt_task_initial;
    initial_.number = initial.team->league.number;
    initial_.parallel = &league;
    initial_.outer = league.encountering;
    thread.task = &initial_;
    tell<ompt_callback_implicit_task>(ompt_scope_begin, &league.data, &initial_.data,
                                      static_cast<unsigned>(league.size),
                                      static_cast<unsigned>(initial_.number), ompt_task_initial);
    region_ = {};
    begin_told(region_, initial, {league.code, league.encountering->frame.enter_frame.ptr},
               ompt_parallel_invoker_runtime | ompt_parallel_team, 1);
}

void ToldTeam::end(Member& initial) {
    if (HEDDLE_LIKELY(!is_told_))
        return;
    end_told(region_, initial, initial);
    tell<ompt_callback_implicit_task>(ompt_scope_end, nullptr, &initial_.data, 0u,
                                      static_cast<unsigned>(initial_.number), ompt_task_initial);
    ToolThread& thread = tool_of(initial);
    thread.task = before_;
    thread.state = state_;
}

namespace {

struct TargetLeague : ToldLeague {
    using ToldLeague::ToldLeague;
    ToldTeam team;
};

} // namespace

void tell_league_begin(Member& initial, int size, Caller caller) {
    if (HEDDLE_LIKELY(!tells(initial)))
        return;
    void* memory = platform::allocate(sizeof(TargetLeague), alignof(TargetLeague));
    if (!memory)
        platform::die("no memory for a league that a tool watches");
    auto* league = ::new (memory) TargetLeague(initial, size, caller);
    initial.team->tool = league;
    league->team.begin(*league, initial);
}

void tell_next_team(Member& initial, bool was_last) {
    if (HEDDLE_LIKELY(!initial.team->tool))
        return;
    auto* league = static_cast<TargetLeague*>(initial.team->tool);
    league->team.end(initial);
    if (!was_last)
        return league->team.begin(*league, initial);
    initial.team->tool = nullptr;
    league->~TargetLeague();
    platform::deallocate(league);
}

} // namespace heddle::team
