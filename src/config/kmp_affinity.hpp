// SPDX-License-Identifier: Apache-2.0
// The grammars of KMP_AFFINITY, its list of processors, and KMP_HW_SUBSET.
// Called by the table of libomp's variables, which wants to know whether a value is valid, and by
// place/, which wants the listed places. Reads text; each function writes only its results.
#pragma once

#include "config/cpu_set.hpp"
#include "config/kmp_variables.hpp"

#include <string_view>

namespace heddle::config {

/// `[modifier,...]type[,permute[,offset]]`. Sets `proclist` to what is between the brackets of
/// `proclist=[...]`, which makes the type `explicit`; empty without one. False for an unknown word,
/// a number or a type too many, `explicit` without a list and a list without it: what is left
/// without them counts if it has a type, else nothing is changed.
bool parse_kmp_affinity(std::string_view text, KmpAffinity& affinity, std::string_view& proclist);

/// `cpu`, `first-last[:stride]` and `{cpu,first-last,...}`, separated by commas: a place for each
/// CPU and each pair of braces.
bool parse_proclist(std::string_view text, PlaceList& list);

/// `[:][count|*]unit[@offset],...` with the units S, N, L3 or LL, C and T, also by their full
/// names, in the plural or not, in any order, each at most once. An x may stand for a comma.
bool parse_hw_subset(std::string_view text, HwSubset& subset);

/// The name of a unit in KMP_AFFINITY.
std::string_view unit_name(PlaceUnit unit);
std::string_view type_name(AffinityType type);

} // namespace heddle::config
