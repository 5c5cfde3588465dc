// SPDX-License-Identifier: Apache-2.0
// The units of the machine that a place or a part of a place can be.
// Used by the grammars of config/ and by place/topology, which finds them; a name for a value.
#pragma once

#include <cstdint>

namespace heddle::config {

/// What a place holds: CPUs that the user has listed, or all CPUs of one unit of the machine.
enum class PlaceUnit : uint8_t { listed, threads, cores, ll_caches, numa_domains, sockets };

} // namespace heddle::config
