// SPDX-License-Identifier: Apache-2.0
// The arrays in which gcc passes depend clauses, translated. Two encodings: up to gcc 8
// [n, n_out, addresses], out first; since then [0, n, n_out, n_mutexinoutset, n_in, addresses,
// pointers to depend objects]. Used by the entry points that have a `depend` argument.
#pragma once

#include "abi/dependence_buffer.hpp"

namespace heddle::abi {

/// The translated list; lives while the entry point does.
class DependList : public DependenceBuffer {
public:
    explicit DependList(void** depend);

private:
    void add_of_kind(const void* address, uintptr_t kind);
};

} // namespace heddle::abi
