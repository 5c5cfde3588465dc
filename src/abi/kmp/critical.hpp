// SPDX-License-Identifier: Apache-2.0
// The memory of a critical name: eight zeroed words, which all shared objects of the process have
// in common. The lock lives in the first.
// Included by critical and reduction. Facts: LLVM's OpenMP runtime interface.
#pragma once

#include "abi/kmp/ident.hpp"
#include "construct/critical.hpp"

namespace heddle::abi::kmp {

struct CriticalName {
    concurrent::FutexLock lock;
    int32_t unused[7];
};
static_assert(sizeof(CriticalName) == 32);

} // namespace heddle::abi::kmp
