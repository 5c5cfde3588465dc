// SPDX-License-Identifier: Apache-2.0
// What every kmpc entry point is passed: where in the source, and which thread. The runtime finds
// its state through the thread-local membership instead; the number goes back to generated code.
// Included by every file below abi/kmp. Facts: LLVM's OpenMP runtime interface.
#pragma once

#include "abi/export.hpp"
#include "team/worker.hpp"

namespace heddle::abi::kmp {

/// Where a construct is in the source. Constant data of the program; some callers pass nullptr.
struct Ident {
    int32_t reserved_1;
    int32_t flags; ///< the bits below
    int32_t reserved_2;
    int32_t reserved_3;
    const char* source; ///< ";file;function;line;column;;", or nullptr
};

/// Bits of Ident::flags.
namespace ident_flag {
inline constexpr int32_t atomic_reduction = 0x10; ///< generated code can combine with atomics
inline constexpr int32_t explicit_barrier = 0x20;
inline constexpr int32_t implicit_barrier = 0x40;
inline constexpr int32_t loop = 0x200; ///< a static loop is one, or sections, or distribute
inline constexpr int32_t sections = 0x400;
inline constexpr int32_t distribute = 0x800;
} // namespace ident_flag

/// A thread's global number: small, dense, the same as long as the thread lives.
using Gtid = int32_t;

inline Gtid global_number(const team::Member& member) { return member.worker->global_number; }

} // namespace heddle::abi::kmp
