// SPDX-License-Identifier: Apache-2.0
// The arrays in which clang, flang and icx pass depend clauses, translated. A construct has two of
// them, of which the second is what the compiler knows to be free of aliases; both count.
// Used by the entry points that take dependences. Facts: LLVM's OpenMP runtime interface.
#pragma once

#include "abi/dependence_buffer.hpp"

namespace heddle::abi::kmp {

/// One item of a depend clause; a depend object is an array of these.
struct DependInfo {
    intptr_t base; ///< address of the storage; 0 or -1 with all_memory
    size_t length;
    uint8_t flags; ///< the bits below
};
static_assert(sizeof(DependInfo) == 24);

namespace depend_flag {
inline constexpr uint8_t in = 1, out = 2, mutexinoutset = 4, inoutset = 8, all_memory = 0x80;
}

/// The translated lists; lives while the entry point does.
class DependList : public DependenceBuffer {
public:
    DependList(const DependInfo* list, int32_t count, const DependInfo* more, int32_t more_count);

private:
    void add_all(const DependInfo* list, int32_t count);
};

} // namespace heddle::abi::kmp
