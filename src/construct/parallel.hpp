// SPDX-License-Identifier: Apache-2.0
// The parallel construct (OpenMP 5.2 chapter 10): team size, implicit tasks, closing barrier.
// Called by the ABI layers on the encountering thread, which becomes the primary thread.
#pragma once

#include "config/control_variables.hpp"
#include "team/team.hpp"

namespace heddle::construct {

/// Forms the team of a parallel region: `requested` threads of a num_threads clause, 0 without one,
/// 1 also for if(false). `bind` is the proc_bind clause. Returns the primary's membership; the
/// region has not started yet.
team::Member& begin_parallel(unsigned requested, config::ProcBind bind = config::ProcBind::false_);

/// Lets the other threads of the team run function(data).
void start_parallel(team::Member& primary, team::TaskFunction function, void* data);

/// The closing barrier and the end of the region, on the primary thread.
void end_parallel();

/// The whole construct: all threads run function(data).
inline void parallel(team::TaskFunction function, void* data, unsigned requested,
                     config::ProcBind bind = config::ProcBind::false_) {
    team::Member& primary = begin_parallel(requested, bind);
    start_parallel(primary, function, data);
    function(data);
    end_parallel();
}

} // namespace heddle::construct
