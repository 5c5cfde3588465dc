// SPDX-License-Identifier: Apache-2.0
// The part of the machine's CPUs that is this process's where a launcher has started several and
// has left it to each of them to bind its threads: without shares all would bind to the same CPUs.
// Called once by place/places, when places are first asked for; one thread, keeps nothing.
#pragma once

#include "config/control_variables.hpp"
#include "config/cpu_set.hpp"

namespace heddle::place {

/// The share of Settings::local, disjoint from those of its siblings: neighbouring cores, or CPUs
/// where there are more processes than cores, as many for each, the first ones one more. All of
/// `available` where nothing is to be divided: it is not the whole machine, so that somebody has
/// bound this process already; threads are not bound; the variables name CPUs, or an offset, which
/// may be another one in each process; or there are more processes than CPUs.
config::CpuSet share_of(const config::Settings& settings, const config::CpuSet& available,
                        const char* root);

/// Whether share_of() may be less than all.
bool may_share(const config::Settings& settings);

} // namespace heddle::place
