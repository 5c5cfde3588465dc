// SPDX-License-Identifier: Apache-2.0
// The table of Heddle's own variables, and the warning for a name that is not in it.
// Called by load.cpp, which reads them, and by the displays. A new variable is one more line in
// heddle_table.cpp and a field of HeddleVariables.
#pragma once

#include "config/table.hpp"

namespace heddle::config {

/// The variables HEDDLE_*, in the order in which they are shown.
std::span<const Variable> heddle_variables();

/// One warning for each entry `HEDDLE_NAME=value` of `entries`, a list that ends with a null
/// pointer, whose name is unknown: it names the known one that is spelled most like it.
void warn_about_unknown_names(const char* const* entries);

} // namespace heddle::config
