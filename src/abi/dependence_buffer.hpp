// SPDX-License-Identifier: Apache-2.0
// The depend clauses of one construct, translated from the arrays that a compiler passes: room for
// most lists in place, on the stack of the entry point, and else from the system.
// Filled by abi/gomp/depend and abi/kmp/depend on the encountering thread.
#pragma once

#include "schedule/create.hpp"

namespace heddle::abi {

/// Lives while the entry point does.
class DependenceBuffer {
public:
    DependenceBuffer() = default;
    ~DependenceBuffer() {
        if (list_ != in_place_)
            platform::deallocate(list_);
    }
    DependenceBuffer(const DependenceBuffer&) = delete;
    DependenceBuffer& operator=(const DependenceBuffer&) = delete;

    /// Room for `count` dependences in all, before the first add(). Dies without memory.
    void reserve(size_t count) {
        if (count <= places)
            return;
        list_ = static_cast<schedule::Dependence*>(
            platform::allocate(count * sizeof *list_, alignof(schedule::Dependence)));
        if (!list_)
            platform::die("no memory for a list of dependences");
    }

    void add(const void* address, schedule::DependenceKind kind, ompt_dependence_type_t told_as) {
        list_[count_++] = {address, kind, static_cast<uint8_t>(told_as)};
    }

    schedule::Dependences get() const { return {list_, count_}; }

private:
    static constexpr size_t places = 16;

    schedule::Dependence in_place_[places];
    schedule::Dependence* list_ = in_place_;
    size_t count_ = 0;
};

} // namespace heddle::abi
