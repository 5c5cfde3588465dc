// SPDX-License-Identifier: Apache-2.0
// Executable invariants: HEDDLE_CHECK stops a build with checks when a protocol's invariant is
// broken; release builds (HEDDLE_CHECKS=0) contain nothing of it. Never used on users' input.
#pragma once

#include "platform.hpp"

#if HEDDLE_CHECKS
#define HEDDLE_CHECK(condition)                                                                    \
    ((condition) ? void(0) : ::heddle::platform::die("invariant broken: " #condition))
#else
#define HEDDLE_CHECK(condition) void(0)
#endif

#define HEDDLE_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define HEDDLE_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

namespace heddle::concurrent {

/// Distance that keeps two threads' data out of each other's cache lines (x86 prefetches pairs,
/// but one line measured the same here and halves the memory).
inline constexpr size_t cache_line = 64;

} // namespace heddle::concurrent
