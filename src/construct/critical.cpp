// SPDX-License-Identifier: Apache-2.0
// The two locks every program shares, each in a cache line of its own.
#include "construct/critical.hpp"

namespace heddle::construct {

alignas(concurrent::cache_line) concurrent::FutexLock unnamed_critical;
alignas(concurrent::cache_line) concurrent::FutexLock atomic_region;

} // namespace heddle::construct
