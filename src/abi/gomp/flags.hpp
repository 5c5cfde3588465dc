// SPDX-License-Identifier: Apache-2.0
// What gcc encodes in the `flags` argument of the entries that open a parallel region.
// Called by the GOMP entry points, on the encountering thread.
#pragma once

#include "config/control_variables.hpp"

namespace heddle::abi {

/// The proc_bind clause: bits 0 to 2, with the values of omp_proc_bind_t; 0 without a clause.
inline config::ProcBind bind_clause(unsigned flags) {
    constexpr auto largest = static_cast<unsigned>(config::ProcBind::spread);
    const unsigned kind = flags & 7;
    return kind <= largest ? static_cast<config::ProcBind>(kind) : config::ProcBind::false_;
}

} // namespace heddle::abi
