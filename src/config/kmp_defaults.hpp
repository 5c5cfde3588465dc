// SPDX-License-Identifier: Apache-2.0
// kmp_set_defaults(): settings from the program, in the words of the environment.
// Called by user programs on any thread. Before the environment has been read everything counts;
// later what kmp_runtime.hpp can change does, and the rest is a warning each.
#pragma once

#include <string_view>

namespace heddle::config {

/// `NAME=VALUE`, or several separated by `|`. Where the environment has NAME too, it wins if it has
/// not been read before.
void set_defaults(std::string_view text);

} // namespace heddle::config
