// SPDX-License-Identifier: Apache-2.0
// Turns the environment into settings, from any source of values: the seam for the unit tests.
// Called by settings() with the process's environment, once.
#pragma once

#include "config/cpu_set.hpp"
#include "config/table.hpp"

#include <string_view>

namespace heddle::config {

/// The value of the environment variable `name`, or null when it is not set.
using Environment = const char* (*)(const char* name);

/// Reads all variables. Each bad value is one line on stderr and leaves the default in place.
/// `available_cpus`, 1 or more, is the default of nthreads-var, as far as OMP_THREAD_LIMIT allows.
/// Settings::places_text stays a part of the environment's text.
void read_environment(Environment environment, int available_cpus, Reading& reading);

/// The CPUs that the loading thread might use when the library was loaded, before a libgomp beside
/// us could bind it (the library is linked with -z initfirst); none when that is unknown.
const CpuSet& cpus_at_load();

/// Reads them. By the library's constructor, and by the simulator, whose machine comes after that,
/// before there are other threads.
void read_cpus_at_load();

/// What OMP_DISPLAY_ENV asks for; the environment is read only when it is set.
Display display_at_load();

/// An entry `NAME=value` that counts where the environment does not have NAME. False when the
/// environment has been read already.
bool add_default(std::string_view entry);

/// The process's environment. In a process with more rights than its caller (set-user-ID and the
/// like) the variables HEDDLE_* and OMP_TOOL_* do not exist: they may name files to write or to
/// load.
const char* process_environment(const char* name);

} // namespace heddle::config
