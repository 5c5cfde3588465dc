// SPDX-License-Identifier: Apache-2.0
// Parallel regions: how many threads (OpenMP 5.2 algorithm 10.1), and each thread's implicit task.
// begin/start/end run on the primary thread, run_implicit_task() on every other one.
#include "construct/parallel.hpp"

#include "construct/affinity_format.hpp"
#include "construct/loop.hpp"
#include "construct/sections.hpp"
#include "schedule/remaining.hpp"
#include "schedule/stand_in.hpp"
#include "schedule/wait.hpp"
#include "team/fork_join.hpp"
#include "team/watching.hpp"

namespace heddle::construct {

namespace {

using team::Member;

int team_size(const Member& member, unsigned requested) {
    const config::Icvs& icvs = *member.current->context()->icvs;
    if (requested == 1)
        return 1;
    if (team::tells(member))
        team::tool_of(member).requested =
            requested ? requested : static_cast<unsigned>(icvs.nthreads);
    if (member.team->active_level >= icvs.max_active_levels)
        return 1;
    int wanted = requested ? static_cast<int>(requested) : icvs.nthreads;
    if (icvs.dynamic) {
        const int cpus = config::settings().available_cpus;
        wanted = wanted < cpus ? wanted : cpus;
    }
    return wanted < 1 ? 1 : wanted; // form() applies thread-limit-var
}

/// The member of a watched region begins the loop or the sections that came with it.
void note_given_work(Member& member) {
    if ((member.team->at_begin & team::gives_loop) != 0)
        note_given_loop(member);
    else if ((member.team->at_begin & team::gives_sections) != 0)
        tell_given_sections(member);
}

/// An implicit task on a thread of the pool. After the closing barrier nothing of the team may be
/// touched.
void run_implicit_task(Member& member, team::TaskFunction function, void* data) {
    function(data);
    team::exit_if_forked(member);
    schedule::note_code_over(member);
    if (HEDDLE_UNLIKELY(member.offers) && schedule::end_part(member))
        return;
    schedule::wait_at_region_end(member);
}

/// The same where OMP_DISPLAY_AFFINITY asks for a line from each thread, in affinity-format-var.
void run_displayed_implicit_task(Member& member, team::TaskFunction function, void* data) {
    display_affinity({});
    run_implicit_task(member, function, data);
}

/// run_implicit_task() where a tool is told of it.
void run_told_implicit_task(Member& member, team::TaskFunction function, void* data) {
    team::ToolTask task;
    team::tell_implicit_begin(member, task);
    note_given_work(member);
    team::call_from_frame(member, function, data);
    team::exit_if_forked(member);
    schedule::note_code_over(member);
    {
        const team::ToldWait wait(member, ompt_sync_region_barrier_implicit_parallel, nullptr);
        schedule::wait_at_region_end(member);
    }
    team::tell_implicit_end(member, task);
}

/// run_implicit_task() where somebody watches.
void run_watched_implicit_task(Member& member, team::TaskFunction function, void* data) {
    if ((member.team->at_begin & team::displays) != 0)
        display_affinity({});
    team::note_implicit_begin(member, function, data);
    if (member.team->tool) {
        run_told_implicit_task(member, function, data);
    } else {
        note_given_work(member);
        run_implicit_task(member, function, data);
    }
    team::note_implicit_end(member);
}

} // namespace

void start_specially(Member& primary, team::TaskFunction function, void* data, team::Caller caller,
                     int flags) {
    const bool watched = (primary.team->at_begin & team::watched) != 0;
    const bool displays = (primary.team->at_begin & team::displays) != 0;
    if (watched)
        team::note_region_begin(primary, function, data);
    if (team::tells(primary))
        team::tell_region_begin(primary, caller, flags);
    if (primary.team_size > 1)
        team::start(*primary.team, function, data,
                    watched ? run_watched_implicit_task : run_displayed_implicit_task);
    if (displays)
        display_affinity({});
    note_given_work(primary);
}

void run_specially(Member& primary, team::TaskFunction function, void* data, team::Caller caller) {
    start_specially(primary, function, data, caller,
                    ompt_parallel_invoker_runtime | ompt_parallel_team);
    if (primary.team->tool)
        team::call_from_frame(primary, function, data);
    else
        function(data);
    end_parallel();
}

Member& begin_parallel(unsigned requested, config::ProcBind bind) {
    Member& member = team::self();
    return team::form(member, team_size(member, requested), bind);
}

void start_plainly(Member& primary, team::TaskFunction function, void* data) {
    if (primary.team_size > 1)
        team::start_or_offer(*primary.team, function, data, run_implicit_task);
}

void end_parallel() {
    Member& primary = team::self();
    schedule::note_code_over(primary);
    const bool offers = primary.offers;
    if (HEDDLE_UNLIKELY(offers)) {
        schedule::stand_in_for_others(primary);
        primary.at_end = true;
    }
    schedule::wait_at_barrier(primary, ompt_sync_region_barrier_implicit_parallel);
    if (HEDDLE_UNLIKELY(offers))
        team::end_offers(primary);
    team::dissolve(primary);
}

} // namespace heddle::construct
