// SPDX-License-Identifier: Apache-2.0
// What a tool gets to call: the lookup function that its initializer is given.
// Shared by abi/ompt/start, which passes it on, and abi/ompt/inquiry, which defines it.
#pragma once

#include "abi/export.hpp"
#include "omp-tools.h"

namespace heddle::abi::ompt {

/// The entry point of that name; nullptr when there is none.
ompt_interface_fn_t lookup(const char* name);

/// ompt_finalize_tool.
void finalize_tool();

} // namespace heddle::abi::ompt
