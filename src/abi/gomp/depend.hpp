// SPDX-License-Identifier: Apache-2.0
// The arrays in which gcc passes depend clauses, translated. Two encodings: up to gcc 8
// [n, n_out, addresses], out first; since then [0, n, n_out, n_mutexinoutset, n_in, addresses,
// pointers to depend objects]. Used by the entry points that have a `depend` argument.
#pragma once

#include "schedule/create.hpp"

namespace heddle::abi {

/// The translated list; lives while the entry point does.
class DependList {
public:
    explicit DependList(void** depend);
    ~DependList() {
        if (list_ != in_place_)
            platform::deallocate(list_);
    }
    DependList(const DependList&) = delete;
    DependList& operator=(const DependList&) = delete;

    schedule::Dependences get() const { return {list_, count_}; }

private:
    static constexpr size_t places = 16;
    void add(const void* address, uintptr_t kind);

    schedule::Dependence in_place_[places];
    schedule::Dependence* list_ = in_place_;
    size_t count_ = 0;
};

} // namespace heddle::abi
