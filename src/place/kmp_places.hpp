// SPDX-License-Identifier: Apache-2.0
// The places that KMP_AFFINITY means, and the CPUs that KMP_HW_SUBSET leaves.
// Called once by place/places, when places are first asked for; one thread, keeps nothing.
// Source: the sections on both variables in the LLVM OpenMP runtime's manual.
#pragma once

#include "config/control_variables.hpp"
#include "config/cpu_set.hpp"

namespace heddle::place {

/// What of `available`, or of all CPUs that are online where KMP_AFFINITY has `norespect`,
/// KMP_HW_SUBSET leaves. A subset that the machine does not have is a warning and ignored.
config::CpuSet usable_cpus(const config::Settings& settings, const config::CpuSet& available,
                           const char* root);

/// Appends the places of KMP_AFFINITY's type, in the order in which a team takes them. A place is
/// the unit that `granularity` names around one CPU, so that some are there more than once: with
/// compact and scatter one for each CPU of `available`, with balanced one for each core.
void read_kmp_places(const config::Settings& settings, const config::CpuSet& available,
                     const char* root, config::PlaceList& places);

/// Writes to stderr what the verbose modifier promises: the CPUs, where they are, and the places.
void describe_places(const config::CpuSet& available, const char* root,
                     const config::PlaceList& places);

} // namespace heddle::place
