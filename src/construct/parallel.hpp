// SPDX-License-Identifier: Apache-2.0
// The parallel construct (OpenMP 5.2 chapter 10): team size, implicit tasks, closing barrier.
// Called by the ABI layers on the encountering thread, which becomes the primary thread.
#pragma once

#include "config/control_variables.hpp"
#include "team/tool_events.hpp"

namespace heddle::construct {

/// Forms the team of a parallel region: `requested` threads of a num_threads clause, 0 without one,
/// 1 also for if(false). `bind` is the proc_bind clause. Returns the primary's membership; the
/// region has not started yet.
team::Member& begin_parallel(unsigned requested, config::ProcBind bind = config::ProcBind::false_);

/// The two ways to let the other threads of the team run function(data): the second where they, or
/// the primary, do more than that. `flags`: for a tool, who calls the primary's function.
void start_plainly(team::Member& primary, team::TaskFunction function, void* data);
void start_specially(team::Member& primary, team::TaskFunction function, void* data,
                     team::Caller caller, int flags);

/// Lets the other threads of the team run function(data); generated code runs the primary's part.
[[gnu::always_inline]] inline void start_parallel(team::Member& primary,
                                                  team::TaskFunction function, void* data) {
    if (HEDDLE_UNLIKELY(primary.team->at_begin != 0))
        start_specially(primary, function, data, HEDDLE_CALLER,
                        ompt_parallel_invoker_program | ompt_parallel_team);
    else
        start_plainly(primary, function, data);
}

/// The closing barrier and the end of the region, on the primary thread.
void end_parallel();

/// All threads run function(data), and the region ends: where start_specially() is due.
void run_specially(team::Member& primary, team::TaskFunction function, void* data,
                   team::Caller caller);

/// The whole construct: all threads run function(data).
[[gnu::always_inline]] inline void parallel(team::TaskFunction function, void* data,
                                            unsigned requested,
                                            config::ProcBind bind = config::ProcBind::false_) {
    team::Member& primary = begin_parallel(requested, bind);
    if (HEDDLE_UNLIKELY(primary.team->at_begin != 0))
        return run_specially(primary, function, data, HEDDLE_CALLER);
    start_plainly(primary, function, data);
    function(data);
    end_parallel();
}

} // namespace heddle::construct
