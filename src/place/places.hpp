// SPDX-License-Identifier: Apache-2.0
// The places of the process: place-partition-var of the initial task (OpenMP 5.2 section 21.1.6).
// Called on the first region that binds, and by the routines on places, on any thread; one of them
// determines the places, the others wait. Constant afterwards; the release store of the state
// publishes them to its acquire load.
#pragma once

#include "config/places.hpp"

namespace heddle::place {

/// The places, with the CPUs among them that the process may use. None when bind-var is false:
/// then nothing is read. The first call may write lines to stderr about places that do not exist.
const config::PlaceList& places();

/// How many CPUs the process may use, of its share after KMP_HW_SUBSET; 0 when the system does not
/// tell.
int count_usable_cpus();

/// places() for any settings and machine. `available` are the CPUs that may be used.
void determine_places(const config::Settings& settings, const config::CpuSet& available,
                      const char* root, config::PlaceList& places);

/// For the handler of fork() in the child, as config::restart_in_forked_child().
void restart_in_forked_child();

} // namespace heddle::place
