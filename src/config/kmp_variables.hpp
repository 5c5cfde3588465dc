// SPDX-License-Identifier: Apache-2.0
// What libomp's own environment variables, KMP_*, set beyond the variables of the specification.
// Part of the settings: written once by config::load() and constant afterwards.
// Source: the Intel and LLVM OpenMP runtime manuals, "Environment Variables".
#pragma once

#include <cstdint>

namespace heddle::config {

/// KMP_FORCE_REDUCTION and KMP_DETERMINISTIC_REDUCTION: how the threads' parts of a reduction come
/// together. `automatic` leaves it to the runtime; `tree` gives the same result for the same number
/// of threads.
enum class ReductionMethod : uint8_t { automatic, critical, atomic, tree };

} // namespace heddle::config
