// SPDX-License-Identifier: Apache-2.0
// The control variables of the current task. On the task's own thread.
#include "construct/icvs.hpp"

#include "schedule/own_context.hpp"

namespace heddle::construct {

const config::Icvs& task_icvs() { return *team::self().current->context()->icvs; }

config::Icvs& task_icvs_for_write() { return schedule::icvs_to_change(team::self()); }

} // namespace heddle::construct
