// SPDX-License-Identifier: Apache-2.0
// What libomp's own environment variables, KMP_*, set beyond the variables of the specification.
// Part of the settings: written once by config::load() and constant afterwards.
// Source: the Intel and LLVM OpenMP runtime manuals, "Environment Variables".
#pragma once

#include "config/place_unit.hpp"

#include <cstddef>
#include <cstdint>

namespace heddle::config {

/// KMP_FORCE_REDUCTION and KMP_DETERMINISTIC_REDUCTION: how the threads' parts of a reduction come
/// together. `automatic` leaves it to the runtime; `tree` gives the same result for the same number
/// of threads.
enum class ReductionMethod : uint8_t { automatic, critical, atomic, tree };

/// KMP_LIBRARY, with the numbers of kmp_get_library().
enum class KmpLibrary : uint8_t { unset = 0, serial = 1, turnaround = 2, throughput = 3 };

/// The type in KMP_AFFINITY. `logical` and `physical` are the old names of compact placements of
/// whose offset the unit is a core.
enum class AffinityType : uint8_t {
    unset,
    none,
    compact,
    scatter,
    balanced,
    explicit_,
    logical,
    physical,
    disabled
};

/// KMP_AFFINITY; the list of an explicit placement is Settings::places_text.
struct KmpAffinity {
    AffinityType type = AffinityType::unset;
    PlaceUnit granularity = PlaceUnit::cores; ///< how far a thread may move
    int permute = 0;                          ///< how many of the topology's levels change sides
    int offset = 0;                           ///< how many places are skipped at the beginning
    bool given = false;                       ///< the variable is set
    bool verbose = false;                     ///< the topology and the places go to stderr
    bool respect = true;                      ///< only CPUs of the process's affinity mask are used
    bool reset = false; ///< a thread of the user is not bound between its regions
};

/// One layer of KMP_HW_SUBSET.
struct HwSubsetItem {
    PlaceUnit unit;
    int count;  ///< how many of them in each unit around, 0: all that remain
    int offset; ///< how many are skipped before
};

inline constexpr int hw_layers = 5; ///< units of a topology, of which each counts once

/// KMP_HW_SUBSET.
struct HwSubset {
    HwSubsetItem items[hw_layers];
    int length = 0;     ///< 0 when the variable is not set
    bool exact = false; ///< layers that are not named do not count (a colon comes first)
};

} // namespace heddle::config
