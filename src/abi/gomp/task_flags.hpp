// SPDX-License-Identifier: Apache-2.0
// Bits of the `flags` argument of GOMP_task and GOMP_taskloop, as gcc sets them.
// Included by those two entry points' files.
#pragma once

namespace heddle::abi::task_flag {

inline constexpr unsigned untied = 1, final = 2, mergeable = 4, depend = 8, priority = 16;
inline constexpr unsigned up = 256;         ///< GOMP_taskloop_ull: the loop counts upwards
inline constexpr unsigned grainsize = 512;  ///< the number is the grainsize clause's
inline constexpr unsigned if_clause = 1024; ///< taskloop: no if clause, or a true one
inline constexpr unsigned nogroup = 2048, reduction = 4096, detach = 8192, strict = 16384;

} // namespace heddle::abi::task_flag
