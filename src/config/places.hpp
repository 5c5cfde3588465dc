// SPDX-License-Identifier: Apache-2.0
// The grammars of OMP_PLACES (OpenMP 5.2 section 21.1.6) and of libgomp's GOMP_CPU_AFFINITY.
// Called by the table of control variables, which wants to know whether a value is valid, and by
// place/, which wants the places. Reads text; what the machine has is place/topology's subject.
#pragma once

#include "config/control_variables.hpp"
#include "config/cpu_set.hpp"
#include "config/place_unit.hpp"

#include <string_view>

namespace heddle::config {

struct PlaceRequest {
    PlaceUnit unit = PlaceUnit::cores;
    int limit = PlaceList::longest; ///< how many units at most
};

/// The value of OMP_PLACES. Appends listed places to `list`. False, with anything in `list`, for a
/// value that is not valid: also for CPU numbers outside of 0 to 8191, and for the exclusion of a
/// CPU or place that is not there.
bool parse_places(std::string_view text, PlaceRequest& request, PlaceList& list);

/// The value of GOMP_CPU_AFFINITY, `first[-last[:stride]]...`: one place for each CPU.
bool parse_cpu_affinity(std::string_view text, PlaceList& list);

} // namespace heddle::config
