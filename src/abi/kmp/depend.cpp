// SPDX-License-Identifier: Apache-2.0
// Translating depend arrays. Runs on the encountering thread.
// inout has the bits of in and out. Storage counts by its first address, as in every runtime.
#include "abi/kmp/depend.hpp"

namespace heddle::abi::kmp {

DependList::DependList(const DependInfo* list, int32_t count, const DependInfo* more,
                       int32_t more_count) {
    const size_t total =
        static_cast<size_t>((count > 0 ? count : 0) + (more_count > 0 ? more_count : 0));
    reserve(total);
    add_all(list, count);
    add_all(more, more_count);
}

void DependList::add_all(const DependInfo* list, int32_t count) {
    using schedule::DependenceKind;
    for (int32_t i = 0; i < count; ++i) {
        const DependInfo& item = list[i];
        if ((item.flags & depend_flag::all_memory) || item.base == -1)
            add(nullptr, DependenceKind::out, ompt_dependence_type_out_all_memory);
        else if (item.base == 0)
            continue; // no storage
        else if (item.flags & depend_flag::inoutset)
            add(reinterpret_cast<const void*>(item.base), DependenceKind::inoutset,
                ompt_dependence_type_inoutset);
        else if (item.flags & (depend_flag::out | depend_flag::mutexinoutset))
            add(reinterpret_cast<const void*>(item.base), DependenceKind::out,
                item.flags & depend_flag::mutexinoutset ? ompt_dependence_type_mutexinoutset
                : item.flags & depend_flag::in          ? ompt_dependence_type_inout
                                                        : ompt_dependence_type_out);
        else
            add(reinterpret_cast<const void*>(item.base), DependenceKind::in,
                ompt_dependence_type_in);
    }
}

} // namespace heddle::abi::kmp
