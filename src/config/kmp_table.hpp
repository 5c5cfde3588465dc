// SPDX-License-Identifier: Apache-2.0
// The table of libomp's variables that mean something here, and what follows from them together.
// Called by load.cpp, which reads them for every program, and by the displays. Those that only tune
// libomp's insides have no line: they are accepted and nothing happens.
#pragma once

#include "config/table.hpp"

namespace heddle::config {

/// The variables. KMP_WARNINGS is the first, so that it counts for all that follows.
std::span<const Variable> kmp_variables();

/// Their defaults, of a Settings that is all zeros.
void set_kmp_defaults(Settings& settings);

/// Carries over what they say to the settings that OpenMP's variables have too. KMP_STACKSIZE wins
/// over OMP_STACKSIZE; places and binding of OpenMP or libgomp win over KMP_AFFINITY. Whoever loses
/// is one warning.
void conclude_kmp(Settings& settings);

/// Prints the version to stderr, and the variables as the user set them and as they are in effect,
/// as far as KMP_VERSION and KMP_SETTINGS ask for it. `entries` is the environment, a list that
/// ends with a null pointer; null: there is none.
void display_kmp(const Settings& settings, const char* const* entries);

} // namespace heddle::config
